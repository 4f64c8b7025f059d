/** Policies that are small one by one, and together more than the process has memory for. */
import assert from "node:assert/strict";
import { compile, evaluate, policyRequest } from "../../lib/engine/mod.ts";
import type { Json, JsonObject } from "../../lib/json/mod.ts";
import { parseReview } from "../../lib/kube/mod.ts";
import type { YamlDocument } from "../../lib/yaml/mod.ts";
import { admissionReview } from "../server/review.ts";
import { portsOf } from "../server/serving.ts";

function document(value: Json): YamlDocument {
  return { value, positionOf: () => ({ file: "policies.yaml", line: 1, column: 1 }) };
}

interface Parts {
  readonly namespace?: string;
  readonly values?: number;
  readonly spec?: JsonObject;
  readonly kind?: string;
}

function policy(name: string, { namespace, values = 1, spec = {}, kind }: Parts = {}): YamlDocument {
  return document({
    apiVersion: "kyverno.io/v1",
    kind: kind ?? (namespace === undefined ? "ClusterPolicy" : "Policy"),
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    spec: {
      ...spec,
      rules: [{
        name: "r",
        match: {
          any: [{ resources: { kinds: ["ConfigMap"], names: Array.from({ length: values }, String) } }],
        },
        validate: { message: "no", deny: {} },
      }],
    },
  });
}

interface Tried {
  readonly documents: readonly YamlDocument[];
  readonly namespace: string;
  readonly mostWeight: number;
  readonly kind?: JsonObject;
}

/** Whether a Pod, or an object of another kind, is admitted in a namespace. */
async function admits({ documents, namespace, mostWeight, kind }: Tried): Promise<boolean> {
  const review = admissionReview({ namespace });
  const request = { ...review["request"] as JsonObject, ...(kind && { kind }) };
  const parsed = parseReview({ ...review, request });
  assert.ok(parsed.ok);
  const snapshot = compile(documents, { mostWeight });
  const options = { phase: "validate", rules: "admission", ports: portsOf() } as const;
  return (await evaluate(snapshot, policyRequest(parsed.review.request), options)).allowed;
}

const small = policy("small"), others = policy("others", { namespace: "others" });
const heavy = Array.from(
  { length: 30 },
  (_, index) => policy(`p${index}`, { namespace: "team", values: 100 }),
);

Deno.test("of policies that fit nothing is left out", () => {
  const snapshot = compile([small, others, ...heavy], { mostWeight: 100_000 });
  assert.equal(snapshot.leftOut, 0);
  assert.equal(snapshot.policies.length, 32);
  assert.deepEqual(snapshot.diagnostics, []);
});

Deno.test("those of the namespace with the most are left out, with a diagnostic, and everything is denied there", async () => {
  const documents = [...heavy, small, others];
  const snapshot = compile(documents, { mostWeight: 1_000 });
  const keys = snapshot.policies.map(({ policy }) => policy.key);
  assert.ok(snapshot.leftOut > 15 && keys.includes("small") && keys.includes("others/others"));
  assert.ok(keys.includes("team/policies-left-out") && keys.includes("team/p0"));
  assert.deepEqual(snapshot.diagnostics.map(({ code, severity }) => [severity, code]), [[
    "error",
    "too-many-policies",
  ]]);
  assert.equal(await admits({ documents, namespace: "team", mostWeight: 1_000 }), false);
  assert.equal(await admits({ documents, namespace: "others", mostWeight: 1_000 }), true);
  assert.equal(await admits({ documents, namespace: "team", mostWeight: 100_000 }), true);
});

Deno.test("cluster policies that do not fit deny everywhere, but changes of policies", async () => {
  const documents = Array.from({ length: 30 }, (_, index) => policy(`p${index}`, { values: 100 }));
  assert.equal(await admits({ documents, namespace: "anywhere", mostWeight: 1_000 }), false);
  const changed = { group: "kyverno.io", version: "v1", kind: "ClusterPolicy" };
  assert.equal(await admits({ documents, namespace: "anywhere", mostWeight: 1_000, kind: changed }), true);
});

Deno.test("where failures are ignored nothing is denied for policies that are left out", () => {
  const { policies, leftOut } = compile(heavy, { mostWeight: 1_000, ignoreFailures: true });
  assert.ok(leftOut > 0 && policies.every(({ policy }) => policy.name !== "policies-left-out"));
});

const harmless: [what: string, documents: YamlDocument[]][] = [
  [
    "with failurePolicy Ignore",
    heavy.map((_, i) =>
      policy(`p${i}`, { namespace: "team", values: 100, spec: { failurePolicy: "Ignore" } })
    ),
  ],
  [
    "that are exceptions",
    heavy.map((_, i) => policy(`p${i}`, { namespace: "team", values: 100, kind: "PolicyException" })),
  ],
];
for (const [what, documents] of harmless) {
  Deno.test(`documents ${what} are left out, and nothing is denied for them`, async () => {
    assert.ok(compile(documents, { mostWeight: 1_000 }).leftOut > 0);
    assert.equal(await admits({ documents, namespace: "team", mostWeight: 1_000 }), true);
  });
}

Deno.test("20,000 policies beyond the limit are left out in the time of reading them", () => {
  const documents = Array.from(
    { length: 20_000 },
    (_, index) => policy(`p${index}`, { namespace: `n${index % 100}` }),
  );
  // Compiled they take a gigabyte.
  assert.ok(compile(documents, { mostWeight: 2_000 }).policies.length < 400);
});
