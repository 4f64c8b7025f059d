/** How long templates take to compile and to render, in the style of messages and mutations of real policies. */
import { scopeOf } from "../../lib/json/mod.ts";
import { compileTemplate } from "../../lib/template/mod.ts";

const environment = { now: () => 0, random: () => 0 };

const containers = Array.from({ length: 5 }, (_, index) => ({
  name: `c${index}`,
  image: `ghcr.io/org/app:${index}`,
  resources: { limits: { memory: "1Gi", cpu: "500m" } },
}));
const scope = scopeOf({
  request: {
    operation: "CREATE",
    namespace: "prod",
    userInfo: { username: "alice" },
    object: {
      metadata: { name: "web", labels: { app: "shop", team: "a" } },
      spec: { containers, replicas: 3 },
    },
  },
  element: containers[0]!,
  limits: { data: { shop: "10" } },
});

const message =
  "Pod {{ request.object.metadata.name }} in {{ request.namespace }} may not use {{ request.object.spec.containers[].image }}";

const mutation = {
  metadata: {
    labels: { "+(created-by)": "{{ request.userInfo.username }}", fixed: "yes", also: "fixed" },
    annotations: { "team/{{ request.object.metadata.labels.team }}": "{{ request.object.spec.replicas }}" },
  },
  spec: {
    containers: [{ "(name)": "*", imagePullPolicy: "Always", resources: { limits: { memory: "1Gi" } } }],
  },
};

const constant = { spec: { containers: [{ "(name)": "*", imagePullPolicy: "Always" }] } };

Deno.bench("compile a message", { group: "compile" }, () => void compileTemplate(message));
Deno.bench("compile a mutation", { group: "compile" }, () => void compileTemplate(mutation));

const templates = {
  "one variable": compileTemplate("{{ request.object.metadata.name }}"),
  "a message": compileTemplate(message),
  "a mutation": compileTemplate(mutation),
  "a constant document": compileTemplate(constant),
  "a nested variable": compileTemplate("{{ limits.data.{{ request.object.metadata.labels.app }} }}"),
};
for (const [name, template] of Object.entries(templates)) {
  Deno.bench(`render ${name}`, { group: "render" }, () => void template.render(scope, environment));
}
