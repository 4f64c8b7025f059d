/** Policies share webhooks, and some have separate ones. */
import assert from "node:assert/strict";
import { compile } from "../../lib/engine/mod.ts";
import { asList, asString, dig, field } from "../../lib/json/mod.ts";
import { withoutRefused } from "../../lib/live/webhooks/refused_webhooks.ts";
import { configurationLabels } from "../../lib/live/installation.ts";
import { emptyWebhookConfigurations, WebhookRoutes } from "../../lib/live/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { all, celPolicy, configurations, noControllers, policy } from "./webhook_configurations.ts";

Deno.test("webhooks: policies of each failurePolicy share one, and policies with match conditions get separate ones", () => {
  const secrets = "match: {any: [{resources: {kinds: [Secret]}}]}";
  const text = [
    policy({ name: "a", match: secrets }),
    policy({ name: "b", match: secrets, spec: "failurePolicy: Ignore" }),
    policy({ name: "c", match: secrets, spec: "webhookConfiguration: {timeoutSeconds: 25}" }),
    policy({
      name: "d",
      match: secrets,
      spec: "webhookConfiguration: {matchConditions: [{name: x, expression: 'true'}]}",
    }),
  ].join("---");
  const webhooks = asList(field(configurations(text).validate, "webhooks"));
  assert.deepEqual(
    webhooks.map((each) => [
      asString(field(each, "name")),
      dig(each, "clientConfig", "service", "path"),
      field(each, "timeoutSeconds"),
      asList(field(each, "matchConditions")).length,
    ]),
    [
      ["validate.kyverno.svc-fail", "/validate/fail", 25, 2],
      ["validate.kyverno.svc-fail-finegrained-d", "/validate/fail/finegrained/d", 10, 1],
      ["validate.kyverno.svc-ignore", "/validate/ignore", 10, 0],
    ],
  );
});

Deno.test("webhooks: a webhook has the ConfigMap's selectors, labels and annotations, and excludes Postern's namespace", () => {
  const data = {
    webhooks: JSON.stringify({
      namespaceSelector: { matchLabels: { gate: "on" } },
      objectSelector: { matchLabels: { a: "b" } },
    }),
    webhookLabels: '{"x":"y"}',
    webhookAnnotations: '{"note":"n"}',
  };
  const { validate } = configurations(policy({ match: "match: {any: [{resources: {kinds: [Secret]}}]}" }), {
    data,
  });
  const [webhook] = asList(field(validate, "webhooks"));
  assert.deepEqual(field(webhook, "objectSelector"), { matchLabels: { a: "b" } });
  assert.deepEqual(dig(webhook, "namespaceSelector", "matchLabels"), { gate: "on" });
  assert.deepEqual(
    asList(dig(webhook, "namespaceSelector", "matchExpressions")).map((each) =>
      asList(field(each, "values"))[0]
    ),
    ["kube-system", "kyverno"],
  );
  assert.deepEqual(dig(validate, "metadata", "labels"), {
    x: "y",
    "webhook.kyverno.io/managed-by": "kyverno",
  });
  assert.equal(dig(validate, "metadata", "annotations", "note"), "n");
});

Deno.test("webhooks: each kind of policies.kyverno.io has separate webhooks", () => {
  const text = `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: labels}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [deployments]}]
  validations: [{expression: "true"}]
`;
  const [webhook] = asList(field(configurations(text).validate, "webhooks"));
  assert.equal(field(webhook, "name"), "vpol.validate.kyverno.svc-fail");
  assert.equal(dig(webhook, "clientConfig", "service", "path"), "/vpol/labels");
  assert.deepEqual(field(webhook, "rules"), [
    {
      apiGroups: ["apps"],
      apiVersions: ["v1"],
      operations: ["CREATE", "UPDATE"],
      resources: ["deployments"],
      scope: "*",
    },
  ]);
});

Deno.test("webhooks: a GeneratingPolicy gets every operation, without conditions, and fails no request", () => {
  const text = `
apiVersion: policies.kyverno.io/v1
kind: GeneratingPolicy
metadata: {name: makes}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  matchConditions: [{name: a, expression: "object.metadata.name == 'a'"}]
  generate: [{expression: "true"}]
`;
  const [webhook] = asList(field(configurations(text).validate, "webhooks"));
  assert.equal(field(webhook, "failurePolicy"), "Ignore");
  assert.equal(field(webhook, "matchConditions"), undefined);
  assert.deepEqual(field(asList(field(webhook, "rules"))[0], "operations"), all);
});

Deno.test("webhooks: a path with unreadable escapes names no policy", () => {
  const snapshot = compile([]);
  const routes = new WebhookRoutes(() => snapshot);
  assert.deepEqual(routes.find("/vpol/%E0%A4%A")?.snapshot.policies, []);
  assert.equal(routes.find("/%zz"), undefined);
});

Deno.test("webhooks: a path of the API server names policies between slashes, and leads to them", () => {
  const names = ["a", "b.c"];
  const text = names.map((name) => celPolicy(name, [], noControllers)).join("---");
  const namespaced = names.map((name) =>
    celPolicy(name, [], noControllers).replace("kind: Validating", "kind: NamespacedValidating")
      .replace(`{name: ${name}}`, `{name: ${name}, namespace: team}`)
  ).join("---");
  const { documents } = parseDocuments(`${text}---${namespaced}`, "p.yaml");
  const snapshot = compile(documents);
  const routes = new WebhookRoutes(() => snapshot);
  const paths = asList(field(configurations(`${text}---${namespaced}`).validate, "webhooks"))
    .map((webhook) => asString(dig(webhook, "clientConfig", "service", "path")) ?? "");
  assert.deepEqual(paths, ["/nvpol/team/a/team/b.c", "/vpol/a/b.c"]);
  assert.deepEqual(
    paths.map((path) => routes.find(path)?.snapshot.policies.map(({ policy }) => policy.key)),
    [["team/a", "team/b.c"], names],
  );
});

Deno.test("webhooks: names are unique and paths are short, however many policies there are", () => {
  const many = Array.from({ length: 100 }, (_, index) => celPolicy(`p${index}`, [], noControllers));
  const selecting = celPolicy("s", [], noControllers)
    .replace("{resourceRules", "{objectSelector: {matchLabels: {a: b}}, resourceRules");
  const webhooks = asList(field(configurations([...many, selecting].join("---")).validate, "webhooks"));
  const names = webhooks.map((webhook) => asString(field(webhook, "name")));
  assert.equal(new Set(names).size, 4);
  const paths = webhooks.map((webhook) => asString(dig(webhook, "clientConfig", "service", "path")) ?? "");
  assert.equal(paths.flatMap((path) => path.split("/").slice(2)).length, 101);
  assert.ok(paths.every((path) => path.split("/").length <= 42));
});

Deno.test("webhooks: only the webhook that the API server refuses is left out of a configuration", () => {
  const configuration = { webhooks: [{ name: "a" }, { name: "b" }, { name: "c" }] };
  const reason =
    'it is invalid: [webhooks[1].rules[0]: Required value, webhooks[1].name: Invalid value: "b"]';
  assert.deepEqual(withoutRefused(configuration, reason), {
    object: { webhooks: [{ name: "a" }, { name: "c" }] },
    fields: { refused: ["b"] },
  });
  assert.equal(withoutRefused(configuration, "the API server is away"), undefined);
});

Deno.test("webhooks: configurations of an installation beside Kyverno lack the label whose objects Kyverno deletes", () => {
  assert.deepEqual(configurationLabels("kyverno"), { "webhook.kyverno.io/managed-by": "kyverno" });
  for (const object of emptyWebhookConfigurations("postern")) {
    assert.deepEqual(dig(object, "metadata", "labels"), {
      "app.kubernetes.io/name": "postern",
      "app.kubernetes.io/managed-by": "postern",
    });
  }
});
