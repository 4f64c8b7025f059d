/** Attestations of an ImageValidatingPolicy: statements that Cosign signs, artifacts that the Notary Project signs. */
import assert from "node:assert/strict";
import type { Json } from "../../../lib/json/mod.ts";
import type { ReferrerQuery } from "../../../lib/ports.ts";
import { ScriptedSignatures } from "./scripted_signatures.ts";
import { decideImages, digests, imageValidatingPolicy, lax, podOf } from "./setting.ts";

/** An image with a statement of A and an artifact that a certificate signed; the registry lists another one first. */
class SignedArtifacts extends ScriptedSignatures {
  constructor(artifact: readonly Json[] = [{ name: "signed artifact" }]) {
    const signed = (type: string, by: string, statement: Json) => ({
      type,
      by,
      predicate: statement,
      statement,
    });
    super({
      "r.io/one:v1": {
        digest: digests.one,
        statements: [
          signed("scan", "A", { name: "signed statement" }),
          ...artifact.map((each) => signed("sbom", "certificates", each)),
          ...(artifact.length === 0 ? [signed("other", "certificates", {})] : []),
        ],
      },
    });
  }

  override referrer(query?: ReferrerQuery): Promise<never> {
    const listed = { ok: true, status: 200, body: { name: `listed ${query?.artifactType}` } };
    return Promise.resolve(listed as never);
  }
}

function policy(attestation: string, validation: string): string {
  return imageValidatingPolicy(`${lax}
attestations: [{name: x, ${attestation}}]
validations: [{message: "no", expression: "${validation}"}]`).replace(
    "  attestors: [",
    "  attestors: [{name: b, notary: {certs: {value: C}}}, ",
  );
}

const both = "intoto: {type: scan}, referrer: {type: sbom}", image = "images.containers[0]";
const verifies = (attestor: string): string =>
  `verifyAttestationSignatures(${image}, attestations.x, [attestors.${attestor}]) == 1`;
const nameIs = (name: string): string => `extractPayload(${image}, attestations.x).name == '${name}'`;

/** An attestation and a validation of a policy, and its result for the image. */
const cases: readonly (readonly [string, attestation: string, validation: string, expected: string])[] = [
  ["Cosign signs the statement", both, verifies("a"), "pass success"],
  ["the Notary Project signs the artifact", both, verifies("b"), "pass success"],
  [
    "the statement is the payload",
    both,
    `${verifies("a")} && ${nameIs("signed statement")}`,
    "pass success",
  ],
  [
    "the artifact is no payload",
    both,
    `${verifies("b")} && ${nameIs("signed artifact")}`,
    "error failed to evaluate policy: failed to get payload: intoto attestation payload cannot be fetch before verifying intoto attestation",
  ],
];

for (const [title, attestation, validation, expected] of cases) {
  Deno.test(`an attestation that names a statement and an artifact means the one that its attestor signs: ${title}`, async () => {
    const { rows } = await decideImages(policy(attestation, validation), podOf(["r.io/one:v1"]), {
      phase: "validate",
      signatures: new SignedArtifacts(),
    });
    assert.deepEqual(rows, [expected]);
  });
}

const artifact = "referrer: {type: sbom}";

Deno.test("the payload of an artifact is the verified one, not what the registry lists first by now", async () => {
  const check = async (validation: string, signed?: readonly Json[]) => {
    const { rows } = await decideImages(policy(artifact, validation), podOf(["r.io/one:v1"]), {
      phase: "validate",
      signatures: new SignedArtifacts(signed),
    });
    return rows;
  };
  assert.deepEqual(await check(`${verifies("b")} && ${nameIs("signed artifact")}`), ["pass success"]);
  // Nobody asked whether it is signed.
  assert.deepEqual(await check(nameIs("listed sbom")), ["pass success"]);
  // A signed artifact need not be JSON, unless an expression reads it.
  assert.deepEqual(await check(verifies("b"), []), ["pass success"]);
  assert.deepEqual(await check(`${verifies("b")} && ${nameIs("x")}`, []), [
    "error failed to evaluate policy: failed to get payload: failed to unmarshal json for attestation x",
  ]);
});

Deno.test("any signed artifact of a type suffices for an ImageValidatingPolicy", async () => {
  const signatures = new SignedArtifacts();
  await decideImages(policy(artifact, verifies("b")), podOf(["r.io/one:v1"]), {
    phase: "validate",
    signatures,
  });
  assert.deepEqual(signatures.queries.map(({ want }) => want), [{ attestations: "sbom", any: true }]);
});

Deno.test("of several statements of a type the last one is the payload, as signers add theirs at the end", async () => {
  const scan = (name: string) => ({ type: "scan", by: "A", predicate: { name }, statement: { name } });
  const { rows } = await decideImages(
    policy("intoto: {type: scan}", `${verifies("a")} && ${nameIs("second")}`),
    podOf(["r.io/one:v1"]),
    {
      phase: "validate",
      signatures: new ScriptedSignatures({
        "r.io/one:v1": { digest: digests.one, statements: [scan("first"), scan("second")] },
      }),
    },
  );
  assert.deepEqual(rows, ["pass success"]);
});
