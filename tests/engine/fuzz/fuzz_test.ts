import assert from "node:assert/strict";
import fc from "fast-check";
import {
  compile,
  evaluate,
  type Operation,
  type Phase,
  type PolicyRequest,
} from "../../../lib/engine/mod.ts";
import { isObject, type Json, type JsonObject } from "../../../lib/json/mod.ts";
import { admissionResponse, reportFormats } from "../../../lib/report/mod.ts";
import { deepFreeze } from "../../patch/frozen.ts";
import { pod, ports, request } from "../ports.ts";
import { mutated, type Mutation, mutations } from "./mutation.ts";
import { policySeeds } from "./policies.ts";
import { processorTime } from "../../support/processor_time.ts";

const seeds = policySeeds();

const objects: readonly JsonObject[] = [
  pod({
    containers: [
      {
        name: "web",
        image: "nginx:1",
        env: [{ name: "B", value: "c" }],
        resources: { limits: { memory: "64Mi" } },
      },
      { name: "sidecar", image: "r.io/a/b@sha256:" + "a".repeat(64), ports: [{ containerPort: 80 }] },
    ],
    volumes: [{ name: "data", emptyDir: {} }],
  }, { labels: { app: "web", a: "b" }, annotations: { x: "{{ request }}" } }),
  {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default", labels: { app: "x" } },
    spec: { replicas: 3, template: { metadata: {}, spec: { containers: [{ name: "a", image: "b" }] } } },
  },
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } },
];

/** Answers of the API server before the fuzzer changes them: anybody may have written such objects. */
const answers: Readonly<Record<string, JsonObject>> = {
  "/api/v1/namespaces/default": { metadata: { name: "default", labels: { a: "b" } } },
  "/api/v1/namespaces/default/configmaps/web": { data: { x: "{{ request }}", y: "[1, 2" }, metadata: {} },
  "/apis/rbac.authorization.k8s.io/v1/rolebindings": {
    items: [{ metadata: { namespace: "default" }, subjects: [{ kind: "User", name: "bob" }], roleRef: {} }],
  },
  "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings": { items: [] },
};

interface Case {
  readonly policy: JsonObject;
  readonly policyChanges: readonly Mutation[];
  readonly object: JsonObject;
  readonly objectChanges: readonly Mutation[];
  readonly answerChanges: readonly Mutation[];
  readonly operation: Operation;
  readonly dialect: "classic" | "current";
}

const cases: fc.Arbitrary<Case> = fc.record({
  policy: fc.constantFrom(...seeds),
  policyChanges: mutations,
  object: fc.constantFrom(...objects),
  objectChanges: mutations,
  answerChanges: mutations,
  operation: fc.constantFrom("CREATE", "UPDATE", "DELETE", "CONNECT"),
  dialect: fc.constantFrom("classic", "current"),
});

const phases: readonly Phase[] = ["mutate", "validate", "generate", "mutateExisting"];

/** Long enough for a busy machine; what does not end in time hangs. */
const longest = 10_000;

Deno.test("the unchanged policies of the fuzz test have no diagnostics", () => {
  for (const seed of seeds) {
    const { diagnostics } = compile([documentOf(seed)]);
    assert.deepEqual(diagnostics.filter(({ severity }) => severity === "error"), [], JSON.stringify(seed));
  }
});

Deno.test("evaluation decides any policies and objects, twice the same, and modifies no input", async () => {
  await fc.assert(fc.asyncProperty(cases, decideTwice), { numRuns: 600 });
});

async function decideTwice(
  { policy, policyChanges, object, objectChanges, answerChanges, operation, dialect }: Case,
): Promise<void> {
  const document = deepFreeze(mutated(policy, policyChanges));
  const changed = mutated(object, objectChanges);
  const resource: JsonObject = deepFreeze(isObject(changed) ? changed : object);
  const fake = deepFreeze(changedAnswers(answerChanges));
  const began = processorTime();
  const snapshot = compile([documentOf(document), documentOf(seeds[0]!)], { dialect });
  const about = deepFreeze(requestOf(resource, object, operation));
  for (const phase of phases) {
    const decide = () =>
      evaluate(snapshot, about, { phase, ports: ports(fake), background: { actors: new Set(["postern"]) } });
    const [first, second] = [await decide(), await decide()];
    assert.deepEqual(plain(first), plain(second));
    const messages = first.results.flatMap(({ rules }) => rules.map(({ message }) => message));
    assert.deepEqual(messages.filter((message) => message.startsWith("internal error")), []);
    // Every decision has a response and an explanation.
    JSON.stringify(admissionResponse(first, about));
    const results = first.results.map(({ policy, rules }) => ({ policy, rules, resource }));
    for (const format of reportFormats.values()) {
      const options = { now: 0, version: "0", auditWarn: false, folder: "/" };
      format.open(options).add({ resource, results });
    }
  }
  assert.ok(processorTime() - began < longest, "it takes too long");
}

function changedAnswers(changes: readonly Mutation[]): Record<string, JsonObject> {
  const entries = Object.entries(answers).map(([path, body]) => {
    const changed = mutated(body, changes);
    return [path, isObject(changed) ? changed : body] as const;
  });
  return Object.fromEntries(entries);
}

/** As the API server asks, though objects may be nothing like what it lets through. */
function requestOf(resource: JsonObject, old: JsonObject, operation: Operation): PolicyRequest {
  const sane = request(old, { operation });
  const object = operation === "DELETE" ? undefined : resource;
  const oldObject = operation === "DELETE" ? resource : operation === "UPDATE" ? old : undefined;
  const variable = { ...sane.variable, object: object ?? null, oldObject: oldObject ?? null };
  return { ...sane, namespace: "default", object, oldObject, variable };
}

function documentOf(
  value: Json,
): { value: Json; file: string; positionOf: () => { file: string; line: number; column: number } } {
  return { value, file: "policy.yaml", positionOf: () => ({ file: "policy.yaml", line: 1, column: 1 }) };
}

function plain(decision: unknown): unknown {
  return JSON.parse(JSON.stringify(decision));
}
