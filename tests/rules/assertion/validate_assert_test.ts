import assert from "node:assert/strict";
import { Context, LoadTracker } from "../../../lib/context/mod.ts";
import type { PathDiagnostic } from "../../../lib/diagnostics/mod.ts";
import type { Json, JsonObject } from "../../../lib/json/mod.ts";
import { parsePolicy } from "../../../lib/documents/mod.ts";
import type { Answer, Ports } from "../../../lib/ports.ts";
import { compileBodies, CompiledConditions, type Outcome } from "../../../lib/rules/mod.ts";

const nowhere = (): Promise<Answer> => Promise.resolve({ ok: false, status: undefined, message: "nowhere" });
const ports: Ports = {
  cluster: { call: nowhere, resource: () => Promise.resolve(undefined) },
  http: { call: nowhere },
  registry: { image: nowhere },
  globals: { entry: nowhere },
  clock: { now: () => 0 },
  entropy: { next: () => 0 },
};

/** Runs a rule with this tree for the creation of an object, with values in its context. */
function run(
  tree: Json,
  object: JsonObject,
  values: Readonly<Record<string, Json>> = {},
): Outcome | undefined {
  const names = Object.keys(values);
  const rule = {
    name: "r",
    match: { any: [{ resources: { kinds: ["Service"] } }] },
    context: names.map((name) => ({ name, variable: { value: 1 } })),
    validate: { assert: tree },
  };
  const document = { kind: "ClusterPolicy", metadata: { name: "p" }, spec: { rules: [rule] } };
  const { policy } = parsePolicy(document, () => undefined);
  const problems: PathDiagnostic[] = [];
  const [compiled] = compileBodies(policy.rules[0]!, {
    policy,
    dialect: "current",
    conditions: new CompiledConditions(),
    conflicts: () => [],
    report: (problem) => problems.push(problem),
    variables: () => {},
    need: () => {},
  });
  const { kind, body } = compiled!;
  assert.equal(kind, "assert");
  const request = { resource: { group: "", version: "v1", resource: "services" }, subResource: "status" };
  const user = { roles: ["ns:r"], clusterRoles: [], userInfo: { username: "u" } };
  const context = Context.root(
    { tracker: new LoadTracker({ ports }), environment: { now: () => 0, random: () => 0 } },
    { values: { request: { ...request, ...user }, ...values } },
  );
  const outcome = body.run({
    context,
    resource: object,
    oldResource: undefined,
    operation: "CREATE",
    group: "",
    version: "v1",
    kind: "Service",
    request,
    exceptions: [],
  });
  assert.ok(outcome?.result !== "list");
  assert.equal(problems.length > 0, outcome?.message.includes("SyntaxError") ?? false);
  return outcome;
}

const service = { spec: { type: "NodePort", ports: [80] } };

Deno.test("validate.assert passes with Kyverno's message", () => {
  assert.deepEqual(run({ object: { spec: { type: "NodePort" } } }, service), {
    result: "pass",
    message: "Validation rule 'r' passed.",
  });
});

Deno.test("validate.assert fails with all violated leaves", () => {
  const outcome = run({ object: { spec: { type: "ClusterIP", ports: [443] } } }, service);
  assert.equal(outcome?.result, "fail");
  assert.equal(
    outcome.message,
    'object.spec.type: Invalid value: "NodePort": Expected value: "ClusterIP"; ' +
      "object.spec.ports[0]: Invalid value: 80: Expected value: 443",
  );
});

Deno.test("validate.assert sees the request, and an absent object is empty", () => {
  const tree = {
    operation: "CREATE",
    oldObject: {},
    resourceKind: { group: "", version: "v1", kind: "Service", subResource: "status" },
    requestResource: { resource: "services" },
    admissionInfo: { roles: ["ns:r"], userInfo: { username: "u" } },
  };
  assert.equal(run(tree, service)?.result, "pass");
});

Deno.test("validate.assert binds context entries and nothing else", () => {
  const tree = { object: { spec: { "~.ports": { "(contains($allowed, @))": true } } } };
  assert.equal(run(tree, service, { allowed: [80, 443] })?.result, "pass");
  assert.equal(run(tree, service, { allowed: [443] })?.result, "fail");
  assert.deepEqual(run(tree, service), {
    result: "error",
    message:
      "failed to apply assertion: object.spec.~.ports[0].(contains($allowed, @)): Internal error: variable not defined: $allowed",
  });
});

Deno.test("validate.assert reports expressions that cannot be compiled, and its rule errors", () => {
  const outcome = run({ "(a b)": 1 }, service);
  assert.equal(outcome?.result, "error");
  assert.match(outcome.message, /SyntaxError/);
});
