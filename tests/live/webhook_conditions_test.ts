/** Match conditions of policies and of the ConfigMap are those of webhooks. */
import assert from "node:assert/strict";
import { asList, asString, dig, field, type JsonObject } from "../../lib/json/mod.ts";
import { readConfiguration } from "../../lib/live/configuration.ts";
import { celPolicy, configurations, noControllers, policy } from "./webhook_configurations.ts";

const byNodes = "postern-not-by-nodes", byServer = "postern-not-by-itself";

const aboutNodes = "postern-not-about-events-and-nodes";

const pods = "match: {any: [{resources: {kinds: [Pod]}}]}";

const conditionCases: readonly (readonly [
  what: string,
  policy: string,
  data: JsonObject,
  expected: readonly string[],
])[] = [
  ["nodes and the API server", policy({ match: pods }), {}, [byNodes, byServer]],
  [
    "the kinds that filters hide, in a policy about every kind",
    policy({ match: 'match: {any: [{resources: {kinds: ["*"]}}]}' }),
    {},
    [byNodes, byServer, aboutNodes],
  ],
  [
    "the kinds that filters hide, in a policy with conditions about them",
    policy({
      match: "match: {any: [{resources: {kinds: [Node]}}]}",
      spec: "webhookConfiguration: {matchConditions: [{name: x, expression: 'true'}]}",
    }),
    {},
    [byNodes, byServer, aboutNodes, "x"],
  ],
  [
    "no group that the ConfigMap does not exclude",
    policy({ match: pods }),
    { excludeGroups: "" },
    [byServer],
  ],
  [
    "no group with a wildcard, which the API server cannot compare",
    policy({ match: pods }),
    { excludeGroups: "system:nodes, system:serviceaccounts:*" },
    [byServer],
  ],
  [
    "no group some of whose users an entry of groups includes",
    policy({ match: pods }),
    { excludeGroups: "system:nodes, !auditors" },
    [byServer],
  ],
  [
    "no group some of whose users an entry of user names includes",
    policy({ match: pods }),
    { excludeUsernames: "!alice" },
    [byServer],
  ],
  [
    "no group some of whose users an entry of cluster roles includes",
    policy({ match: pods }),
    { excludeClusterRoles: "!auditor" },
    [byServer],
  ],
  [
    "no kind whose subresources the ConfigMap's filters show",
    policy({ match: 'match: {any: [{resources: {kinds: ["*"]}}]}' }),
    { resourceFilters: "[Node,*,*]" },
    [byNodes, byServer],
  ],
  [
    "no kind that the ConfigMap's filters show, in some namespaces or all",
    policy({ match: 'match: {any: [{resources: {kinds: ["*"]}}]}' }),
    { resourceFilters: "[Pod,default,*][Secret,*,a*]" },
    [byNodes, byServer],
  ],
  ["nothing where failures are ignored", policy({ match: pods, spec: "failurePolicy: Ignore" }), {}, []],
];
for (const [what, text, data, expected] of conditionCases) {
  Deno.test(`webhooks: conditions leave out requests that no policy sees: ${what}`, () => {
    const [webhook] = asList(field(configurations(text, { data }).validate, "webhooks"));
    const conditions = asList(field(webhook, "matchConditions"));
    assert.deepEqual(conditions.map((each) => field(each, "name")), expected);
    for (const each of conditions) {
      if (field(each, "name") !== aboutNodes) continue;
      assert.match(asString(field(each, "expression"))!, /"\/nodes"/);
      assert.doesNotMatch(asString(field(each, "expression"))!, /"\/pods"/);
    }
  });
}

Deno.test("webhooks: conditions of controllers are about their templates", () => {
  const [webhook] = asList(
    field(
      configurations(celPolicy("p", ["object.metadata.name == 'a'"])).validate,
      "webhooks",
    ),
  );
  const kind = (apiVersion: string, name: string): string =>
    `(object.apiVersion == '${apiVersion}' && object.kind =='${name}')`;
  const controllers = ["DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"].map((name) =>
    kind("apps/v1", name)
  );
  assert.deepEqual(field(webhook, "matchConditions"), [
    { name: "autogen-c0", expression: `!(${kind("v1", "Pod")}) || (object.metadata.name == 'a')` },
    {
      name: "autogen-cronjobs-c0",
      expression: `!(${
        kind("batch/v1", "CronJob")
      }) || (object.spec.jobTemplate.spec.template.metadata.name == 'a')`,
    },
    {
      name: "autogen-defaults-c0",
      expression: `!(${
        [...controllers, kind("batch/v1", "Job")].join(" || ")
      }) || (object.spec.template.metadata.name == 'a')`,
    },
  ]);
});

const beyond: readonly (readonly [what: string, expression: string])[] = [
  ["a variable", "variables.x == 1"],
  ["a function of Kyverno", "image('a').registry() == 'b'"],
  ["the object below the request", "request.object.metadata.name == 'a'"],
  ["the namespace", "namespaceObject.metadata.name == 'a'"],
  ["an expression that may give no bool", "object.metadata.labels.a"],
  ["a mistake", "object.metadata.("],
];
for (const [what, expression] of beyond) {
  Deno.test(`webhooks: Postern evaluates a condition that the API server would refuse: ${what}`, () => {
    const text = celPolicy("p", ["object.metadata.name == 'a'", expression], noControllers);
    const [webhook] = asList(field(configurations(text).validate, "webhooks"));
    assert.equal(field(webhook, "name"), "vpol.validate.kyverno.svc-fail");
    const conditions = asList(field(webhook, "matchConditions"));
    assert.deepEqual(conditions.map((each) => field(each, "name")), [byNodes, byServer]);
  });
}

Deno.test("webhooks: a condition of the ConfigMap that the API server would refuse is left out", () => {
  const { webhooks } = readConfiguration({
    data: {
      matchConditions: JSON.stringify([
        { name: "nodes", expression: "!('system:nodes' in request.userInfo.groups)" },
        { name: "wrong", expression: "request.object.x == 1" },
      ]),
    },
  }, { namespace: "kyverno" });
  assert.deepEqual(webhooks.matchConditions.map((each) => field(each, "name")), ["nodes"]);
});

const condition = (name: string) => ({ name, expression: "request.name != 'a'" });

const together: readonly (readonly [what: string, names: readonly string[], isKept: boolean])[] = [
  ["with another name", ["mine"], true],
  ["with a name of the ConfigMap", ["common"], false],
  ["with a name of Postern's", ["mine", "postern-not-about-events-and-nodes"], false],
  ["that fill a webhook", Array.from({ length: 60 }, (_, at) => `c${at}`), true],
  ["of which there are too many beside others", Array.from({ length: 64 }, (_, at) => `c${at}`), false],
];
for (const [what, names, isKept] of together) {
  Deno.test(`webhooks: a policy has a webhook that the API server takes, with conditions ${what}`, () => {
    const text = policy({
      match: "match: {any: [{resources: {kinds: [Node]}}]}",
      spec: `webhookConfiguration: {matchConditions: ${JSON.stringify(names.map(condition))}}`,
    });
    const data = { matchConditions: JSON.stringify([condition("common"), condition("common")]) };
    const [webhook, ...others] = asList(field(configurations(text, { data }).validate, "webhooks"));
    assert.deepEqual(others, []);
    assert.equal(dig(webhook, "clientConfig", "service", "path"), "/validate/fail/finegrained/p");
    assert.deepEqual(
      asList(field(webhook, "matchConditions")).map((each) => field(each, "name")),
      ["common", byNodes, byServer, aboutNodes, ...(isKept ? names : [])],
    );
  });
}

Deno.test("webhooks: parts of the ConfigMap that the API server would refuse are left out", () => {
  const { webhooks } = readConfiguration({
    data: {
      webhooks: JSON.stringify({
        namespaceSelector: { matchExpressions: [{ key: "a", operator: "Inn", values: ["b"] }] },
        objectSelector: { matchLabels: { a: 5 } },
      }),
      webhookLabels: '{"a":"b","n":5,"x y":"z","v":"a b","B.c/d":"e"}',
      webhookAnnotations: '{"a":"any text","n":5,"x y":"z"}',
      matchConditions: JSON.stringify(
        [...Array.from({ length: 100 }, (_, at) => condition(`c${at}`)), condition("postern-x")],
      ),
    },
  }, { namespace: "kyverno" });
  assert.equal(webhooks.matchConditions.length, 60);
  assert.equal(asList(webhooks.namespaceSelector["matchExpressions"]).length, 2);
  assert.deepEqual(webhooks.objectSelector, {});
  assert.deepEqual([webhooks.labels, webhooks.annotations], [{ a: "b" }, { a: "any text" }]);
});

const unseen: readonly (readonly [what: string, name: string, expression: string])[] = [
  ["that the API server would refuse", "p", "namespaceObject.metadata.name == 'a'"],
  ["whose policy has a long name", "a".repeat(253), "object.metadata.name == 'a'"],
];
for (const [what, name, expression] of unseen) {
  Deno.test(`webhooks: a policy of kyverno.io with a condition ${what} is evaluated at a separate path`, () => {
    const text = policy({
      name,
      match: "match: {any: [{resources: {kinds: [ConfigMap]}}]}",
      spec: `webhookConfiguration: {matchConditions: [{name: c, expression: "${expression}"}]}`,
    });
    const [webhook, ...others] = asList(field(configurations(text).validate, "webhooks"));
    assert.deepEqual(others, []);
    assert.equal(dig(webhook, "clientConfig", "service", "path"), `/validate/fail/finegrained/${name}`);
    assert.ok(asString(field(webhook, "name"))!.length <= 253);
  });
}
