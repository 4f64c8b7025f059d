import assert from "node:assert/strict";
import { policies } from "../../engine/ports.ts";
import { policy } from "./setting.ts";

const enforced = "failureAction: Enforce";
const key = "{keys: {publicKeys: A}}";
const pem = "-----BEGIN PUBLIC KEY-----\\nA\\n-----END PUBLIC KEY-----\\n";

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
  // Two keys in one text are one entry here.
  [
    `${enforced}, imageReferences: ["a*"], attestors: [{count: 2, entries: [{keys: {publicKeys: "${pem}${pem}"}}]}]`,
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
    `${enforced}, type: Notory, imageReferences: ["a*"], attestors: [{entries: [${key}]}]`,
    "type must be Cosign, SigstoreBundle or Notary, not Notory",
  ],
  [
    `failureAction: Enforced, mutateDigest: false, imageReferences: ["a*"], attestors: [{entries: [${key}]}]`,
    'failureAction cannot be "Enforced"',
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

const signed = `attestors: [{entries: [${key}]}]`;
const registry = /names no registry, and images without one get docker\.io/;

/** Entries that can never pass, and what is said of them when they are loaded. */
const hopeless: readonly (readonly [string, RegExp])[] = [
  [`imageReferences: [ghcr.io/acme/app], ${signed}`, /"ghcr\.io\/acme\/app": it names no tag/],
  [`imageReferences: ["nginx:*"], ${signed}`, registry],
  [`imageReferences: ["library/nginx:*"], ${signed}`, registry],
  [`imageReferences: ["https://ghcr.io/acme/*"], ${signed}`, /it is a URL/],
  [`imageReferences: ["ghcr.io/a/*, ghcr.io/b/*"], ${signed}`, /no image has such characters/],
  [`imageReferences: ["ghcr.io/a:v1@sha256:*"], ${signed}`, /a digest is matched without its tag/],
  [
    `imageReferences: ["ghcr.io/a/*"], skipImageReferences: ["ghcr.io/*"], ${signed}`,
    /skipImageReferences leaves out every image that "ghcr\.io\/a\/\*" matches/,
  ],
  [`imageReferences: ["a*"]`, /requires no signature, and required denies images that nobody verified/],
  [`imageReferences: ["a*"], attestations: [{${signed}}]`, /has no type/],
  [
    `imageReferences: ["a*"], annotations: {env: prod}, attestations: [{type: t, ${signed}}]`,
    /Attestations have no annotations/,
  ],
  [
    `imageReferences: ["a*"], attestations: [{type: t, attestors: [{entries: [{annotations: {a: b}, keys: {publicKeys: A}}]}]}]`,
    /Attestations have no annotations/,
  ],
  [
    `imageReferences: ["a*"], attestors: [{entries: [{certificates: {cert: x, certChain: "y"}}]}]`,
    /only with an embedded certificate timestamp/,
  ],
  [
    `imageReferences: ["a*"], attestors: [{entries: [{attestor: {entries: [{certificates: {cert: x, certChain: "y"}}]}}]}]`,
    /only with an embedded certificate timestamp/,
  ],
  [
    `type: SigstoreBundle, imageReferences: ["a*"], attestors: [{entries: [{keyless: {issuer: i, rekor: {}}}]}]`,
    /both an issuer and a subject/,
  ],
  [
    `type: SigstoreBundle, imageReferences: ["a*"], attestors: [{entries: [{certificates: {certChain: x}}]}]`,
    /never with certChain alone/,
  ],
  [
    `imageReferences: ["a*"], attestations: [{type: t, attestors: [{entries: [{attestor: {entries: [${key}]}}]}]}]`,
    /nested attestor never verifies an attestation/,
  ],
];

for (const [entry, message] of hopeless) {
  Deno.test(`{${entry}} is reported because it can never pass, and still runs`, () => {
    const { diagnostics } = policies(policy(`[{${enforced}, ${entry}}]`), { dialect: "current" });
    assert.deepEqual(diagnostics.filter(({ severity }) => severity === "error"), []);
    const [warning, ...more] = diagnostics.filter(({ severity }) => severity === "warning");
    assert.match(warning!.message, message);
    assert.equal(typeof warning!.position?.line, "number", "it says where");
    assert.deepEqual(more, []);
  });
}

Deno.test("a policy with match conditions verifies no images at admission, and a diagnostic warns of it", () => {
  const spec = "webhookConfiguration: {matchConditions: [{name: a, expression: 'true'}]}";
  const text = (more: string) => policy(`[{${enforced}, imageReferences: ["a*"], ${signed}${more}}]`, spec);
  const said = (more: string) =>
    policies(text(more), { dialect: "current" }).diagnostics.map((each) => each.message);
  assert.match(said("").join(), /verifies no images at admission, so every image is refused/);
  assert.deepEqual(said(", required: false"), []);
});

/** References that some image has; nothing is said of them. */
const matched = [
  "*",
  "*:*",
  "ghcr.io/acme/*",
  "ghcr.io/acme/app:v1",
  "ghcr.io/acme/app@sha256:*",
  "ghcr.io/acme/app*",
  "localhost/app:*",
  "localhost:5000/app:*",
  "registry:5000*",
  "registry:5000/app:*",
  "*/app:v1",
  "docker.io/nginx:*",
  "?*.acme.io/*",
];
for (const reference of matched) {
  Deno.test(`the reference ${reference} is the text of some image`, () => {
    const entry =
      `${enforced}, imageReferences: ["${reference}"], skipImageReferences: ["quay.io/*"], ${signed}`;
    assert.deepEqual(policies(policy(`[{${entry}}]`), { dialect: "current" }).diagnostics, []);
  });
}

Deno.test("messages name the policy's attestations, and no others", () => {
  const entry = (message: string) =>
    `${enforced}, imageReferences: ["a*"], attestations: [{type: t, name: scan, ${signed}}], validate: {message: "${message}", deny: {}}`;
  const said = (message: string) =>
    policies(policy(`[{${entry(message)}}]`), { dialect: "current" }).diagnostics.map((each) => each.message);
  assert.deepEqual(said("{{ scan.total }}"), []);
  assert.deepEqual(said("{{ other.total }}"), ['Cannot resolve "other" of "{{ other.total }}"']);
});
