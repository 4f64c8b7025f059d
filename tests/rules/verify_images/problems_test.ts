import assert from "node:assert/strict";
import { policies } from "../../engine/ports.ts";
import { policy } from "./setting.ts";

const enforced = "failureAction: Enforce";
const key = "{keys: {publicKeys: A}}";

/** Entries, and why Kyverno refuses a policy with them. */
const refused: readonly (readonly [string, string])[] = [
  [`imageReferences: [a]`, "mutateDigest must be set to false for ‘Audit’ failure action"],
  [`${enforced}, attestors: [{entries: [${key}]}]`, "An image reference is required"],
  [
    `${enforced}, imageReferences: ["{{ request.operation }}:*"]`,
    "variables are not allowed in image reference",
  ],
  [`${enforced}, imageReferences: ["a*"], attestors: [{entries: []}]`, "An entry is required"],
  [
    `${enforced}, imageReferences: ["a*"], attestors: [{count: 2, entries: [${key}]}]`,
    "Count cannot exceed length of entries",
  ],
  [
    `${enforced}, imageReferences: ["a*"], attestors: [{count: 0, entries: [${key}]}]`,
    "count should be greater than or equal to 1",
  ],
  [
    `${enforced}, imageReferences: ["a*"], attestors: [{entries: [{}]}]`,
    "keys, certificates, keyless, or a nested attestor is required",
  ],
  [
    `${enforced}, imageReferences: ["a*"], attestors: [{entries: [{attestor: {entries: [{keys: {}}]}}]}]`,
    "A public key, kms key or secret is required",
  ],
  [
    `${enforced}, imageReferences: ["a*"], attestors: [{entries: [{keys: {publicKeys: A, signatureAlgorithm: md5}}]}]`,
    "Invalid signature algorithm provided",
  ],
  [
    `${enforced}, imageReferences: ["a*"], attestors: [{entries: [{certificates: {}}]}]`,
    "cert or certChain required",
  ],
  [
    `${enforced}, imageReferences: ["a*"], attestors: [{entries: [{keyless: {subject: a}}]}]`,
    "Either Rekor URL or roots are required",
  ],
  [
    `${enforced}, type: Notary, imageReferences: ["a*"], attestors: [{entries: [${key}]}]`,
    "Keys field is not allowed for type notary",
  ],
];

for (const [entry, message] of refused) {
  Deno.test(`{${entry}} is refused at load: ${message}`, () => {
    const { diagnostics } = policies(policy(`[{${entry}}]`), { dialect: "current" });
    const errors = diagnostics.filter(({ severity }) => severity === "error").map((each) => each.message);
    assert.deepEqual(errors, [message]);
  });
}

/** Entries that can never pass, and what lint says of them. */
const hopeless: readonly (readonly [string, RegExp])[] = [
  [
    `imageReferences: [ghcr.io/acme/app], attestors: [{entries: [${key}]}]`,
    /No image ever matches "ghcr.io\/acme\/app"/,
  ],
  [`imageReferences: ["a*"], attestations: [{attestors: [{entries: [${key}]}]}]`, /has no type/],
  [
    `imageReferences: ["a*"], attestors: [{entries: [{certificates: {cert: x, certChain: y}}]}]`,
    /only with an embedded certificate timestamp/,
  ],
  [
    `type: SigstoreBundle, imageReferences: ["a*"], attestors: [{entries: [{keyless: {issuer: i, rekor: {}}}]}]`,
    /both an issuer and a subject/,
  ],
  [
    `imageReferences: ["a*"], attestations: [{type: t, attestors: [{entries: [{attestor: {entries: [${key}]}}]}]}]`,
    /nested attestor never verifies an attestation/,
  ],
];

for (const [entry, message] of hopeless) {
  Deno.test(`{${entry}} is told to be hopeless, and still runs`, () => {
    const { diagnostics } = policies(policy(`[{${enforced}, ${entry}}]`), { dialect: "current" });
    assert.deepEqual(diagnostics.filter(({ severity }) => severity === "error"), []);
    const [warning, ...more] = diagnostics.filter(({ severity }) => severity === "warning");
    assert.match(warning!.message, message);
    assert.equal(typeof warning!.position?.line, "number", "it says where");
    assert.deepEqual(more, []);
  });
}
