/** The targets of policies are computed again only when a policy or the cluster's resources change. */
import assert from "node:assert/strict";
import { compile } from "../../lib/engine/mod.ts";
import { CachedConditions } from "../../lib/live/webhooks/cached_conditions.ts";
import { CachedTargets } from "../../lib/live/webhooks/cached_targets.ts";
import type { ServedResource } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

const { policies: [compiled] } = compile(
  parseDocuments(
    `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - name: a
    match: {any: [{resources: {kinds: [ConfigMap]}}]}
    validate: {message: m, pattern: {metadata: {labels: {team: "?*"}}}}
  - name: b
    match: {any: [{resources: {kinds: [Gadget]}}]}
    validate: {message: m, pattern: {metadata: {labels: {team: "?*"}}}}
`,
    "p.yaml",
  ).documents,
);

function served(...kinds: readonly string[]): ServedResource[] {
  return kinds.map((kind) => ({
    group: kind === "Gadget" ? "example.com" : "",
    version: "v1",
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced: true,
    verbs: ["create"],
    subresources: [],
    preferred: true,
  }));
}

Deno.test("the targets of a policy and of its rules are kept while the cluster serves the same", () => {
  const cached = new CachedTargets(), [a, b] = compiled!.rules;
  const found = (...kinds: readonly string[]) => {
    const targetsOf = cached.among(served(...kinds));
    return [compiled!, { ...compiled!, rules: [a!] }, { ...compiled!, rules: [b!] }].map((each) =>
      targetsOf(each, "validate")
    );
  };
  const first = found("ConfigMap", "Gadget"), second = found("ConfigMap", "Gadget");
  assert.deepEqual(first.map((targets) => targets.map(({ resource }) => resource)), [
    ["configmaps", "gadgets"],
    ["configmaps"],
    ["gadgets"],
  ]);
  for (const [index, targets] of second.entries()) assert.equal(targets, first[index]);
  const without = found("ConfigMap");
  assert.notDeepEqual(without, first);
  assert.equal(found("ConfigMap")[0], without[0]);
  assert.deepEqual(cached.among(served("ConfigMap"))(compiled!, "mutate"), []);
});

Deno.test("the match conditions of a policy are found once for its compiled form", () => {
  const { policies: [policy] } = compile(
    parseDocuments(
      `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  webhookConfiguration: {matchConditions: [{name: c, expression: "object.metadata.name != 'a'"}]}
  rules:
  - name: a
    match: {any: [{resources: {kinds: [ConfigMap]}}]}
    validate: {message: m, pattern: {metadata: {labels: {team: "?*"}}}}
`,
      "p.yaml",
    ).documents,
  );
  const cached = new CachedConditions(), found = cached.of(policy!);
  assert.deepEqual(found, [{ name: "c", expression: "object.metadata.name != 'a'" }]);
  assert.equal(cached.of(policy!), found);
});
