/** How a resource is walked along a pattern: maps, lists, anchors, and what a rule makes of the outcome. */
import assert from "node:assert/strict";
import type { Json } from "../../lib/json/mod.ts";
import { compile } from "./compile.ts";

/** The outcome is the status, then the path of a failure or the message of a skip or an error. */
type Case = readonly [name: string, pattern: Json, resource: Json, outcome: string];

const mismatchAt = "conditional anchor mismatch: resource value '2' does not match '1' at path";
const keyMissing = "conditional anchor mismatch: conditional anchor key doesn't exist in the resource";

const structure: readonly Case[] = [
  ["every key of the pattern must match", { a: 1, b: 2 }, { a: 1, b: 2, c: 3 }, "pass"],
  ["the failing key is named", { a: { b: 2 } }, { a: { b: 3 } }, "fail /a/b/"],
  ["a missing map fails at its path", { a: { b: 2 } }, {}, "fail /a/"],
  ["a map does not match a list", { a: { b: 2 } }, { a: [] }, "fail /a/"],
  ["a list does not match a map", { a: [{ b: 2 }] }, { a: {} }, "fail /a/"],
  ["an empty map matches any map", { a: {} }, { a: { b: 1 } }, "pass"],
  ["a single star requires the key", { a: "*" }, { a: { b: [] } }, "pass"],
  ["a single star fails at the parent", { a: { b: "*" } }, { a: { b: null } }, "fail /a/"],
  ["a scalar must match every element", { a: "b*" }, { a: ["b", "bc"] }, "pass"],
  ["a scalar fails at the list", { a: "b*" }, { a: ["b", "c"] }, "fail /a/"],
  ["a scalar accepts an empty list", { a: "b" }, { a: [] }, "pass"],
  ["a whole pattern may be a scalar", "a", "b", "fail /"],
  ["an addition anchor is a plain key here", { "+(a)": 1 }, { a: 1 }, "fail /+(a)/"],
  ["inherited names are no keys", { constructor: "*" }, {}, "fail /"],
];

const lists: readonly Case[] = [
  ["every element must match the map", { a: [{ b: 1 }] }, { a: [{ b: 1 }, { b: 2 }] }, "fail /a/1/b/"],
  ["further maps of the pattern have no effect", { a: [{ b: 1 }, { c: 1 }] }, { a: [{ b: 1 }] }, "pass"],
  ["an empty list matches", { a: [{ b: 1 }] }, { a: [] }, "pass"],
  ["an element that is no map fails", { a: [{ b: 1 }] }, { a: ["x"] }, "fail /a/0/"],
  ["a scalar in a list fails at the list", { a: ["b"] }, { a: ["b", "c"] }, "fail /a/"],
  ["an empty pattern list fails", { a: [] }, { a: [] }, "fail /a/"],
  ["lists in lists are compared by index", { a: [["x"], ["y"]] }, { a: [["x"], ["z"]] }, "fail /a/1/"],
  [
    "a shorter list of lists is an error",
    { a: [["x"], ["y"]] },
    { a: [["x"]] },
    "error validate Array failed, array length mismatch, resource Array len is 1 and pattern Array len is 2",
  ],
];

const conditions: readonly Case[] = [
  ["when a condition holds, the other keys count", { "(a)": 1, b: 2 }, { a: 1, b: 3 }, "fail /b/"],
  [
    "a condition that fails skips",
    { "(a)": 1, b: 2 },
    { a: 2, b: 3 },
    `skip ${mismatchAt} /a/`,
  ],
  ["a condition on a missing key skips", { "(a)": 1 }, {}, `skip ${keyMissing}`],
  [
    "a nested condition repeats its message",
    { "(a)": { "(b)": 1 } },
    { a: {} },
    `skip conditional anchor mismatch: ${keyMissing}`,
  ],
  ["elements that do not apply are passed over", { l: [{ "(a)": 1, b: 2 }] }, {
    l: [{ a: 3 }, { a: 1, b: 2 }],
  }, "pass"],
  ["elements that apply must match", { l: [{ "(a)": 1, b: 2 }] }, {
    l: [{ a: 3 }, { a: 1, b: 9 }],
  }, "fail /l/1/b/"],
  [
    "a list is skipped when no element applies",
    { l: [{ "(a)": 1 }] },
    { l: [{ a: 2 }, {}] },
    `skip ${mismatchAt} /l/0/a/; ${keyMissing}`,
  ],
  [
    "a condition that fails hides later failures",
    { "(a)": 1, "X(b)": 1 },
    { a: 2, b: 1 },
    `skip ${mismatchAt} /a/`,
  ],
  ["a failure after a condition that holds counts", { "(a)": 1, "=(b)": 3 }, { a: 1, b: 2 }, "fail /b/"],
  ["a failure before a skip counts", { "=(a)": 1, "=(b)": [{ "(x)": 1 }] }, { a: 2, b: [{}] }, "fail /a/"],
  ["a skip below does not count when another key applies", { "=(a)": [{ "(x)": 1 }], "=(b)": 1, c: 1 }, {
    a: [{ x: 2 }],
    b: 1,
    c: 2,
  }, "fail /c/"],
  [
    "a skip below counts when no key applies",
    { "=(a)": [{ "(x)": 1 }], c: 1 },
    { a: [{ x: 2 }], c: 2 },
    `skip ${mismatchAt} /a/0/x/`,
  ],
];

const otherAnchors: readonly Case[] = [
  ["equality accepts an absent key", { "=(a)": 1 }, {}, "pass"],
  ["equality compares a present key", { "=(a)": { b: 1 } }, { a: { b: 2 } }, "fail /a/b/"],
  ["negation accepts an absent key", { "X(a)": "null" }, {}, "pass"],
  ["negation rejects a present key", { s: { "X(a)": "null" } }, { s: { a: null } }, "fail /s/a/"],
  ["negation ignores inherited names", { "X(constructor)": "null" }, {}, "pass"],
  ["global accepts an absent key", { "<(a)": 1, b: 2 }, { b: 2 }, "pass"],
  [
    "global skips everything",
    { s: { "<(a)": 1 }, b: 2 },
    { s: { a: 2 }, b: 3 },
    "skip global anchor mismatch: resource value '2' does not match '1' at path /s/a/",
  ],
  [
    "a global mismatch under equality skips the map like its condition",
    { "=(a)": { "<(x)": 1 }, "=(b)": 1, c: 1 },
    { a: { x: 2 }, b: 1, c: 2 },
    "skip global anchor mismatch: resource value '2' does not match '1' at path /a/x/",
  ],
  ["existence needs one element", { "^(l)": [{ a: 1 }] }, { l: [{ a: 2 }, { a: 1 }] }, "pass"],
  [
    "existence needs one element for each map",
    { "^(l)": [{ a: 1 }, { a: 2 }] },
    { l: [{ a: 1 }] },
    "fail /l/",
  ],
  ["existence rejects an empty list", { "^(l)": [{ a: 1 }] }, { l: [] }, "fail /l/"],
  ["existence accepts an absent list", { "^(l)": [{ a: 1 }] }, {}, "pass"],
  ["existence does not count a skipped element", { "^(l)": [{ "(a)": 1 }] }, { l: [{ a: 2 }] }, "fail /l/"],
  ["existence needs a list", { "^(l)": [{ a: 1 }] }, { l: {} }, "fail /l/"],
  ["existence needs a list in the pattern", { "^(l)": "a" }, { l: [] }, "fail /l/"],
  ["existence needs maps in the pattern", { "^(l)": ["a"] }, { l: ["a"] }, "fail /l/"],
  [
    "a value that looks like an anchor skips nothing",
    { a: "x" },
    { a: "conditional anchor mismatch: global anchor mismatch" },
    "fail /a/",
  ],
];

const presence: readonly Case[] = [
  [
    "a failure is an error when no element has an existence key",
    { "^(l)": [{ a: 1 }], b: 1 },
    { b: 2 },
    "error resource value '2' does not match '1' at path /b/",
  ],
  ["an anchored key counts as present when any element has it", { l: [{ "(a)": 1 }], m: 1 }, {
    l: [{}, { a: 1 }],
    m: 2,
  }, "fail /m/"],
  [
    "an anchored key found in no element makes a failure an error",
    { l: [{ "^(a)": [{ b: 1 }] }], m: 1 },
    { l: [{}, {}], m: 2 },
    "error resource value '2' does not match '1' at path /m/",
  ],
  ["anchored keys of maps never reached do not matter", { l: [{ "^(a)": [{ b: 1 }] }], m: 1 }, {
    l: [],
    m: 2,
  }, "fail /m/"],
  ["a negated key stays a failure", { "^(l)": [{ a: 1 }], "X(b)": 1 }, { b: 2 }, "fail /b/"],
  ["equality keys may be absent", { "=(a)": 1, b: 1 }, { b: 2 }, "fail /b/"],
];

const order: readonly Case[] = [
  ["plain keys are compared in byte order", { b: 1, a: 1 }, { a: 2, b: 2 }, "fail /a/"],
  [
    "keys that may skip come before plain ones, the last first",
    { a: 1, b: { "(x)": 1 }, c: { "(x)": 1 } },
    { a: 2, b: { x: 2 }, c: { x: 3 } },
    "skip conditional anchor mismatch: resource value '3' does not match '1' at path /c/x/",
  ],
];

const metadata: readonly Case[] = [
  ["a star in a label's key matches a label", { metadata: { labels: { "app.io/*": "?*" } } }, {
    metadata: { labels: { "app.io/name": "web" } },
  }, "pass"],
  ["the path names the matching label", { metadata: { annotations: { "app.io/?": "x" } } }, {
    metadata: { annotations: { "app.io/a": "y" } },
  }, "fail /metadata/annotations/app.io/a/"],
  ["without a matching label the key fails as written", { metadata: { labels: { "app.io/*": "?*" } } }, {
    metadata: { labels: {} },
  }, "fail /metadata/labels/app.io/*/"],
  ["each of several labels must match", { metadata: { labels: { "a*": "x" } } }, {
    metadata: { labels: { a1: "x", a2: "y" } },
  }, "fail /metadata/labels/a2/"],
  ["a condition holds if one of several labels matches", { metadata: { labels: { "(a*)": "x", b: "y" } } }, {
    metadata: { labels: { a1: "z", a2: "x", b: "z" } },
  }, "fail /metadata/labels/b/"],
  [
    "anchors keep their meaning",
    {
      "=(metadata)": { "=(labels)": { "=(a*)": "x", "X(b*)": "null" } },
    },
    { metadata: { labels: { c: "y" } } },
    "pass",
  ],
  ["a negated wildcard rejects any such label", { metadata: { labels: { "X(b*)": "null" } } }, {
    metadata: { labels: { b1: "y" } },
  }, "fail /metadata/labels/b1/"],
  ["pod templates have metadata too", { spec: { template: { metadata: { labels: { "a*": "x" } } } } }, {
    spec: { template: { metadata: { labels: { a1: "x" } } } },
  }, "pass"],
  ["values that are no strings are dropped", { metadata: { labels: { a: 5, b: "x" } } }, {
    metadata: { labels: { b: "x" } },
  }, "pass"],
  [
    "stars elsewhere are ordinary characters",
    { spec: { "a*": "x" } },
    { spec: { ab: "x" } },
    "fail /spec/a*/",
  ],
];

const probes = {
  spec: {
    "^(containers)": [{
      livenessProbe: { tcpSocket: { port: "<3000" } },
      readinessProbe: { tcpSocket: { port: "3000" } },
    }],
  },
};
function probed(liveness: number): Json {
  const probe = (port: number) => ({ tcpSocket: { port } });
  return {
    spec: { containers: [{ name: "a" }, { livenessProbe: probe(liveness), readinessProbe: probe(3000) }] },
  };
}

const examples: readonly Case[] = [
  ["the documented probes match in one container", probes, probed(2999), "pass"],
  ["the documented probes do not match", probes, probed(3000), "fail /spec/containers/"],
  ["an image that is always pulled", {
    spec: { containers: [{ "(image)": "*:latest", imagePullPolicy: "Always" }] },
  }, {
    spec: { containers: [{ image: "a:1" }, { image: "a:latest", imagePullPolicy: "IfNotPresent" }] },
  }, "fail /spec/containers/1/imagePullPolicy/"],
];

for (
  const [name, pattern, resource, outcome] of [
    ...structure,
    ...lists,
    ...conditions,
    ...otherAnchors,
    ...presence,
    ...order,
    ...metadata,
    ...examples,
  ]
) {
  Deno.test(`patterns: ${name}`, () => {
    const result = compile(pattern).check(resource);
    const actual = result.status === "pass"
      ? "pass"
      : `${result.status} ${result.status === "fail" ? result.path : result.message}`;
    assert.equal(actual, outcome);
    if (result.status === "skip" || result.status === "error") assert.equal(result.path, "");
  });
}
