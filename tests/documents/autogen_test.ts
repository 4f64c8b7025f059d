import assert from "node:assert/strict";
import { dig, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { rewriteText } from "../../lib/policy/cel_autogen.ts";
import { autogenRules } from "../../lib/documents/autogen.ts";

const annotation = "pod-policies.kyverno.io/autogen-controllers";

function generated(rules: JsonObject[], annotations: Record<string, string> = {}): JsonObject[] {
  const sources = rules.map((rule, index) => ({
    rule,
    path: ["spec", "rules", index],
    generatedFor: undefined,
  }));
  return autogenRules(sources, annotations).map(({ rule }) => rule);
}

function podRule(body: JsonObject, resources: JsonObject = {}): JsonObject {
  return { name: "r", match: { any: [{ resources: { kinds: ["Pod"], ...resources } }] }, ...body };
}

const pattern = { validate: { message: "m", pattern: { spec: { hostPID: false } } } };

const names: [about: string, rules: JsonObject[], annotations: Record<string, string>, names: string[]][] = [
  ["a rule about Pods is copied for controllers and CronJobs", [podRule(pattern)], {}, [
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
  [
    "names turn generation off for the whole policy",
    [podRule(pattern), podRule(pattern, { names: ["a"] })],
    {},
    [],
  ],
  ["a selector turns generation off", [podRule(pattern, { selector: { matchLabels: { a: "b" } } })], {}, []],
  ["Pod beside another kind turns generation off", [podRule(pattern, { kinds: ["Pod", "Service"] })], {}, []],
  ["namespaces do not turn generation off", [podRule(pattern, { namespaces: ["a"] })], {}, [
    "autogen-r",
    "autogen-cronjob-r",
  ]],
  [
    "a generate rule turns generation off",
    [podRule(pattern), { name: "g", match: {}, generate: {} }],
    {},
    [],
  ],
  [
    "a JSON patch in a nested loop turns generation off",
    [podRule({ mutate: { foreach: [{ list: "l", foreach: [{ list: "m", patchesJson6902: "[]" }] }] } })],
    {},
    [],
  ],
  ["a JSON patch turns generation off", [podRule({ mutate: { patchesJson6902: "[]" } })], {}, []],
  [
    "a kind with group and version is a Pod too",
    [podRule(pattern), podRule(pattern, { kinds: ["v1/Pod"] })],
    {},
    [
      "autogen-r",
      "autogen-cronjob-r",
      "autogen-r",
      "autogen-cronjob-r",
    ],
  ],
  [
    "a written rule named autogen- turns generation off for the whole policy",
    [podRule(pattern), {
      ...podRule(pattern, { names: ["a"] }),
      name: "autogen-x",
    }],
    {},
    [],
  ],
  ["written rules named autogen- are kept", [{ ...podRule(pattern), name: "autogen-x" }], {}, []],
  ["rules about manifests are not copied", [podRule({ validate: { manifests: {} } })], {}, []],
  [
    "a subresource of Pods is a Pod too, beside a rule about Pods",
    [podRule(pattern), podRule(pattern, { kinds: ["Pod/exec"] })],
    {},
    ["autogen-r", "autogen-cronjob-r", "autogen-r", "autogen-cronjob-r"],
  ],
  ["kinds without Pod have no generated rules", [podRule(pattern, { kinds: ["Service"] })], {}, []],
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

const messages: [message: string, template: string, cron: string][] = [
  [
    "$(./../../pattern/spec/containers/0/image) and $(./../pattern/spec/a)",
    "$(./../../pattern/spec/template/spec/containers/0/image) and $(./../pattern/spec/template/spec/a)",
    "$(./../../pattern/spec/jobTemplate/spec/template/spec/containers/0/image) and $(./../pattern/spec/jobTemplate/spec/template/spec/a)",
  ],
  [
    "$(./../anyPattern/1/spec/a), but no pattern/spec",
    "$(./../anyPattern/1/spec/template/spec/a), but no pattern/spec",
    "$(./../anyPattern/1/spec/jobTemplate/spec/template/spec/a), but no pattern/spec",
  ],
];
for (const [message, template, cron] of messages) {
  Deno.test(`autogen shifts references of the message ${message}`, () => {
    const rules = generated([podRule({ validate: { ...pattern.validate, message } })]);
    assert.deepEqual(rules.map((rule) => dig(rule, "validate", "message")), [template, cron]);
  });
}

Deno.test("autogen reads a message with many unclosed references in linear time", () => {
  const message = "$(".repeat(200_000);
  const rules = generated([podRule({ validate: { ...pattern.validate, message } })]);
  assert.deepEqual(rules.map((rule) => dig(rule, "validate", "message")), [message, message]);
});

Deno.test("autogen keeps filters that are not about Pods, and replaces all kinds for CronJobs", () => {
  const match = {
    any: [
      { resources: { kinds: ["Pod"], operations: ["CREATE"] } },
      { resources: { kinds: ["Service"] } },
      { subjects: [{ kind: "User", name: "a" }] },
    ],
  };
  const [template, cron] = generated([{
    name: "r",
    match,
    exclude: { resources: { namespaces: ["x"] } },
    ...pattern,
  }], {
    [annotation]: "Deployment,CronJob",
  });
  assert.deepEqual(dig(template!, "match", "any"), [
    { resources: { kinds: ["apps/v1/Deployment"], operations: ["CREATE"] } },
    { resources: { kinds: ["Service"] } },
    { subjects: [{ kind: "User", name: "a" }] },
  ]);
  assert.deepEqual(dig(cron!, "match", "any"), [
    { resources: { kinds: ["batch/v1/CronJob"], operations: ["CREATE"] } },
    { resources: { kinds: ["batch/v1/CronJob"] } },
    { subjects: [{ kind: "User", name: "a" }] },
  ]);
  assert.deepEqual(dig(cron!, "exclude"), { resources: { namespaces: ["x"] } });
});

const bodies: [about: string, body: JsonObject, generatedBody: JsonObject][] = [
  [
    "a merge patch is moved",
    { mutate: { patchStrategicMerge: { spec: { a: 1 } } } },
    { mutate: { patchStrategicMerge: { spec: { template: { spec: { a: 1 } } } } } },
  ],
  [
    "a mutating loop loses its order",
    { mutate: { foreach: [{ list: "l", order: "Descending", patchStrategicMerge: { spec: { a: 1 } } }] } },
    { mutate: { foreach: [{ list: "l", patchStrategicMerge: { spec: { template: { spec: { a: 1 } } } } }] } },
  ],
  [
    "loops inside a mutating loop are moved",
    {
      mutate: {
        foreach: [{ list: "l", foreach: [{ list: "m", patchStrategicMerge: { spec: { a: 1 } } }] }],
      },
    },
    {
      mutate: {
        foreach: [{
          list: "l",
          foreach: [{ list: "m", patchStrategicMerge: { spec: { template: { spec: { a: 1 } } } } }],
        }],
      },
    },
  ],
  [
    "each of several patterns is moved, the action stays",
    { validate: { failureAction: "Enforce", anyPattern: [{ spec: { a: 1 } }, { spec: { b: 2 } }] } },
    {
      validate: {
        failureAction: "Enforce",
        anyPattern: [{ spec: { template: { spec: { a: 1 } } } }, { spec: { template: { spec: { b: 2 } } } }],
      },
    },
  ],
  [
    "only the objects of an assertion are moved",
    {
      validate: {
        assert: { object: { spec: { a: 1 } }, oldObject: { spec: { a: 2 } }, operation: "CREATE" },
      },
    },
    {
      validate: {
        assert: {
          object: { spec: { template: { spec: { a: 1 } } } },
          oldObject: { spec: { template: { spec: { a: 2 } } } },
          operation: "CREATE",
        },
      },
    },
  ],
  [
    "pod security finds the template itself",
    { validate: { podSecurity: { level: "baseline" } } },
    { validate: { podSecurity: { level: "baseline" } } },
  ],
  [
    "expressions in CEL are rewritten by text",
    {
      validate: {
        cel: { expressions: [{ expression: "object.spec == oldObject.spec && object.metadata.name" }] },
      },
    },
    {
      validate: {
        cel: {
          expressions: [{
            expression:
              "object.spec.template.spec == oldObject.spec.template.spec && object.spec.template.metadata.name",
          }],
        },
      },
    },
  ],
];
for (const [about, body, expected] of bodies) {
  Deno.test(`autogen: ${about}`, () => {
    const [template] = generated([podRule(body)]);
    const [[name, value]] = Object.entries(expected) as [[string, Json]];
    assert.deepEqual(template![name], value);
  });
}

for (
  const patch of [
    { patchStrategicMerge: { spec: { a: 1 } } },
    { foreach: [{ list: "l", patchStrategicMerge: { spec: { a: 1 } } }] },
  ]
) {
  Deno.test(`autogen makes no rule of one with targets, which would change the controllers: ${Object.keys(patch)}`, () => {
    assert.deepEqual(generated([podRule({ mutate: { targets: [{ kind: "ConfigMap" }], ...patch } })]), []);
  });
}

Deno.test("autogen of CEL policies rewrites the whole spec as text, except the namespace of an object", () => {
  const validation = {
    expression: "request.object.spec.a == oldObject.metadata.name && object.metadata.namespace == 'a'",
    message: "see object.spec.a",
  };
  assert.deepEqual(rewriteText({ validations: [validation] }, "spec.template"), {
    validations: [{
      expression: "request.object.spec.template.spec.a == oldObject.spec.template.metadata.name && " +
        "object.metadata.namespace == 'a'",
      message: "see object.spec.template.spec.a",
    }],
  });
});

Deno.test("autogen cuts names to 63 characters", () => {
  const [template] = generated([{ ...podRule(pattern), name: "n".repeat(63) }]);
  assert.equal(String(template!["name"]).length, 63);
});
