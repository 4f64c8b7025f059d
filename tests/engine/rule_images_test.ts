import assert from "node:assert/strict";
import { evaluate } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { pod, policies, ports, request } from "./ports.ts";

function policy(extractors: string, condition: string): string {
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - name: r
    match: {any: [{resources: {kinds: [Task, Pod]}}]}
    imageExtractors: ${extractors}
    validate: {message: "{{ ${condition} }}", deny: {}}`;
}

function messageOf(text: string, object: JsonObject): string {
  const decision = evaluate(policies(text), request(object), { phase: "validate", ports: ports() });
  assert.ok(!(decision instanceof Promise));
  return decision.results[0]!.rules[0]!.message;
}

const task: JsonObject = {
  apiVersion: "tekton.dev/v1",
  kind: "Task",
  metadata: { name: "t", namespace: "default" },
  spec: { steps: [{ name: "build", image: "ghcr.io/a/build:1" }, { name: "push", image: "docker://push" }] },
};

const cases: [name: string, extractors: string, expression: string, message: string][] = [
  [
    "finds images in a custom kind",
    "{Task: [{path: /spec/steps/*/image, jmesPath: \"trim_prefix(@, 'docker://')\"}]}",
    "images.custom.*.jsonPointer | join(',', sort(@))",
    "/spec/steps/0/image,/spec/steps/1/image",
  ],
  [
    "takes key, value and name",
    "{Task: [{path: /spec/steps/*, value: image, key: name, name: steps, jmesPath: \"trim_prefix(@, 'docker://')\"}]}",
    "join(',', keys(images.steps))",
    "build,push",
  ],
  [
    "transforms text before it is parsed",
    "{Task: [{path: /spec/steps/*, value: image, key: name, jmesPath: \"trim_prefix(@, 'docker://')\"}]}",
    "images.custom.push.registry",
    "docker.io",
  ],
];
for (const [name, extractors, expression, message] of cases) {
  Deno.test(`imageExtractors ${name}`, () =>
    assert.equal(messageOf(policy(extractors, expression), task), message));
}

Deno.test("imageExtractors replace the image paths of their kind, and of no other", () => {
  const object = pod({ containers: [{ name: "web", image: "nginx" }], extra: [{ image: "redis" }] });
  const configured = policy("{Pod: [{path: /spec/extra/*/image}]}", "join(',', keys(images))");
  assert.equal(messageOf(configured, object), "custom");
  const other = policy("{Task: [{path: /spec/extra/*/image}]}", "join(',', keys(images))");
  assert.equal(messageOf(other, object), "containers");
});

Deno.test("an unreadable image is a fault in place of the rule's images", () => {
  const condition = "{all: [{key: '{{ images.custom }}', operator: Equals, value: x}]}";
  const text = policy("{Task: [{path: /spec/steps/*/image}]}", "'a'") + `\n    preconditions: ${condition}`;
  assert.match(messageOf(text, task), /failed to extract images: invalid image 'docker:\/\/push'/);
});

Deno.test("an invalid image extractor is a diagnostic", () => {
  const { diagnostics } = policies(
    policy("{Task: [{value: image}, {path: /a/b, jmesPath: 'a('}]}", "request.name"),
  );
  assert.deepEqual(
    diagnostics.map(({ code, position }) => [code, position?.line]),
    [["missing-path", 9], ["bad-expression", 9]],
  );
});
