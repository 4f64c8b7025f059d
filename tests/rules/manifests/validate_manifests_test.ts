/** `validate.manifests`: what a rule says of an object, its signed manifest and its signatures. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { evaluate } from "../../../lib/engine/mod.ts";
import { dig, type JsonObject } from "../../../lib/json/mod.ts";
import type { ApiCall, Cluster, SignedTextAnswer, SignedTextQuery } from "../../../lib/ports.ts";
import { pod, policies, ports, request } from "../../engine/ports.ts";
import { ScriptedSignatures } from "../verify_images/scripted_signatures.ts";

/** Signatures of texts that are the name of the key that made them. */
class TextSignatures extends ScriptedSignatures {
  texts = 0;

  constructor() {
    super({});
  }

  override verifyText(query?: SignedTextQuery): Promise<SignedTextAnswer> {
    this.texts++;
    const { by, signature } = query!;
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

/** The title, the rule, the object, and the rule's message. */
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
  [
    "with a manifest that is no base64",
    `attestors: ${one("A")}`,
    signedPod({ message: "!!" }),
    failed(
      "YAML manifest not found for this resource: " +
        "failed to decode base64 message in the annotation: illegal base64 data at input byte 0",
    ),
  ],
  [
    "changed in a field whose path has an ignored field in its middle",
    `attestors: ${one("A")}, ignoreFields: [{objects: [{kind: Pod}], fields: [containers, "spec.c"]}]`,
    signedPod({ spec: changed }),
    failed(difference),
  ],
  ["with a later change", `attestors: ${one("A")}`, signedPod({ spec: changed }), failed(difference)],
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
    "by none of the nested entries",
    `attestors: [{entries: [{attestor: {entries: [${key("B")}]}}]}]`,
    signedPod(),
    unverified(1)
      .replace(
        "manifest verification: ",
        "manifest verification: failed to verify signature; .attestors[0].entries[0].attestor: ",
      )
      .replace(
        ".attestor: .attestors[0].entries[0].keys",
        ".attestor: .attestors[0].entries[0].attestor.entries[0].keys",
      ),
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

function policyWith(rule: string, kind: "ClusterPolicy" | "Policy" = "ClusterPolicy"): string {
  return `
apiVersion: kyverno.io/v1
kind: ${kind}
metadata: {name: p${kind === "Policy" ? ", namespace: default" : ""}}
spec:
  background: false
  rules:
  - name: signed
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {failureAction: Enforce, manifests: {${rule}}}
`;
}

async function resultsFor(
  rule: string,
  object: JsonObject,
  change: Parameters<typeof request>[1] = {},
  cluster: Cluster = ports().cluster,
) {
  return await resultsOf(policyWith(rule), request(object, change), cluster);
}

async function resultsOf(policy: string, about: ReturnType<typeof request>, cluster: Cluster) {
  const signatures = new TextSignatures();
  const snapshot = policies(policy, { dialect: "current" });
  const decision = await evaluate(snapshot, about, {
    phase: "validate",
    ports: { ...ports(), signatures, cluster },
  });
  const rows = decision.results.flatMap(({ rules }) =>
    rules.map(({ result, message }) => `${result} ${message}`)
  );
  return { rows, signatures };
}

for (const [what, rule, object, expected] of cases) {
  Deno.test(`a manifest signed ${what}`, async () => {
    assert.deepEqual((await resultsFor(rule, object)).rows, [expected]);
  });
}

Deno.test("a deleted object is not compared with its manifest", async () => {
  const { rows, signatures } = await resultsFor(`attestors: ${one("A")}`, signedPod(), {
    operation: "DELETE",
  });
  assert.deepEqual([rows, signatures.texts], [[], 0]);
});

Deno.test("a manifest that decompresses to very many bytes is refused", async () => {
  const message = packed(" ".repeat(5_000_000));
  const { rows } = await resultsFor(`attestors: ${one("A")}`, signedPod({ message }));
  assert.match(rows.join(), /message not found/);
});

/** A cluster that fills in a field of what is created, or refuses; it records the calls. */
function fillingIn(refuses = false): { readonly cluster: Cluster; readonly calls: ApiCall[] } {
  const calls: ApiCall[] = [];
  const cluster: Cluster = {
    resource: (apiVersion, kind) =>
      Promise.resolve({ group: "", version: apiVersion, kind, plural: "pods", namespaced: true }),
    call(call) {
      calls.push(call);
      if (refuses) return Promise.resolve({ ok: false, status: 403, message: "pods is forbidden" });
      const body = call.body as JsonObject;
      const spec = { ...body["spec"] as JsonObject, runtimeClassName: "filled-in" };
      return Promise.resolve({ ok: true, status: 201, body: { ...body, spec } });
    },
  };
  return { cluster, calls };
}

const filled: JsonObject = { ...signed, runtimeClassName: "filled-in" };
const enabled = "dryRun: {enable: true}";

Deno.test("with dryRun an object may have fields that the API server sets by default", async () => {
  const { cluster, calls } = fillingIn();
  const { rows } = await resultsFor(
    `${enabled}, attestors: ${one("A")}`,
    signedPod({ spec: filled }),
    {},
    cluster,
  );
  assert.deepEqual(rows, [passed]);
  assert.deepEqual(calls.map(({ method, path, body }) => [method, path, dig(body, "metadata", "name")]), [
    ["POST", "/api/v1/namespaces/default/pods?dryRun=All", "web-dry-run"],
  ]);
});

/**
 * Cases in which the dry run changes nothing about the result: the rule, its dry-run settings, the object, whether
 * the cluster refuses, the number of calls, and the result.
 */
const dryRuns: readonly (readonly [
  what: string,
  rule: string,
  spec: JsonObject,
  refuses: boolean,
  calls: number,
  said: RegExp,
])[] = [
  ["not enabled", `attestors: ${one("A")}`, filled, false, 0, /^fail .*"key":"spec\.runtimeClassName"/],
  ["switched off", `dryRun: {enable: false}, attestors: ${one("A")}`, filled, false, 0, /^fail .*diff found/],
  [
    "not allowed",
    `${enabled}, attestors: ${one("A")}`,
    filled,
    true,
    1,
    /^fail .*"key":"spec\.runtimeClassName"/,
  ],
  ["not needed", `${enabled}, attestors: ${one("A")}`, signed, false, 0, /^pass /],
  ["of a manifest that nobody signed", `${enabled}, attestors: ${one("B")}`, filled, false, 0, /^error /],
  [
    "that does not explain the difference",
    `${enabled}, attestors: ${one("A")}`,
    changed,
    false,
    1,
    /^fail .*"after":"a:2","before":"a:1"/,
  ],
];
for (const [what, rule, spec, refuses, count, said] of dryRuns) {
  Deno.test(`a dry run that is ${what}`, async () => {
    const { cluster, calls } = fillingIn(refuses);
    const { rows } = await resultsFor(rule, signedPod({ spec }), {}, cluster);
    assert.match(rows.join(), said);
    assert.equal(calls.length, count);
  });
}

Deno.test("a dry run uses the rule's namespace, and needs the right to create", async () => {
  const { cluster, calls } = fillingIn();
  const rule = `dryRun: {enable: true, namespace: trials}, attestors: ${one("A")}`;
  await resultsFor(rule, signedPod({ spec: filled }), {}, cluster);
  assert.deepEqual(calls.map(({ path }) => path), ["/api/v1/namespaces/trials/pods?dryRun=All"]);
  const { policies: [compiled] } = policies(policyWith(rule), { dialect: "current" });
  assert.deepEqual(compiled!.rules[0]!.needs, [
    { kind: "resource", group: "", resource: "pods", verbs: ["create"] },
  ]);
});

Deno.test("the dry run of a Policy is in its namespace", async () => {
  const { cluster, calls } = fillingIn();
  const rule = `dryRun: {enable: true, namespace: trials}, attestors: ${one("A")}`;
  await resultsOf(policyWith(rule, "Policy"), request(signedPod({ spec: filled })), cluster);
  assert.deepEqual(calls.map(({ path }) => path), ["/api/v1/namespaces/default/pods?dryRun=All"]);
});
