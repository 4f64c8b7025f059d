/** Policies that are small one by one, and together more than the process has memory for. */
import assert from "node:assert/strict";
import { compile, evaluate, policyRequest } from "../../lib/engine/mod.ts";
import type { Json, JsonObject } from "../../lib/json/mod.ts";
import { nameOf, parseReview, pluralOf } from "../../lib/kube/mod.ts";
import { PolicyBudget } from "../../lib/policy/mod.ts";
import type { YamlDocument } from "../../lib/yaml/mod.ts";
import { admissionReview } from "../server/review.ts";
import { portsOf } from "../server/serving.ts";

function document(value: Json): YamlDocument {
  return { value, file: "policies.yaml", positionOf: () => ({ file: "policies.yaml", line: 1, column: 1 }) };
}

interface Parts {
  readonly namespace?: string;
  readonly values?: number;
  readonly spec?: JsonObject;
  readonly kind?: string;
  readonly kinds?: readonly string[];
}

function policy(name: string, { namespace, values = 1, spec = {}, ...parts }: Parts = {}): YamlDocument {
  const { kind, kinds = ["Pod"] } = parts;
  return document({
    apiVersion: "kyverno.io/v1",
    kind: kind ?? (namespace === undefined ? "ClusterPolicy" : "Policy"),
    metadata: { name, ...(namespace !== undefined && { namespace }) },
    spec: {
      ...spec,
      rules: [{
        name: "r",
        match: {
          any: [{ resources: { kinds, names: Array.from({ length: values }, String) } }],
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

function resourceOf({ group, version, kind }: JsonObject): JsonObject {
  return { group: group!, version: version!, resource: pluralOf(String(kind)) };
}

/** Whether a Pod, or an object of another kind, is admitted in a namespace. */
async function admits({ documents, namespace, mostWeight, kind }: Tried): Promise<boolean> {
  const review = admissionReview({ namespace });
  const request = { ...review["request"] as JsonObject, ...(kind && { kind, resource: resourceOf(kind) }) };
  const parsed = parseReview({ ...review, request });
  assert.ok(parsed.ok);
  const snapshot = compile(documents, { budget: new PolicyBudget(mostWeight) });
  const options = { phase: "validate", rules: "admission", ports: portsOf() } as const;
  return (await evaluate(snapshot, policyRequest(parsed.review.request), options)).allowed;
}

const small = policy("small"), others = policy("others", { namespace: "others" });
const heavy = Array.from(
  { length: 30 },
  (_, index) => policy(`p${index}`, { namespace: "team", values: 100 }),
);

Deno.test("policies within the limit are all kept", () => {
  const snapshot = compile([small, others, ...heavy], { budget: new PolicyBudget(100_000) });
  assert.deepEqual(snapshot.leftOut, []);
  assert.equal(snapshot.policies.length, 32);
  assert.deepEqual(snapshot.diagnostics, []);
});

Deno.test("the policies of the largest namespace are left out with a diagnostic, and everything in it is denied", async () => {
  const documents = [...heavy, small, others];
  const snapshot = compile(documents, { budget: new PolicyBudget(1_000) });
  const keys = snapshot.policies.map(({ policy }) => policy.key);
  assert.ok(snapshot.leftOut.length > 15 && keys.includes("small") && keys.includes("others/others"));
  assert.ok(keys.includes("team/policies-left-out") && keys.includes("team/p0"));
  assert.deepEqual(snapshot.diagnostics.map(({ code, severity }) => [severity, code]), [[
    "error",
    "too-many-policies",
  ]]);
  assert.equal(await admits({ documents, namespace: "team", mostWeight: 1_000 }), false);
  assert.equal(await admits({ documents, namespace: "others", mostWeight: 1_000 }), true);
  assert.equal(await admits({ documents, namespace: "team", mostWeight: 100_000 }), true);
});

const anywhere = { namespace: "anywhere", mostWeight: 1_000 };
const clusterPolicies = (kinds?: readonly string[]) =>
  Array.from({ length: 30 }, (_, index) => policy(`p${index}`, { values: 100, ...(kinds && { kinds }) }));

Deno.test("left-out cluster policies deny everything except changes of policies", async () => {
  const documents = clusterPolicies(["*"]);
  assert.equal(await admits({ documents, ...anywhere }), false);
  const changed = { group: "kyverno.io", version: "v1", kind: "ClusterPolicy" };
  assert.equal(await admits({ documents, ...anywhere, kind: changed }), true);
});

const deployment = { group: "apps", version: "v1", kind: "Deployment" };
const secret = { group: "", version: "v1", kind: "Secret" };
for (
  const [kinds, denied, admitted] of [
    [["Pod"], [undefined, deployment], secret],
    [["apps/v1/Deployment"], [deployment], secret],
    [["Secret"], [secret], deployment],
  ] as const
) {
  Deno.test(`left-out policies about ${kinds} deny these kinds and their controllers, and nothing else`, async () => {
    const documents = clusterPolicies(kinds);
    for (const kind of denied) {
      assert.equal(await admits({ documents, ...anywhere, ...(kind && { kind }) }), false);
    }
    assert.equal(await admits({ documents, ...anywhere, kind: admitted }), true);
  });
}

Deno.test("policies about Pods and CEL policies weigh as much as their compiled forms", () => {
  const written = (kinds: readonly string[]) =>
    Array.from({ length: 10 }, (_, i) => policy(`p${i}`, { kinds }));
  const inCel = Array.from({ length: 10 }, (_, index) =>
    document({
      apiVersion: "policies.kyverno.io/v1",
      kind: "ValidatingPolicy",
      metadata: { name: `p${index}` },
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["secrets"] }],
        },
        validations: [{ expression: "true" }],
      },
    }));
  const leftOut = (documents: readonly YamlDocument[]) =>
    compile(documents, { budget: new PolicyBudget(400) }).leftOut.length;
  const classicInCel = written(["Secret"]).map(({ value }) => {
    const { spec, ...rest } = value as { spec: { rules: JsonObject[] } };
    const validate = { cel: { expressions: [{ expression: "true" }] } };
    return document({ ...rest, spec: { rules: spec.rules.map((rule) => ({ ...rule, validate })) } });
  });
  assert.equal(leftOut(written(["Secret"])), 0);
  assert.ok(leftOut(written(["Pod"])) > 3);
  assert.ok(leftOut(written(["v1/Pod"])) > 3);
  assert.ok(leftOut(classicInCel) > 3);
  assert.ok(leftOut(inCel) > 3);
});

Deno.test("a policy with the name of a denial does not replace it", async () => {
  const harmless = policy("policies-left-out", { namespace: "team", kinds: ["Secret"] });
  const documents = [harmless, ...heavy];
  assert.equal(await admits({ documents, namespace: "team", mostWeight: 1_000 }), false);
});

Deno.test("when failures are ignored, left-out policies deny nothing", () => {
  const { policies, leftOut } = compile(heavy, { budget: new PolicyBudget(1_000), ignoreFailures: true });
  assert.ok(leftOut.length > 0 && policies.every(({ policy }) => policy.name !== "policies-left-out"));
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
  Deno.test(`documents ${what} are left out, and deny nothing`, async () => {
    assert.ok(compile(documents, { budget: new PolicyBudget(1_000) }).leftOut.length > 0);
    assert.equal(await admits({ documents, namespace: "team", mostWeight: 1_000 }), true);
  });
}

/** A policy as the API server stores it. */
function stored(name: string, second: number, rest: JsonObject = {}): YamlDocument {
  const { value } = policy(name, { namespace: "team", values: 100, kinds: ["Secret"] });
  const { metadata, ...others } = value as { metadata: JsonObject };
  const creationTimestamp = `2026-01-01T00:00:0${second}Z`;
  return document({ ...others, ...rest, metadata: { ...metadata, creationTimestamp } });
}

Deno.test("each replica leaves out the youngest policies, in whatever order it lists them", () => {
  const policies = [stored("c", 1), stored("b", 2), stored("a", 2), stored("d", 0), stored("e", 3)];
  const file = policy("f", { namespace: "team", values: 100, kinds: ["Secret"] });
  const left = (documents: readonly YamlDocument[]) =>
    compile(documents, { budget: new PolicyBudget(620) }).leftOut.map(({ value }) =>
      nameOf(value as JsonObject)
    ).sort();
  const expected = ["b", "e"];
  assert.deepEqual(left([...policies, file]), expected);
  assert.deepEqual(left([file, ...policies.toReversed()]), expected);
  const status: JsonObject = { conditions: Array.from({ length: 300 }, () => ({ type: "Ready" })) };
  assert.deepEqual(left([...policies.slice(1), stored("c", 1, { status }), file]), expected, "with a status");
});

Deno.test("CleanupPolicies count for their namespace", () => {
  const cleaning = heavy.map((_, i) =>
    policy(`c${i}`, { namespace: "team", values: 100, kind: "CleanupPolicy" })
  );
  const snapshot = compile([...cleaning, ...clusterPolicies(["Secret"]).slice(0, 5)], {
    budget: new PolicyBudget(1_000),
  });
  assert.equal(snapshot.policies.filter(({ policy }) => policy.kind === "ClusterPolicy").length, 5);
  assert.ok(snapshot.leftOut.length > 0);
});

Deno.test("leaving out 20,000 policies takes no longer than reading them", () => {
  const documents = Array.from(
    { length: 20_000 },
    (_, index) => policy(`p${index}`, { namespace: `n${index % 100}` }),
  );
  // Compiled they take a gigabyte.
  assert.ok(compile(documents, { budget: new PolicyBudget(2_000) }).policies.length < 400);
});
