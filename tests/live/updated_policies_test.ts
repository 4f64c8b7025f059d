/** Postern denies changes of a rule that its generated objects cannot follow, and warns of others. */
import assert from "node:assert/strict";
import { generate, policy, review } from "./admission_reviews.ts";

const stale = "no synchronization will be performed to the old target resource upon policy updates: " +
  "changes in the generate rule pattern could result in stale targets";

const generates = generate(
  "{apiVersion: v1, kind: ConfigMap, name: s, namespace: x, synchronize: true, data: {data: {a: b}}}",
);

const once = generates.replace("synchronize: true", "synchronize: false");

const loops = generates.replace("{apiVersion", "{foreach: [{list: a, apiVersion").replace("}}}", "}}}]}")
  .replace(" synchronize: true,", "");

const updates: readonly (readonly [what: string, former: string, rule: string, found: RegExp | string])[] = [
  ["may change the data", generates, generates.replace("a: b", "a: c"), ""],
  ["may change synchronize", generates, once, ""],
  ["must keep the name", generates, `${generates}\nname: other`, /immutable fields/],
  ["must keep the match", generates, generates.replace("[Namespace]", "[Pod]"), /immutable fields/],
  [
    "may change the match of a rule that does not synchronize",
    once,
    generates.replace("[Namespace]", "[Pod]"),
    "",
  ],
  ["must keep the context", once, `${once}\ncontext: [{name: a, variable: {value: b}}]`, /immutable fields/],
  [
    "must keep the exclude block",
    once,
    `${once}\nexclude: {any: [{resources: {kinds: [Pod]}}]}`,
    /immutable/,
  ],
  ["may move the target", generates, generates.replace("namespace: x", "namespace: z"), stale],
  [
    "may move the target and change the match",
    generates,
    generates.replace("namespace: x", "namespace: z").replace("[Namespace]", "[Pod]"),
    stale,
  ],
  ["may move the targets of loops", loops, loops.replace("namespace: x", "namespace: z"), ""],
];
for (const [what, former, rule, found] of updates) {
  Deno.test(`an update of a generate rule ${what}`, async () => {
    const named = (text: string): string =>
      policy(text.replace(/\nname: .*/, "")).replace(
        "name: r\n",
        `name: ${/\nname: (.*)/.exec(text)?.[1] ?? "r"}\n`,
      );
    const { allowed, message, warnings } = await review("/policyvalidate", named(rule), named(former));
    if (typeof found === "string") {
      assert.deepEqual([allowed, message, warnings], [true, "", found === "" ? [] : [found]]);
    } else assert.match(message, found);
  });
}
