import assert from "node:assert/strict";
import type { Json } from "../../../lib/json/mod.ts";
import { decideImages, digests, podOf, policy } from "./setting.ts";
import { ScriptedSignatures } from "./scripted_signatures.ts";

const provenance = "https://slsa.dev/provenance/v1", scan = "https://acme.test/scan/v1";

function statement(type: string, predicate: Json, by = "A") {
  return { type, predicate, statement: { predicateType: type, predicate }, by };
}

const script = {
  "r.io/good:v1": {
    digest: digests.one,
    signedBy: ["A"],
    statements: [statement(provenance, { builder: "ci" }), statement(scan, { total: 0 })],
  },
  "r.io/bad:v1": {
    digest: digests.two,
    signedBy: ["A"],
    statements: [statement(scan, { total: 3 }), statement(scan, { total: 0 })],
  },
  "r.io/list:v1": { digest: digests.three, signedBy: ["A"], statements: [statement(scan, [1])] },
};

const byA = "attestors: [{entries: [{keys: {publicKeys: A}}]}]";
const byB = "attestors: [{entries: [{keys: {publicKeys: B}}]}]";
const none =
  `conditions: [{all: [{key: "{{ total }}", operator: Equals, value: 0, message: "{{ total }} findings"}]}]`;
const failed = (why: string, path = ""): string =>
  `fail image attestations verification failed, verifiedCount: 0, requiredCount: 1, error: ${path}${why}`;
const path = ".attestations[0].attestors[0].entries[0].keys: ";

/** The rest of an entry, an image, and what the rule says of it. */
const cases: (readonly [string, string, readonly string[]])[] = [
  [`attestations: [{type: ${scan}, ${byA}}]`, "r.io/good:v1", [
    "pass verified image attestations for r.io/good:v1",
  ]],
  [`attestations: [{type: ${scan}, ${byB}}]`, "r.io/good:v1", [failed("no matching attestations: ")]],
  [`attestations: [{type: other, ${byA}}]`, "r.io/good:v1", [
    failed("attestions not found for predicate type other", path),
  ]],
  [`attestations: [{${byA}}]`, "r.io/good:v1", ["fail .attestations[0]: missing type"]],
  [`attestations: [{type: ${scan}, ${byA}, ${none}}]`, "r.io/good:v1", [
    "pass verified image attestations for r.io/good:v1",
  ]],
  // All statements of the type must fulfil the conditions, and one does not.
  [`attestations: [{type: ${scan}, ${byA}, ${none}}]`, "r.io/bad:v1", [
    failed(`attestation checks failed for r.io/bad:v1 and predicate ${scan}: 3 findings`, path),
  ]],
  [`attestations: [{type: ${scan}, ${byA}, ${none}}]`, "r.io/list:v1", [
    failed(`failed to extract predicate from statement of type ${scan}`, path),
  ]],
  // The variables of all conditions need a value, also of those that do not count.
  [
    `attestations: [{type: ${scan}, ${byA}, conditions: [{any: [{key: "{{ total }}", operator: Equals, value: 0}, {key: "{{ gone }}", operator: Equals, value: 0}]}]}]`,
    "r.io/good:v1",
    [
      failed(
        "failed to check attestations: failed to substitute variables in attestation conditions: " +
          'failed to resolve gone at path /0/any/1/key: JMESPath query failed: Unknown key "gone" in path',
        path,
      ),
    ],
  ],
  [`attestations: [{predicateType: ${scan}, ${byA}}]`, "r.io/good:v1", [
    "pass verified image attestations for r.io/good:v1",
  ]],
  // After attestors the image is called by the digest that they verified.
  [`${byA}, attestations: [{type: ${scan}, ${byA}}]`, "r.io/good:v1", [
    `pass verified image attestations for r.io/good@${digests.one}`,
  ]],
  [
    `attestations: [{name: s, type: ${scan}, ${byA}}], validate: {message: too many, deny: {conditions: {any: [{key: "{{ s.total }}", operator: GreaterThan, value: 0}]}}}`,
    "r.io/bad:v1",
    [
      "fail validation in verifyImages failed: too many",
    ],
  ],
  [
    `attestations: [{name: s, type: ${scan}, ${byA}}], validate: {message: too many, deny: {conditions: {any: [{key: "{{ s.gone }}", operator: Equals, value: 0}]}}}`,
    "r.io/bad:v1",
    [
      "fail validation in verifyImages failed: failed to check deny conditions: failed to substitute variables in condition key: " +
      `failed to resolve s.gone at path : JMESPath query failed: Unknown key "gone" in path`,
    ],
  ],
];

/** A denial without a message of the rule or of a condition. */
const silent =
  `attestations: [{name: s, type: ${scan}, ${byA}}], validate: {deny: {conditions: {any: [{key: "{{ s.total }}", operator: GreaterThan, value: 0}]}}}`;
cases.push([silent, "r.io/bad:v1", [
  "fail validation in verifyImages failed: validation error: imageVerify  failed",
]]);

const denied = (message: string): string =>
  `attestations: [{name: s, type: ${scan}, ${byA}}], validate: {message: many, deny: {conditions: {any: [{key: "{{ s.total }}", operator: GreaterThan, value: 0, message: "${message}"}]}}}`;

/** Messages of conditions of `validate.deny`, and those of the rule's result. */
const messages: readonly (readonly [string, string])[] = [
  ["{{ s.total }} findings", "many; 3 findings"],
  // When a variable has no value, the message is that of the condition alone, as it is written.
  ["{{ s.gone }} findings", "{{ s.gone }} findings"],
];

for (const [message, expected] of messages) {
  Deno.test(`an image that is denied with the message ${message}`, async () => {
    const text = policy(`[{imageReferences: ["r.io/*"], mutateDigest: false, ${denied(message)}}]`);
    const { rows } = await decideImages(text, podOf(["r.io/bad:v1"]), {
      signatures: new ScriptedSignatures(script),
    });
    assert.deepEqual(rows, [`fail validation in verifyImages failed: ${expected}`]);
  });
}

for (const [rest, image, expected] of cases) {
  Deno.test(`an entry with ${rest} about ${image}`, async () => {
    const plain = "mutateDigest: false, verifyDigest: false, required: false";
    const text = policy(`[{imageReferences: ["r.io/*"], ${plain}, ${rest}}]`);
    const { rows } = await decideImages(text, podOf([image]), { signatures: new ScriptedSignatures(script) });
    assert.deepEqual(rows, expected);
  });
}

/** The attestors of an attestation, and the signers that the port receives. */
const attestors: readonly (readonly [what: string, entry: string, roots: string])[] = [
  ["no attestors", `attestations: [{type: ${scan}}]`, ""],
  ["no attestors and roots", `roots: PEM, attestations: [{type: ${scan}}]`, "PEM"],
  [
    "a nested attestor",
    `attestations: [{type: ${scan}, attestors: [{entries: [{attestor: {entries: [{keys: {publicKeys: A}}]}}]}]}]`,
    "",
  ],
];

for (const [what, entry, roots] of attestors) {
  Deno.test(`an attestation with ${what} accepts any signer of the roots`, async () => {
    const signatures = new ScriptedSignatures(script);
    const text = policy(`[{imageReferences: ["r.io/*"], mutateDigest: false, ${entry}}]`);
    const { rows } = await decideImages(text, podOf(["r.io/good:v1"]), { signatures });
    assert.deepEqual(
      signatures.queries.map(({ by, log }) => [by.kind, by.kind === "keyless" && by.roots, log.ignoreSct]),
      [["keyless", roots, true]],
    );
    assert.deepEqual(rows, [failed("no matching attestations: ")]);
  });
}

Deno.test("a nested attestor of an attestation is not satisfied by any signer of the trusted root", async () => {
  const signatures = new ScriptedSignatures({
    "r.io/good:v1": { digest: digests.one, statements: [statement(scan, { total: 0 }, "keyless")] },
  });
  const nested = "attestors: [{entries: [{attestor: {entries: [{keys: {publicKeys: A}}]}}]}]";
  const text = policy(
    `[{imageReferences: ["r.io/*"], mutateDigest: false, attestations: [{type: ${scan}, ${nested}}]}]`,
  );
  const { rows } = await decideImages(text, podOf(["r.io/good:v1"]), { signatures });
  assert.deepEqual(rows, [failed("nested attestors cannot be asked for attestations")]);
});
