import assert from "node:assert/strict";
import { dig, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { autogenRules } from "../../lib/policy/mod.ts";

const annotation = "pod-policies.kyverno.io/autogen-controllers";

function generated(rules: JsonObject[], annotations: Record<string, string> = {}): JsonObject[] {
  const sources = rules.map((rule, index) => ({ rule, index, generatedFor: undefined }));
  return autogenRules(sources, annotations).map(({ rule }) => rule);
}

function podRule(body: JsonObject, resources: JsonObject = {}): JsonObject {
  return { name: "r", match: { any: [{ resources: { kinds: ["Pod"], ...resources } }] }, ...body };
}

const pattern = { validate: { message: "m", pattern: { spec: { hostPID: false } } } };

const names: [about: string, rules: JsonObject[], annotations: Record<string, string>, names: string[]][] = [
  ["a rule about Pods is carried over to controllers and to CronJobs", [podRule(pattern)], {}, [
    "autogen-r",
    "autogen-cronjob-r",
  ]],
  ["none turns generation off", [podRule(pattern)], { [annotation]: "none" }, []],
  ["a list chooses controllers", [podRule(pattern)], { [annotation]: "Deployment,StatefulSet" }, [
    "autogen-r",
  ]],
  ["CronJob alone gives only its rule", [podRule(pattern)], { [annotation]: "CronJob" }, [
    "autogen-cronjob-r",
  ]],
  ["names turn it off for the whole policy", [podRule(pattern), podRule(pattern, { names: ["a"] })], {}, []],
  ["a selector turns it off", [podRule(pattern, { selector: { matchLabels: { a: "b" } } })], {}, []],
  ["Pod beside another kind turns it off", [podRule(pattern, { kinds: ["Pod", "Service"] })], {}, []],
  ["namespaces do not", [podRule(pattern, { namespaces: ["a"] })], {}, ["autogen-r", "autogen-cronjob-r"]],
  ["a generate rule turns it off", [podRule(pattern), { name: "g", match: {}, generate: {} }], {}, []],
  ["a JSON patch turns it off", [podRule({ mutate: { patchesJson6902: "[]" } })], {}, []],
  ["rules named autogen- are the author's own", [{ ...podRule(pattern), name: "autogen-x" }], {}, []],
  ["manifests cannot be carried over", [podRule({ validate: { manifests: {} } })], {}, []],
  ["kinds without Pod need nothing", [podRule(pattern, { kinds: ["Service"] })], {}, []],
];
for (const [about, rules, annotations, expected] of names) {
  Deno.test(`autogen: ${about}`, () => {
    assert.deepEqual(generated(rules, annotations).map((rule) => rule["name"]), expected);
  });
}

Deno.test("autogen moves patterns below the pod template", () => {
  const [template, cron] = generated([podRule(pattern)]);
  assert.deepEqual(dig(template!, "validate", "pattern"), {
    spec: { template: { spec: { hostPID: false } } },
  });
  assert.deepEqual(dig(cron!, "validate", "pattern"), {
    spec: { jobTemplate: { spec: { template: { spec: { hostPID: false } } } } },
  });
});

Deno.test("autogen names the controllers with their API", () => {
  const [template, cron] = generated([podRule(pattern)]);
  const kinds = (rule: JsonObject): Json => (dig(rule, "match", "any") as JsonObject[])[0]!["resources"]!;
  assert.deepEqual((kinds(template!) as JsonObject)["kinds"], [
    "apps/v1/DaemonSet",
    "apps/v1/Deployment",
    "batch/v1/Job",
    "apps/v1/ReplicaSet",
    "v1/ReplicationController",
    "apps/v1/StatefulSet",
  ]);
  assert.deepEqual((kinds(cron!) as JsonObject)["kinds"], ["batch/v1/CronJob"]);
});

Deno.test("autogen rewrites expressions by text, once", () => {
  const deny = {
    validate: {
      message: "{{ request.object.metadata.name }}",
      deny: {
        conditions: { all: [{ key: "{{ request.object.spec.hostPID }}", operator: "Equals", value: true }] },
      },
    },
  };
  const [template, cron] = generated([podRule(deny)]);
  assert.equal(dig(template!, "validate", "message"), "{{ request.object.spec.template.metadata.name }}");
  assert.match(JSON.stringify(cron), /request\.object\.spec\.jobTemplate\.spec\.template\.spec\.hostPID/);
});

Deno.test("autogen cuts names to 63 characters", () => {
  const [template] = generated([{ ...podRule(pattern), name: "n".repeat(63) }]);
  assert.equal(String(template!["name"]).length, 63);
});
