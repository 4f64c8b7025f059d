/** Postern denies storing a cleanup policy that is broken, or whose account lacks rights. */
import assert from "node:assert/strict";
import { review } from "./admission_reviews.ts";

const configMaps = "{any: [{resources: {kinds: [ConfigMap]}}]}";

const matching = (resources: string) => `match: {any: [{resources: {${resources}}}]}`;

const onConfigMaps = `match: ${configMaps}`;

const excluding = (resources: string) => `${onConfigMaps}, exclude: {any: [{resources: {${resources}}}]}`;

/** The spec of a cleanup policy, and the beginning of its refusal; `undefined` when it is stored. */
const cleanups:
  readonly (readonly [what: string, spec: string, message: RegExp | undefined, kind?: string])[] = [
    [
      "a ConfigMap in its context",
      `${onConfigMaps}, context: [{name: a, variable: {value: b}}, {name: x, configMap: {name: a, namespace: b}}]`,
      /^spec\.context\[1\]: ConfigMap is not allowed in CleanUp Policy$/,
    ],
    [
      "an image in its context",
      `${onConfigMaps}, context: [{name: x, imageRegistry: {reference: a}}]`,
      /^spec\.context\[0\]: ImageRegistry is not allowed in CleanUp Policy$/,
    ],
    [
      "a call in its context",
      `${onConfigMaps}, context: [{name: x, apiCall: {urlPath: /api/v1/nodes}}]`,
      undefined,
    ],
    [
      "any and all",
      `match: {any: [{resources: {kinds: [ConfigMap]}}], all: [{resources: {kinds: [ConfigMap]}}]}`,
      /^spec\.match: Can't specify any and all together$/,
    ],
    [
      "name and names",
      matching("kinds: [ConfigMap], name: a, names: [b]"),
      /^spec\.match\.any\[0\]: Both name and names can not be specified together$/,
    ],
    [
      "an empty selector to exclude",
      excluding("selector: {}"),
      /^spec\.exclude\.any\[0\]\.selector: The requirements are not specified in selector$/,
    ],
    [
      "an invalid selector",
      matching("kinds: [ConfigMap], selector: {matchLabels: {a b: c}}"),
      /Invalid value: "a b": name part must consist of/,
    ],
    [
      "a selector with wildcards",
      matching("kinds: [ConfigMap], selector: {matchLabels: {'a*': 'b?'}}"),
      undefined,
    ],
    ["wildcards in its kind", matching("kinds: ['Config*']"), /^failed to get GVR for kind Config\*/],
    ["a wildcard in the version", matching("kinds: ['*/ConfigMap']"), undefined],
    [
      "nothing left",
      `${onConfigMaps}, exclude: ${configMaps}`,
      /^spec: CleanupPolicy is matching an empty set$/,
    ],
    ["an empty list to exclude", `${onConfigMaps}, exclude: {any: []}`, /matching an empty set$/],
    ["nothing to exclude", `${onConfigMaps}, exclude: {}`, undefined],
    ["others to exclude", excluding("kinds: ['*'], names: [kept]"), undefined],
    [
      "a list of conditions",
      `${onConfigMaps}, conditions: [{key: a, operator: Equals, value: a}]`,
      /^spec\.conditions: /,
    ],
    [
      "namespaces to exclude",
      excluding("namespaces: [b]"),
      /^a CleanupPolicy is about its own namespace/,
      "CleanupPolicy",
    ],
    [
      "cluster-wide kinds to exclude",
      excluding("kinds: [Namespace]"),
      /^Namespace is a cluster-wide kind/,
      "CleanupPolicy",
    ],
    ["every kind to exclude", excluding("kinds: ['*'], names: [kept]"), undefined, "CleanupPolicy"],
  ];
for (const [what, spec, message, kind = "ClusterCleanupPolicy"] of cleanups) {
  Deno.test(`policy review of a cleanup ${message === undefined ? "takes" : "refuses"} ${what}: ${kind}`, async () => {
    const metadata = `{name: c${kind === "CleanupPolicy" ? ", namespace: team" : ""}}`;
    const text =
      `apiVersion: kyverno.io/v2\nkind: ${kind}\nmetadata: ${metadata}\nspec: {schedule: '@hourly', ${spec}}`;
    const { allowed, message: found } = await review("/cleanupvalidate", text);
    assert.equal(allowed, message === undefined, found);
    if (message !== undefined) assert.match(found, message);
  });
}

for (const length of [63, 64]) {
  Deno.test(`policy review of a cleanup ${length > 63 ? "refuses" : "takes"} a name of ${length} characters`, async () => {
    const text =
      `apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: {name: ${"c".repeat(length)}}\n` +
      `spec: {schedule: '@hourly', ${onConfigMaps}}`;
    const { message } = await review("/cleanupvalidate", text);
    assert.equal(message, length > 63 ? "metadata.name: Too long: may not be more than 63 bytes" : "");
  });
}
