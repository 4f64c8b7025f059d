/** Files with values and users: `apply` and `test` refuse what Kyverno refuses, with the field and its position. */
import assert from "node:assert/strict";
import { inFolder } from "./in_folder.ts";

const policy = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: no-deletion }
spec:
  rules:
    - name: r
      match: { any: [{ resources: { kinds: [ConfigMap] } }] }
      validate:
        message: no {{ request.operation }}
        deny: { conditions: { all: [{ key: "{{ request.operation }}", operator: Equals, value: DELETE }] } }
`;
const test = `apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: { name: t }
policies: [policy.yaml]
resources: [config.yaml]
results: [{ policy: no-deletion, rule: r, kind: ConfigMap, resources: [c], result: pass }]
`;
const files = {
  "policy.yaml": policy,
  "config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\n",
};
const header = "apiVersion: cli.kyverno.io/v1alpha1\nkind: KIND\nmetadata: { name: g }\n";

type Refused = readonly (readonly [name: string, text: string, said: RegExp])[];
const values: Refused = [
  [
    "an unknown field",
    "globalValue: {}",
    /:4:1: error unknown-field: Unknown field "globalValue"\n {2}hint: did you/,
  ],
  [
    "an unknown field of a policy",
    "policies: [{ name: p, resource: [] }]",
    /:4:\d+: error .*"resource" in policies\[0\]/,
  ],
  [
    "an unknown field of labels",
    "namespaceSelector: [{ name: n, label: {} }]",
    /error .*"label" in namespaceSelector\[0\]/,
  ],
  [
    "an unknown field of a Namespace",
    "namespaces: [{ metadata: { labls: {} } }]",
    /error .*"labls" in namespaces\[0\]\.metadata/,
  ],
  [
    "an unknown field of a subresource",
    "subresources: [{ subresource: { foo: a } }]",
    /error .*"foo" in subresources\[0\]\.subresource/,
  ],
  [
    "a field that occurs twice",
    "globalValues: {}\nglobalValues: {}",
    /:5:1: error duplicate-key: The key "globalValues" occurs twice\n/,
  ],
  [
    "a value that occurs twice",
    "globalValues: { a: b, a: c }",
    /error duplicate-key: The key "a" occurs twice\n/,
  ],
  ["policies that are no list", "policies: { name: p }", /:4:1: error wrong-type: policies must be a list/],
  ["values that are a list", "globalValues: [a]", /:4:1: error wrong-type: globalValues must be an object/],
  [
    "a name that is a number",
    "policies: [{ name: 5 }]",
    /policies\[0\]\.name must be text\n {2}hint: write "5"/,
  ],
  [
    "a label that is a number",
    "namespaceSelector: [{ name: n, labels: { a: 1 } }]",
    /labels\.a must be text\n {2}hint: write "1"/,
  ],
  [
    "foreach values that are no list",
    "policies: [{ name: p, rules: [{ name: r, foreachValues: { a: b } }] }]",
    /foreachValues\.a must be a list/,
  ],
  [
    "an operation that no request has",
    "globalValues: { request.operation: delete }",
    /:4:\d+: error unknown-operation: There is no operation "delete"\n {2}hint: write one of CREATE, UPDATE, DELETE, CONNECT/,
  ],
];
const wholly: Refused = [
  [
    "a text in place of the object",
    "globalValues: { request.object: foo }",
    /error wrong-type: request\.object must be an object: nothing would be checked/,
  ],
  [
    "a text in place of the object of one object",
    "policies: [{ name: p, resources: [{ name: c, values: { request: foo } }] }]",
    /:4:\d+: error wrong-type: request must be an object/,
  ],
  [
    "an empty list of foreach values",
    "policies: [{ name: p, rules: [{ name: r, foreachValues: { a: [] } }] }]",
    /The list of a is empty/,
  ],
  [
    "a subresource without a parent",
    "subresources: [{ subresource: { name: scale, kind: Scale, version: v1 } }]",
    /error bad-name: A subresource has no name such as "scale"/,
  ],
];
const users: Refused = [
  ["a role that is no list", "roles: admin", /:4:1: error wrong-type: roles must be a list/],
  ["a group that is no list", "userInfo: { groups: devs }", /userInfo\.groups must be a list/],
  ["an unknown field", "username: ann", /:4:1: error unknown-field: Unknown field "username"/],
  ["an unknown field of the user", "userInfo: { user: ann }", /error .*"user" in userInfo/],
  [
    "a number in place of a name",
    "userInfo: { username: 5 }",
    /userInfo\.username must be text\n {2}hint: write "5"/,
  ],
  ["a group that is a number", "userInfo: { groups: [7] }", /userInfo\.groups\[0\] must be text/],
  [
    "a key that occurs twice",
    "roles: [a]\nroles: [b]",
    /error duplicate-key: The key "roles" occurs twice\n/,
  ],
];
const contexts: Refused = [
  ["resources outside of spec", "resources: []", /:4:1: error unknown-field: Unknown field "resources"/],
  [
    "an unknown field of spec",
    "spec: { resource: [] }",
    /Unknown field "resource" in spec\n {2}hint: did you/,
  ],
  ["resources that are no list", "spec: { resources: { kind: Pod } }", /spec\.resources must be a list/],
  ["a resource that is a text", "spec: { resources: [pod.yaml] }", /spec\.resources\[0\] must be an object/],
  ["an unknown field of an image", "spec: { images: [{ name: a }] }", /"name" in spec\.images\[0\]/],
  ["an image that is a number", "spec: { images: [{ image: 5 }] }", /images\[0\]\.image must be text/],
];
const kinds = [
  ["Values", [...values, ...wholly], "--values-file", "variables"],
  ["UserInfo", users, "--userinfo", "userinfo"],
  ["Context", contexts, "--context-file", "context"],
] as const;
for (const [kind, refused, flag, field] of kinds) {
  for (const [name, text, said] of refused) {
    const given = header.replace("KIND", kind) + `${text}\n`;
    Deno.test(`a ${kind} file with ${name} is refused`, () =>
      inFolder(
        { ...files, "given.yaml": given, "kyverno-test.yaml": `${test}${field}: given.yaml\n` },
        async (run) => {
          const applied = await run("apply", "@policy.yaml", "-r", "@config.yaml", flag, "@given.yaml");
          assert.match(applied.err, said);
          assert.match(applied.err, /error: given\.yaml is not used: correct it/);
          assert.deepEqual([applied.code, applied.out], [2, ""]);
          const tested = await run("test", "@.");
          assert.match(tested.err, said);
          assert.equal(tested.code, 1);
        },
      ));
  }
}

for (const [kind, , flag] of kinds) {
  for (
    const [name, given, said] of [
      ["that is no YAML", "a: [1\n", /^given\.yaml:2:1: error invalid-yaml: unexpected end/],
      [
        "that is a text",
        "hello world\n",
        /^given\.yaml:1:1: error wrong-type: The document must be an object/,
      ],
    ] as const
  ) {
    Deno.test(`a ${kind} file ${name} is refused`, () =>
      inFolder({ ...files, "given.yaml": given }, async (run) => {
        const { err, code } = await run("apply", "@policy.yaml", "-r", "@config.yaml", flag, "@given.yaml");
        assert.match(err, said);
        assert.match(err, /error: given\.yaml is not used: correct it/);
        assert.equal(code, 2);
      }));
  }
  Deno.test(`an empty ${kind} file is refused`, () =>
    inFolder({ ...files, "given.yaml": "" }, async (run) => {
      const { err, code } = await run("apply", "@policy.yaml", "-r", "@config.yaml", flag, "@given.yaml");
      assert.match(err, /given\.yaml is empty: write apiVersion, kind and what it gives/);
      assert.equal(code, 2);
    }));
}

const accepted: readonly (readonly [name: string, text: string])[] = [
  ["whose fields are written in another case", "GlobalValues: { request.operation: DELETE }"],
  ["with a mark of the byte order", "globalValues: { request.operation: DELETE }"],
  [
    "with null in place of lists",
    "policies:\nnamespaceSelector: ~\nglobalValues: { request.operation: DELETE }",
  ],
  [
    "before another document with a key twice",
    "globalValues: { request.operation: DELETE }\n---\na: 1\na: 2",
  ],
];
for (const [name, text] of accepted) {
  Deno.test(`a Values file ${name}`, () => {
    const mark = name.includes("mark") ? "\ufeff" : "";
    const given = `${mark}${header.replace("KIND", "Values")}${text}\n`;
    return inFolder({ ...files, "given.yaml": given }, async (run) => {
      const { out, code } = await run("apply", "@policy.yaml", "-r", "@config.yaml", "-f", "@given.yaml");
      assert.match(out, /1 - r no DELETE/);
      assert.equal(code, 1);
    });
  });
}

Deno.test("values in a test are checked as those in a file", () => {
  const inline = `${test}values:\n  policies:\n    - name: no-deletion\n      rule: []\n`;
  return inFolder({ ...files, "kyverno-test.yaml": inline }, async (run) => {
    const { err, code } = await run("test", "@.");
    assert.match(err, /kyverno-test\.yaml:10:7: error unknown-field: Unknown field "rule" in policies\[0\]/);
    assert.equal(code, 1);
  });
});

Deno.test("values in the test replace those of its file", () => {
  const both = `${test.replace("result: pass", "result: fail")}variables: given.yaml\n` +
    "values: { globalValues: { request.operation: DELETE } }\n";
  const given = header.replace("KIND", "Values") + "globalValues: { request.operation: UPDATE }\n";
  return inFolder({ ...files, "given.yaml": given, "kyverno-test.yaml": both }, async (run) => {
    assert.equal((await run("test", "@.")).code, 0);
  });
});
