/** Policies that Kyverno does not store: in the dialect `current` `apply` and `test` refuse them. */
import assert from "node:assert/strict";
import { inFolder } from "./in_folder.ts";

const kinds = "resources: { kinds: [ConfigMap] }";
const deny = 'validate: { message: "{{ request.object.metadata.name }}", deny: {} }';
const policy = (background: string, rule: string): string =>
  `apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: { name: p }\nspec:\n${background}  rules:\n    - name: r\n      ${rule}\n`;
const plain = `match: { any: [{ ${kinds} }] }\n      `;
const files = {
  "config.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c }\n",
  "user.yaml": "apiVersion: cli.kyverno.io/v1alpha1\nkind: UserInfo\nmetadata: { name: u }\n" +
    "clusterRoles: [admin]\nuserInfo: { username: ann }\n",
};

const readers: readonly (readonly [name: string, rule: string, said: RegExp])[] = [
  [
    "a message",
    `${plain}validate: { message: "{{ request.userInfo.username }}", deny: {} }`,
    /variable \{\{request\.userInfo\.username\}\} is not allowed/,
  ],
  [
    "a condition",
    `${plain}validate: { deny: { conditions: { all: [{ key: "{{ serviceAccountName }}", operator: Equals, value: a }] } } }`,
    /variable \{\{serviceAccountName\}\} is not allowed/,
  ],
  [
    "preconditions",
    `${plain}preconditions: { all: [{ key: "{{ request.roles }}", operator: AnyIn, value: [a] }] }\n      ${deny}`,
    /variable \{\{request\.roles\}\} is not allowed/,
  ],
  [
    "a pattern",
    `${plain}validate: { pattern: { metadata: { name: "{{ request.userInfo.username }}" } } }`,
    /is not allowed/,
  ],
  [
    "a patch",
    `${plain}mutate: { patchStrategicMerge: { data: { by: "{{ request.userInfo.username }}" } } }`,
    /is not allowed/,
  ],
  [
    "subjects of a match",
    `match: { any: [{ ${kinds}, subjects: [{ kind: User, name: ann }] }] }\n      ${deny}`,
    /invalid variable used at path: spec\/rules\[0\]\/match\/any\[0\]\/subjects/,
  ],
  [
    "roles of an exclude",
    `${plain}exclude: { any: [{ clusterRoles: [admin] }] }\n      ${deny}`,
    /invalid variable used at path: spec\/rules\[0\]\/exclude\/any\[0\]\/clusterRoles/,
  ],
];
for (const [name, rule, said] of readers) {
  for (const background of ["", "  background: true\n", "  background: false\n"]) {
    const isRefused = !background.includes("false");
    const how = background.trim() || "nothing about background";
    const does = isRefused ? "refuse" : "evaluate";
    Deno.test(`apply and test ${does} a policy with ${how} that reads the user in ${name}`, () => {
      const test =
        "apiVersion: cli.kyverno.io/v1alpha1\nkind: Test\nmetadata: { name: t }\npolicies: [p.yaml]\n" +
        "resources: [config.yaml]\nuserinfo: user.yaml\nresults: [{ policy: p, rule: r, kind: ConfigMap, resources: [c], result: fail }]\n";
      return inFolder(
        { ...files, "p.yaml": policy(background, rule), "kyverno-test.yaml": test },
        async (run) => {
          for (const args of [[], ["--userinfo", "@user.yaml"]]) {
            const { out, err, code } = await run(
              "apply",
              "@p.yaml",
              "-r",
              "@config.yaml",
              "--dialect",
              "current",
              ...args,
            );
            assert.equal(said.test(err), isRefused, err);
            assert.equal(out.includes("Policies Skipped:\n1. p: "), isRefused, out);
            if (isRefused) {
              assert.match(out, /pass: 0, fail: 0, /);
              assert.equal(code, 1);
            }
          }
          const { out } = await run("test", "@.", "--dialect", "current");
          assert.equal(/│ Skip +│ Invalid Policy/.test(out), isRefused, out);
        },
      );
    });
  }
}

const fine: readonly (readonly [name: string, rule: string])[] = [
  [
    "a context entry",
    `${plain}context: [{ name: who, variable: { jmesPath: request.userInfo.username, default: none } }]\n      validate: { message: "{{ who }}", deny: {} }`,
  ],
  [
    "targets",
    `${plain}mutate: { targets: [{ apiVersion: v1, kind: Secret, name: s }], patchStrategicMerge: { data: { by: "{{ request.userInfo.username }}" } } }`,
  ],
];
for (const [name, rule] of fine) {
  Deno.test(`apply evaluates a policy in background scans that reads the user in ${name}`, () =>
    inFolder({ ...files, "p.yaml": policy("", rule) }, async (run) => {
      const { out } = await run(
        "apply",
        "@p.yaml",
        "-r",
        "@config.yaml",
        "--userinfo",
        "@user.yaml",
        "--dialect",
        "current",
      );
      assert.doesNotMatch(out, /Policies Skipped/);
    }));
}

const refused: readonly (readonly [what: string, policy: string, said: RegExp])[] = [
  [
    "an operator in lower case",
    policy(
      "",
      `${plain}validate: { deny: { conditions: { any: [{ key: a, operator: equals, value: b }] } } }`,
    ),
    /entered value of `operator` is invalid: "equals"/,
  ],
  [
    "a selector that selects nothing",
    policy(
      "",
      `match: { any: [{ resources: { kinds: [ConfigMap] } }] }\n      ` +
        `exclude: { any: [{ resources: { selector: { matchLabels: { "a b": c } } } }] }\n      ${deny}`,
    ),
    /error bad-selector: The selector selects nothing/,
  ],
  [
    "a context entry that hides a name of the request",
    policy("", `${plain}context: [{ name: request.x, variable: { value: a } }]\n      ${deny}`),
    /reserved-name: A context entry cannot be named "request.x"/,
  ],
  [
    "a variable that reads nothing",
    policy(
      "",
      `${plain}preconditions: { all: [{ key: "{{ 'a' }}", operator: Equals, value: a }] }\n      ${deny}`,
    ),
    /error constant-variable: "\{\{ 'a' \}\}" is a constant/,
  ],
  [
    "a rule with two bodies",
    policy("", `${plain}mutate: { patchStrategicMerge: { metadata: { labels: { a: b } } } }\n      ${deny}`),
    /several-bodies: /,
  ],
  [
    "capitals in its name",
    policy("", `${plain}${deny}`).replace("name: p }", "name: P }"),
    /"P": a lowercase RFC 1123 subdomain/,
  ],
  [
    "labels that are a list",
    policy("", `${plain}${deny}`).replace("name: p }", "name: p, labels: [a] }"),
    /it is no map of texts/,
  ],
  [
    "a filter without kinds",
    policy("", `match: { any: [{ resources: { names: [c] } }] }\n      ${deny}`),
    /at least one element must be specified in a kind block/,
  ],
];
for (const [what, text, said] of refused) {
  Deno.test(`apply refuses a policy with ${what}, as Kyverno's command line does`, () =>
    inFolder({ ...files, "p.yaml": text }, async (run) => {
      const { out, err, code } = await run(
        "apply",
        "@p.yaml",
        "-r",
        "@config.yaml",
        "--dialect",
        "current",
      );
      assert.match(err, said);
      assert.match(out, /Policies Skipped:\n1\. p: /i);
      assert.equal(code, 1);
    }));
}

Deno.test("apply and lint refuse a policy in CEL with a label that is no label", () => {
  const text =
    "apiVersion: policies.kyverno.io/v1\nkind: ValidatingPolicy\nmetadata: {name: p, labels: {a: b c}}\n" +
    'spec:\n  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], ' +
    'resources: [configmaps]}]}\n  validations: [{expression: "true"}]\n';
  return inFolder({ ...files, "p.yaml": text }, async (run) => {
    for (const [dialect, counts] of [["classic", "pass: 1"], ["current", "error: 1"]] as const) {
      const { out } = await run("apply", "@p.yaml", "-r", "@config.yaml", "--dialect", dialect);
      assert.ok(out.includes(counts), out);
    }
    const { code, out } = await run("lint", "@p.yaml");
    assert.match(out, /3:30: error refused-by-api-server: "b c": a valid label must be an empty string/);
    assert.equal(code, 1);
  });
});

Deno.test("apply evaluates a Policy about a cluster-wide kind", () =>
  inFolder({
    ...files,
    "p.yaml": policy("", `match: { any: [{ resources: { kinds: [ConfigMap, Namespace] } }] }\n      ${deny}`)
      .replace("kind: ClusterPolicy", "kind: Policy"),
  }, async (run) => {
    const { out } = await run("apply", "@p.yaml", "-r", "@config.yaml", "--dialect", "current");
    assert.match(out, /pass: 0, fail: 1, /);
  }));

Deno.test("in the dialect classic apply warns of variables of users in background scans", () =>
  inFolder({ ...files, "p.yaml": policy("", readers[0]![1]) }, async (run) => {
    const { out, err } = await run("apply", "@p.yaml", "-r", "@config.yaml", "--userinfo", "@user.yaml");
    assert.match(err, /warning background-variable/);
    assert.match(out, /1 - r ann\n/);
  }));
