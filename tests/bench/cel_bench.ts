/**
 * CEL beside `@marcbachmann/cel-js`, each from a plain JSON object as a request brings it: the peer's integers are
 * bigints, so its object is walked and converted first, which ours needs not.
 *
 *     deno bench --allow-read --allow-env tests/bench/cel_bench.ts
 */
import { Environment } from "@marcbachmann/cel-js";
import { createEnvironment, dynType, isCelFault, kubernetesLibraries } from "../../lib/cel/mod.ts";

const object = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "web", namespace: "prod", labels: { app: "web", env: "prod" } },
  spec: {
    replicas: 3,
    containers: ["x1", "x2", "x3", "x4", "x"].map((image, index) => ({
      name: `c${index}`,
      image,
      ports: [{ containerPort: 80 + index }],
      resources: { limits: { cpu: "500m", memory: "1Gi" } },
      securityContext: { privileged: false },
    })),
  },
};

const expressions = {
  all: "object.spec.containers.all(c, c.image.startsWith('x'))",
  "has and compare":
    "has(object.metadata.labels) && object.metadata.labels['env'] == 'prod' && object.spec.replicas >= 2",
  in: "object.spec.containers.all(c, c.name in ['a', 'b', 'c', 'd', 'c0', 'c1', 'c2', 'c3', 'c4'])",
  "map, filter, size": "object.spec.containers.map(c, c.image).filter(i, i != 'x').size() == 4",
};

const ours = createEnvironment({ variables: { object: dynType }, libraries: kubernetesLibraries });
const peer = new Environment({ unlistedVariablesAreDyn: true });

/** The walk that the peer needs before it can compare whole numbers. */
function withBigints(value: unknown): unknown {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(withBigints);
  if (typeof value !== "object" || value === null) return value;
  const copy: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) copy[key] = withBigints(item);
  return copy;
}

for (const [group, text] of Object.entries(expressions)) {
  const compiled = ours.compile(text);
  if (!compiled.ok) throw new Error(`does not compile: ${text}`);
  const { program } = compiled;
  const activation = (name: string) => name === "object" ? object : undefined;
  const value = program.evaluate(activation);
  if (isCelFault(value) || value !== true) throw new Error(`is not true: ${text}`);
  const parsed = peer.parse(text);
  if (parsed({ object: withBigints(object) }) !== true) throw new Error(`is not true for the peer: ${text}`);
  Deno.bench(`Postern: ${group}`, { group, baseline: true }, () => {
    program.evaluate(activation);
  });
  Deno.bench(`@marcbachmann/cel-js: ${group}`, { group }, () => {
    parsed({ object: withBigints(object) });
  });
}
