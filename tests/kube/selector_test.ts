import assert from "node:assert/strict";
import fc from "fast-check";
import { isFault, type Json, type JsonObject } from "../../lib/json/mod.ts";
import {
  compileFieldSelectorText,
  compileLabelSelector,
  compileLabelSelectorText,
  labelsOf,
} from "../../lib/kube/mod.ts";

const labels: JsonObject = { app: "web", "app.kubernetes.io/name": "shop", tier: "", size: "12" };

const selectors: [selector: Json, match: boolean][] = [
  [{}, true],
  [{ matchLabels: {} }, true],
  [{ matchLabels: null, matchExpressions: null }, true],
  [{ matchLabels: { app: "web" } }, true],
  [{ matchLabels: { app: "web", tier: "x" } }, false],
  [{ matchLabels: { tier: "" } }, true],
  [{ matchLabels: { none: "" } }, false],
  [{ matchLabels: { "app*": "?*" } }, true],
  [{ matchLabels: { "*": "*" } }, true],
  [{ matchLabels: { "*/name": "sh?p" } }, true],
  [{ matchLabels: { "*/name": "sh?" } }, false],
  [{ matchLabels: { tier: "?*" } }, false],
  [{ matchExpressions: [{ key: "app", operator: "In", values: ["web", "db"] }] }, true],
  [{ matchExpressions: [{ key: "none", operator: "In", values: ["web"] }] }, false],
  [{ matchExpressions: [{ key: "none", operator: "NotIn", values: ["web"] }] }, true],
  [{ matchExpressions: [{ key: "tier", operator: "Exists" }] }, true],
  [{ matchExpressions: [{ key: "tier", operator: "DoesNotExist" }] }, false],
  [{ matchExpressions: [{ key: "toString", operator: "Exists" }] }, false],
];
for (const [selector, match] of selectors) {
  Deno.test(`selector ${JSON.stringify(selector)} ${match ? "selects" : "leaves out"}`, () => {
    const selects = compileLabelSelector(selector, { wildcards: true });
    assert.ok(!isFault(selects));
    assert.equal(selects(labels), match);
  });
}

Deno.test("'*': '*' needs at least one label", () => {
  const selects = compileLabelSelector({ matchLabels: { "*": "*" } }, { wildcards: true });
  assert.ok(!isFault(selects));
  assert.equal(selects({}), false);
});

const mistakes: Json[] = [
  null,
  [],
  { matchLabels: { "bad key": "x" } },
  { matchLabels: { "a/b/c": "x" } },
  { matchLabels: { "/a": "x" } },
  { matchLabels: { "": "x" } },
  { matchLabels: { "UPPER.com/a": "x" } },
  { matchLabels: { app: "-x" } },
  { matchLabels: { app: "x".repeat(64) } },
  { matchLabels: { app: 1 } },
  { matchLabels: { app: "web*!" } },
  { matchExpressions: {} },
  { matchExpressions: [{ key: "app", operator: "in", values: ["x"] }] },
  { matchExpressions: [{ key: "app", operator: "GreaterThan", values: ["1"] }] },
  { matchExpressions: [{ key: "app", operator: "In" }] },
  { matchExpressions: [{ key: "app", operator: "In", values: ["w*"] }] },
  { matchExpressions: [{ key: "app", operator: "Exists", values: ["x"] }] },
  { matchExpressions: [{ operator: "Exists" }] },
];
for (const selector of mistakes) {
  Deno.test(`selector ${JSON.stringify(selector).slice(0, 80)} is invalid`, () => {
    assert.ok(isFault(compileLabelSelector(selector, { wildcards: true })));
  });
}

Deno.test("a wildcard pair that no label can match is invalid, one of the greatest length is valid", () => {
  assert.ok(isFault(compileLabelSelector({ matchLabels: { "a*/b/c": "x" } }, { wildcards: true })));
  const selects = compileLabelSelector({ matchLabels: { [`${"a".repeat(63)}*`]: "x" } }, { wildcards: true });
  assert.ok(!isFault(selects));
  assert.equal(selects({ ["a".repeat(63)]: "x" }), true);
});

Deno.test("without wildcards a star is invalid", () => {
  assert.ok(isFault(compileLabelSelector({ matchLabels: { app: "w*" } })));
});

const texts: [text: string, match: boolean][] = [
  ["", true],
  ["app=web", true],
  ["app==web,tier=", true],
  ["app!=web", false],
  ["none!=web", true],
  ["app in (web, db)", true],
  ["app notin (web)", false],
  ["tier in ()", true],
  ["app", true],
  ["!app", false],
  [" ! none , app.kubernetes.io/name = shop ", true],
  ["size>11,size<13", true],
  ["size>12", false],
  ["app>1", false],
  ["in=x", false],
  ["tier", true],
];
for (const [text, match] of texts) {
  Deno.test(`labelSelector=${text} ${match ? "selects" : "leaves out"}`, () => {
    const selects = compileLabelSelectorText(text);
    assert.ok(!isFault(selects));
    assert.equal(selects(labels), match);
  });
}
for (
  const text of [
    "=a",
    "a=b=c",
    "a in x",
    "a in (x",
    "a,",
    ",a",
    "a b",
    "!a=b",
    "a=(",
    "a>",
    "bad key!=x",
    "a in (x y)",
  ]
) {
  Deno.test(`labelSelector=${text} is invalid`, () => assert.ok(isFault(compileLabelSelectorText(text))));
}

const pod: Json = {
  metadata: { name: "a,b", namespace: "x" },
  status: { phase: "Running" },
  spec: { hostNetwork: true },
};
const fields: [text: string, match: boolean][] = [
  ["", true],
  ["metadata.namespace=x", true],
  ["metadata.namespace==x,status.phase!=Failed", true],
  ["metadata.name=a\\,b", true],
  ["spec.hostNetwork=true", true],
  ["spec.nodeName=", true],
  ["spec.nodeName!=", false],
];
for (const [text, match] of fields) {
  Deno.test(`fieldSelector=${text} ${match ? "selects" : "leaves out"}`, () => {
    const selects = compileFieldSelectorText(text);
    assert.ok(!isFault(selects));
    assert.equal(selects(pod), match);
  });
}
for (const text of ["metadata.name", "a=b=c", "a=\\x"]) {
  Deno.test(`fieldSelector=${text} is invalid`, () => assert.ok(isFault(compileFieldSelectorText(text))));
}

Deno.test("labels whose value is no text do not count", () => {
  assert.deepEqual(labelsOf({ metadata: { labels: { a: "1" } } }), { a: "1" });
  assert.deepEqual(labelsOf({ metadata: { labels: { a: "1", b: 2 } } }), {});
  assert.deepEqual(labelsOf({ metadata: null }), {});
});

Deno.test("parsing never throws, for any selector text", () => {
  const tokens = fc.constantFrom(
    "a",
    "b",
    "in",
    "notin",
    "=",
    "==",
    "!=",
    "!",
    "(",
    ")",
    ",",
    " ",
    "<",
    ">",
    "\\",
  );
  fc.assert(fc.property(fc.array(tokens, { maxLength: 12 }), (parts) => {
    compileLabelSelectorText(parts.join(""));
    compileFieldSelectorText(parts.join(""));
  }));
});
