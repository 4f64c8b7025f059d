/**
 * A scan verifies the images of existing objects anew and ignores the annotations in which objects say that their
 * images are verified.
 */
import assert from "node:assert/strict";
import { rowsOf, scanDecision, scannedPolicies } from "../../lib/live/mod.ts";
import { compile } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { clusterPorts } from "../conformance/ports.ts";
import { podOf, policy, script } from "../rules/verify_images/setting.ts";
import { ScriptedSignatures } from "../rules/verify_images/scripted_signatures.ts";

const entry =
  '[{failureAction: Enforce, imageReferences: ["r.io/*"], attestors: [{entries: [{keys: {publicKeys: A}}]}]}]';
const classic = policy(entry, "background: true");

/** The same in CEL; digests are not asked for. */
const inCel = `---
apiVersion: policies.kyverno.io/v1
kind: ImageValidatingPolicy
metadata: {name: c}
spec:
  validationConfigurations: {verifyDigest: false}
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  attestors: [{name: a, cosign: {key: {data: A}, ctlog: {insecureIgnoreTlog: true}}}]
  validations:
  - expression: images.containers.all(i, verifyImageSignatures(i, [attestors.a]) > 0)
    message: not signed
`;

function noted(image: string, status: string): JsonObject {
  return {
    annotations: {
      "kyverno.io/verify-images": JSON.stringify({ [image]: status }),
      "kyverno.io/verify-images-scoped": JSON.stringify({
        version: 1,
        policies: { "/p": { check: { [image]: status } } },
      }),
    },
  };
}

const scans:
  readonly (readonly [what: string, policies: string, pod: JsonObject, rows: readonly string[]])[] = [
    [
      "an image that is signed and has no digest",
      classic,
      podOf(["r.io/one:v1"]),
      ["p/check pass verified image signatures for r.io/one:v1"],
    ],
    [
      "an unsigned image whose annotation says pass",
      classic,
      podOf(["r.io/none:v1"], noted("r.io/none:v1", "pass")),
      ["p/check fail failed to verify image r.io/none:v1: .attestors[0].entries[0].keys: no matching signatures: invalid signature"],
    ],
    [
      "a signed image whose annotation says fail",
      classic,
      podOf(["r.io/one:v1"], noted("r.io/one:v1", "fail")),
      ["p/check pass verified image signatures for r.io/one:v1"],
    ],
    [
      "a registry that cannot be reached",
      classic,
      podOf(["r.io/far:v1"]),
      [
        "p/check error failed to update digest: failed to fetch image reference: r.io/far:v1, error: refused",
        "p/check error failed to verify image r.io/far:v1: .attestors[0].entries[0].keys: connection refused",
      ],
    ],
    ["images that match no entry", classic, podOf(["other.io/one:v1"]), []],
    ["a policy without background scans", policy(entry, "background: false"), podOf(["r.io/none:v1"]), []],
    ["a policy in CEL", inCel, podOf(["r.io/one:v1"]), ["c/undefined pass success"]],
    ["a policy in CEL that fails", inCel, podOf(["r.io/two:v1"]), ["c/undefined fail not signed"]],
  ];
for (const [what, text, pod, expected] of scans) {
  Deno.test(`a scan of ${what}`, async () => {
    const snapshot = compile(parseDocuments(text, "p.yaml").documents, { dialect: "current" });
    const signatures = new ScriptedSignatures(script);
    const before = structuredClone(pod);
    const ports = { ...clusterPorts([]), signatures };
    const { results, object } = await scanDecision(scannedPolicies(snapshot), pod, ports);
    const rows = rowsOf(results, pod, 0);
    assert.deepEqual(
      rows.map((row) => `${row["policy"]}/${row["rule"]} ${row["result"]} ${row["message"]}`),
      expected,
    );
    assert.deepEqual(pod, before);
    assert.equal(object, pod, "nothing is pinned");
  });
}
