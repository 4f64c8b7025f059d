/** The entries of a test file: rows, operations, contexts, payloads and checks. */
import assert from "node:assert/strict";
import { addOwner, requireTeam } from "./team_policies.ts";
import { header, passing, patched, policy, test } from "./test_folders.ts";

const misspelt: readonly [what: string, entry: string, remark: RegExp, passes: boolean][] = [
  [
    "a policy",
    "{ policy: require-taem, rule: team, kind: Pod, resources: [good], result: pass }",
    /unknown-policy: The test has no policy "require-taem"\n {2}hint: did you mean "require-team"\?/,
    false,
  ],
  [
    "a rule",
    "{ policy: require-team, rule: taem, kind: Pod, resources: [good], result: pass }",
    /unknown-rule: The policy "require-team" has no rule "taem"\n {2}hint: did you mean "team"\?/,
    true,
  ],
  [
    "an object",
    "{ policy: require-team, rule: team, kind: Pod, resources: [good, bda], result: pass }",
    /unknown-resource: The test has no object "bda"\n {2}hint: did you mean "bad"\?/,
    true,
  ],
  [
    "what a rule is about",
    "{ policy: require-team, rule: team, kind: Service, resources: [web], result: fail }",
    /not-applied: Rule "team" has no result for v1\/Service\/default\/web, but fail is expected/,
    true,
  ],
];
for (const [what, entry, remark, passes] of misspelt) {
  Deno.test(`test remarks on ${what} that does not exist, and fails for it when strict`, async () => {
    const files = { "kyverno-test.yaml": `${header}- ${entry}\n` };
    const lenient = await test(files);
    assert.match(lenient.err, remark);
    assert.match(lenient.err, /TESTS\/kyverno-test\.yaml:\d+:\d+: warning /);
    assert.equal(lenient.code, passes ? 0 : 1);
    assert.equal((await test(files, "--strict")).code, 1);
  });
}

const broken: readonly [what: string, text: string, problem: RegExp][] = [
  [
    "an unknown field",
    `${passing}resorces: []\n`,
    /unknown-field: A test has no field "resorces" here\n {2}hint: did you mean "resources"\?/,
  ],
  [
    "an unknown result",
    passing.replace("result: fail", "result: failed"),
    /unknown-result: A result is one of .*, not "failed"/,
  ],
  [
    "the schema without kind and metadata",
    `name: old\n${passing.replace("kind: Test\n", "").replace(/metadata:.*\n/, "")}`,
    /not-a-test/,
  ],
  ["text that is no YAML", "policies: [", /kyverno-test\.yaml:\d+:\d+: error/],
];
for (const [what, text, problem] of broken) {
  Deno.test(`test refuses ${what} and runs the other tests`, async () => {
    const { code, out, err } = await test({ "a/kyverno-test.yaml": text, "kyverno-test.yaml": passing });
    assert.match(err, problem);
    assert.match(out, /2 tests passed and 0 tests failed/);
    assert.equal(code, 1);
  });
}

Deno.test("test runs an entry with its operation", async () => {
  const deletion = policy.replace(
    'pattern: { metadata: { labels: { team: "?*" } } }',
    "deny: { conditions: { all: [{ key: '{{ request.operation }}', operator: Equals, value: DELETE }] } }",
  );
  const entries = ["CREATE", "DELETE"].map((operation) =>
    `- { policy: require-team, rule: team, kind: Pod, resources: [good], operation: ${operation}, result: ${
      operation === "DELETE" ? "fail" : "pass"
    } }\n`
  );
  const { out } = await test({ "policy.yaml": deletion, "kyverno-test.yaml": header + entries.join("") });
  assert.match(out, /2 tests passed and 0 tests failed/);
});

Deno.test("test answers API calls and the global context from the test", async () => {
  const loading = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: ask }
spec:
  rules:
    - name: ask
      match: { any: [{ resources: { kinds: [Pod] } }] }
      context:
        - { name: allowed, apiCall: { service: { url: "https://example.com/allowed" }, jmesPath: teams } }
        - { name: limit, globalReference: { name: limits, jmesPath: pods } }
      validate:
        failureAction: Audit
        message: "{{ limit }}"
        deny:
          conditions:
            any:
              - { key: "{{ request.object.metadata.labels.team || '' }}", operator: AnyNotIn, value: "{{ allowed }}" }
              - { key: "{{ limit }}", operator: NotEquals, value: 3 }
`;
  const entries = `${header}
- { policy: ask, rule: ask, kind: Pod, resources: [good], result: pass }
- { policy: ask, rule: ask, kind: Pod, resources: [bad], result: fail }
apiCallResponses:
- { url: "https://example.com/allowed", response: { body: { teams: [shop] } } }
globalContextEntries:
- { name: limits, data: { all: { pods: 3 } }, fieldPath: all }
`;
  const { out, err } = await test({ "policy.yaml": loading, "kyverno-test.yaml": entries });
  assert.match(out, /2 tests passed and 0 tests failed/, err);
});

Deno.test("test lets expressions read the objects and images of its context file", async () => {
  const reading = `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: { name: read }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods] }]
  variables:
    - { name: maps, expression: 'resource.List("v1", "configmaps", "shop").items' }
  validations:
    - expression: 'variables.maps.exists(m, m.kind == "ConfigMap" && m.data.team == object.metadata.?labels.team.orValue(""))'
    - expression: 'image.GetMetadata("example.com/web:1").config.user == "10001"'
`;
  const context = `
apiVersion: cli.kyverno.io/v1alpha1
kind: Context
metadata: { name: context }
spec:
  resources:
    - { apiVersion: v1, kind: ConfigMap, metadata: { name: teams, namespace: shop }, data: { team: shop } }
  images:
    - { image: "example.com/web:1", config: { user: "10001" } }
`;
  const entries = `${header}
- { policy: read, isValidatingPolicy: true, kind: Pod, resources: [good], result: pass }
- { policy: read, isValidatingPolicy: true, kind: Pod, resources: [bad], result: fail }
context: context.yaml
`;
  const files = { "policy.yaml": reading, "context.yaml": context, "kyverno-test.yaml": entries };
  const { out, err } = await test(files);
  assert.match(out, /2 tests passed and 0 tests failed/, out + err);
});

Deno.test("test runs policies of mode JSON on payloads", async () => {
  const reading = `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: { name: dockerfile }
spec:
  evaluation: { mode: JSON }
  validations: [{ expression: 'object.Stages.all(stage, stage.Base != "scratch")', message: No scratch. }]
`;
  const entries = `${header.replace("resources: [resources.yaml]", "jsonPayloads: [./a.json, b.json]")}
- { policy: dockerfile, kind: "", resources: [a.json], result: pass }
- { policy: dockerfile, kind: "", resources: [b.json], result: fail }
`;
  const { out, err } = await test({
    "policy.yaml": reading,
    "a.json": '{"Stages": [{"Base": "debian"}]}',
    "b.json": '{"Stages": [{"Base": "scratch"}]}',
    "kyverno-test.yaml": entries,
  });
  assert.match(out, /2 tests passed and 0 tests failed/, out + err);
  assert.match(out, /│ a\.json {3}│/);
});

const checks: readonly [what: string, check: string, summary: string][] = [
  [
    "an assertion that holds",
    "{ match: { resource: { metadata: { name: bad } } }, assert: { status: fail } }",
    "1 tests passed and 0",
  ],
  [
    "an assertion that does not hold",
    "{ match: { resource: { metadata: { name: good } } }, assert: { status: fail } }",
    "0 tests passed and 1",
  ],
  [
    "an assertion that must not hold",
    `{ match: { rule: { name: team } }, error: { "(contains(message, 'nonsense'))": true } }`,
    "2 tests passed and 0",
  ],
  [
    "what holds and must not",
    "{ match: { policy: { metadata: { name: require-team } } }, error: { ruleType: Validation } }",
    "0 tests passed and 2",
  ],
  ["a tree that does not compile", '{ assert: { "(bad[)": true } }', "0 tests passed and 3"],
];
for (const [what, check, summary] of checks) {
  Deno.test(`test checks ${what}`, async () => {
    const text = header.replace("results:", `checks:\n- ${check}`);
    const { out, err } = await test({ "kyverno-test.yaml": text });
    assert.ok(out.includes(`Test Summary: ${summary} tests failed`), out + err);
  });
}

Deno.test("test says which failed mutation keeps an object from what follows, and from its comparison", async () => {
  const failing = `${addOwner("Pod", "{{ request.object.metadata.none }}")}---${requireTeam("Audit")}`;
  const entries = `
- { policy: require-team, rule: team, kind: Pod, resources: [good], result: pass }
- { policy: add-owner, rule: owner, kind: Pod, resources: [good], patchedResources: patched.yaml, result: pass }
`;
  const { code, out, err } = await test({
    "policy.yaml": failing,
    "patched.yaml": patched,
    "kyverno-test.yaml": header + entries,
  });
  assert.match(
    out,
    /Not found\n {2}Policy "require-team" was not applied: policy "add-owner" failed to change the object before/,
  );
  assert.match(err, /not-compared: Nothing was compared: rule "owner" left no object: .*none/);
  assert.equal(code, 1);
});
