/** How long conditions take to compile and to evaluate, in the style of real preconditions and deny rules. */
import { compileConditions, type Conditions } from "../../lib/condition/mod.ts";
import { isFault, type Json, scopeOf } from "../../lib/json/mod.ts";

const environment = { now: () => 0, random: () => 0 };

const scope = scopeOf({
  request: {
    operation: "CREATE",
    namespace: "prod",
    userInfo: { username: "alice", groups: ["system:authenticated", "dev", "ops"] },
    object: {
      metadata: { name: "web", labels: { app: "shop" } },
      spec: { replicas: 3, containers: [{ image: "nginx:1", resources: { limits: { memory: "512Mi" } } }] },
    },
  },
  many: Array.from({ length: 10_000 }, (_, index) => `name-${index}`),
});

function compiled(conditions: Json): Conditions {
  const result = compileConditions(conditions, { dialect: "current", evaluator: "rule" });
  if (isFault(result)) throw new Error(result.message);
  return result;
}

const sources: Readonly<Record<string, Json>> = {
  "preconditions on the operation": {
    all: [{ key: "{{ request.operation || 'BACKGROUND' }}", operator: "AnyIn", value: ["CREATE", "UPDATE"] }],
  },
  "any and all": {
    any: [
      { key: "{{ request.object.metadata.labels.app }}", operator: "Equals", value: "web-*" },
      { key: "{{ request.namespace }}", operator: "AllNotIn", value: ["kube-*", "default"] },
    ],
    all: [
      { key: "{{ request.userInfo.groups }}", operator: "AnyIn", value: ["dev", "admin*"] },
      { key: "{{ request.object.spec.replicas }}", operator: "GreaterThan", value: 1 },
    ],
  },
  "quantities": [
    {
      key: "{{ request.object.spec.containers[0].resources.limits.memory }}",
      operator: "LessThanOrEquals",
      value: "1Gi",
    },
  ],
  "a range": [{ key: "{{ request.object.spec.replicas }}", operator: "AnyIn", value: "1-10" }],
  "two lists of the request": [{ key: "{{ many }}", operator: "AllIn", value: "{{ many }}" }],
  "no variables": [{ key: "a", operator: "Equals", value: "a" }],
};

Deno.bench("compile any and all", { group: "compile" }, () => void compiled(sources["any and all"]!));

for (const [name, source] of Object.entries(sources)) {
  const conditions = compiled(source);
  Deno.bench(`evaluate ${name}`, { group: "evaluate" }, () => void conditions.evaluate(scope, environment));
}
