/** `validate.manifests`: what a rule says of an object, its signed manifest and its signatures. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { evaluate } from "../../../lib/engine/mod.ts";
import type { JsonObject } from "../../../lib/json/mod.ts";
import type { SignedTextAnswer, SignedTextQuestion } from "../../../lib/ports.ts";
import { pod, policies, ports, request } from "../../engine/ports.ts";
import { ScriptedSignatures } from "../verify_images/scripted_signatures.ts";

/** Signatures of texts that are the name of the key that made them. */
class TextSignatures extends ScriptedSignatures {
  texts = 0;

  constructor() {
    super({});
  }

  override verifyText(question?: SignedTextQuestion): Promise<SignedTextAnswer> {
    this.texts++;
    const { by, signature } = question!;
    return Promise.resolve(
      by.kind === "key" && by.key === signature
        ? { ok: true, signer: "" }
        : { ok: false, message: "invalid signature" },
    );
  }
}

const key = (name: string): string => `{keys: {publicKeys: ${name}}}`;
const one = (name: string): string => `[{entries: [${key(name)}]}]`;

const signed: JsonObject = { containers: [{ name: "c", image: "a:1" }] };
const packed = (text: string): string => gzipSync(text).toString("base64");
const manifest = (spec: JsonObject, name = "web"): string =>
  packed(JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec }));

/** A Pod with a manifest and signatures in its annotations. */
function signedPod(
  { message = manifest(signed), signatures = ["A"], spec = signed, domain = "cosign.sigstore.dev" } = {},
): JsonObject {
  const annotations: Record<string, string> = message === "" ? {} : { [`${domain}/message`]: message };
  for (const [index, signature] of signatures.entries()) {
    annotations[`${domain}/signature${index === 0 ? "" : `_${index}`}`] = signature;
  }
  return pod(spec, { annotations });
}

const path = ".attestors[0].entries[0].keys: ";
const passed = "pass verified manifest signatures; manifest verification succeeded; verifiedCount 1; " +
  "requiredCount 1; message singed by a valid signer: ";
const failed = (why: string): string =>
  `fail manifest verification failed; verifiedCount 0; requiredCount 1; message ${path}${why}`;
const unverified = (count: number): string =>
  `error error occurred during manifest verification: ${path}failed to verify signature: ` +
  `verification failed for ${count} signature. all trials: [${
    Array.from({ length: count }, (_, index) =>
      `"[publickey 1/1] [signature ${
        index + 1
      }/${count}] error: cosign.VerifyBlobCmd.Exec() returned an error: invalid signature"`).join(",")
  }]`;
const changed: JsonObject = { containers: [{ name: "c", image: "a:2" }] };
const difference = 'failed to verify signature. diff found; {"items":[{"key":"spec.containers.0.image",' +
  '"values":{"after":"a:2","before":"a:1"}}]}';

/** What it is about, the rule, the object, and what the rule says. */
const cases: readonly (readonly [string, string, JsonObject, string])[] = [
  ["as it was signed", `attestors: ${one("A")}`, signedPod(), passed],
  ["by another key", `attestors: ${one("B")}`, signedPod(), unverified(1)],
  ["with a second signature", `attestors: ${one("B")}`, signedPod({ signatures: ["A", "B"] }), passed],
  [
    "by nobody",
    `attestors: ${one("A")}`,
    signedPod({ signatures: [] }),
    failed("failed to verify signature: signature not found"),
  ],
  [
    "without a manifest",
    `attestors: ${one("A")}`,
    signedPod({ message: "" }),
    failed("YAML manifest not found for this resource: message not found"),
  ],
  [
    "with a manifest that is no gzip",
    `attestors: ${one("A")}`,
    signedPod({ message: "AAAA" }),
    failed("YAML manifest not found for this resource: message not found"),
  ],
  ["changed since", `attestors: ${one("A")}`, signedPod({ spec: changed }), failed(difference)],
  [
    "changed in a field that is ignored",
    `attestors: ${one("A")}, ignoreFields: [{objects: [{kind: Pod}], fields: [spec.containers.*.image]}]`,
    signedPod({ spec: changed }),
    passed,
  ],
  [
    "changed in a field that the API server sets",
    `attestors: ${one("A")}`,
    signedPod({ spec: { ...signed, enableServiceLinks: true } }),
    passed,
  ],
  [
    "changed in a field that is ignored for others",
    `attestors: ${one("A")}, ignoreFields: [{objects: [{kind: Service}], fields: [spec.containers.*.image]}]`,
    signedPod({ spec: changed }),
    failed(difference),
  ],
  [
    "as a manifest of another object of its kind",
    `attestors: ${one("A")}`,
    signedPod({ message: manifest(signed, "other") }),
    failed(
      'failed to verify signature. diff found; {"items":[{"key":"metadata.name","values":{"after":"web","before":"other"}}]}',
    ),
  ],
  [
    "by an entry whose key does not verify, and changed for the other entry",
    `attestors: [{count: 1, entries: [${key("A")}, ${key("B")}]}]`,
    signedPod({ spec: changed }),
    unverified(1).replace("entries[0]", "entries[1]"),
  ],
  [
    "in annotations of another domain",
    `attestors: ${one("A")}, annotationDomain: acme.test`,
    signedPod({ domain: "acme.test" }),
    passed,
  ],
  [
    "by one of two",
    `attestors: [{count: 1, entries: [${key("B")}, ${key("A")}]}]`,
    signedPod(),
    passed,
  ],
  [
    "without the annotations that an entry wants",
    "attestors: [{entries: [{keys: {publicKeys: A}, annotations: {env: prod}}]}]",
    signedPod(),
    "error error occurred during manifest verification: " +
    "annotations mismatch:  does not match expected value prod for key env",
  ],
];

async function ask(rule: string, object: JsonObject, change: Parameters<typeof request>[1] = {}) {
  const text = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  background: false
  rules:
  - name: signed
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {failureAction: Enforce, manifests: {${rule}}}
`;
  const signatures = new TextSignatures();
  const decision = await evaluate(policies(text, { dialect: "current" }), request(object, change), {
    phase: "validate",
    ports: { ...ports(), signatures },
  });
  const rows = decision.results.flatMap(({ rules }) =>
    rules.map(({ result, message }) => `${result} ${message}`)
  );
  return { rows, signatures };
}

for (const [what, rule, object, expected] of cases) {
  Deno.test(`a manifest signed ${what}`, async () => {
    assert.deepEqual((await ask(rule, object)).rows, [expected]);
  });
}

Deno.test("a deleted object is not compared with its manifest", async () => {
  const { rows, signatures } = await ask(`attestors: ${one("A")}`, signedPod(), { operation: "DELETE" });
  assert.deepEqual([rows, signatures.texts], [[], 0]);
});

Deno.test("a few bytes that stand for very many are no manifest", async () => {
  const message = packed(" ".repeat(5_000_000));
  const { rows } = await ask(`attestors: ${one("A")}`, signedPod({ message }));
  assert.match(rows.join(), /message not found/);
});
