/**
 * JMESPath: an expression compiled once and run often, beside the `jmespath` package, which reads the text each time.
 *
 *     deno bench tests/bench/jmespath_bench.ts
 */
import jmespath from "jmespath";
import { isFault, type Json, scopeOf } from "../../lib/json/mod.ts";
import { compileExpression } from "../../lib/jmespath/mod.ts";

const container = (index: number): Json => ({
  name: `c${index}`,
  image: index === 3 ? "x" : `registry.example.com/app:${index}`,
  resources: { limits: { memory: "128Mi" } },
});
const pod: Json = {
  request: {
    operation: "CREATE",
    object: {
      metadata: { name: "web", labels: { app: "web" } },
      spec: { containers: [0, 1, 2, 3, 4].map(container) },
    },
  },
};

const queries: Readonly<Record<string, string>> = {
  field: "request.object.metadata.labels.app",
  default: "request.object.metadata.labels.team || 'none'",
  filter: "request.object.spec.containers[?image=='x'].name | [0]",
  count: "length(request.object.spec.containers[?starts_with(image, 'registry')])",
};

const environment = { now: () => 0, random: () => 0 };
const scope = scopeOf(pod);

for (const [group, text] of Object.entries(queries)) {
  const compiled = compileExpression(text);
  if (isFault(compiled)) throw new Error(compiled.message);
  Deno.bench({ name: `${group}: compiled`, group, baseline: true }, () => {
    compiled.evaluate(scope, environment);
  });
  Deno.bench({ name: `${group}: jmespath.search`, group }, () => {
    jmespath.search(pod, text);
  });
}

Deno.bench("compile the filter", () => {
  compileExpression(queries.filter!);
});
