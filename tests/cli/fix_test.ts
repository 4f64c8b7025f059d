/** `fix`: older files in the current format, with their comments. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { bad, good } from "./team_policies.ts";
import { inFolder } from "./in_folder.ts";

const oldPolicy = `# why it is here
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: old
spec:
  validationFailureAction: enforce # for now
  rules:
  - name: team
    match:
      resources:
        kinds:
        - Pod
    preconditions:
    - key: "{{ request.operation }}"
      operator: In
      value: [CREATE]
    validate:
      message: no team
      pattern:
        metadata:
          labels:
            team: "?*"
`;

const newPolicy = `# why it is here
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: old
spec:
  validationFailureAction: Enforce # for now
  rules:
  - name: team
    match:
      any:
      - resources:
          kinds:
          - Pod
    preconditions:
      all:
      - key: "{{ request.operation }}"
        operator: AllIn
        value: [CREATE]
    validate:
      message: no team
      pattern:
        metadata:
          labels:
            team: "?*"
`;

Deno.test("fix policy prints the policy in the current format and keeps its comments", () =>
  inFolder({ "policy.yaml": oldPolicy, "pod.yaml": bad }, async (run, folder) => {
    const { code, out, err } = await run("fix", "policy", "@policy.yaml");
    assert.equal(code, 0);
    assert.equal(`${out}\n`, newPolicy);
    assert.match(err, /policy\.yaml:\n {2}validationFailureAction uses an old value, now Enforce\n/);
    assert.equal(await Deno.readTextFile(join(folder, "policy.yaml")), oldPolicy);
    const before = await run("apply", "@policy.yaml", "-r", "@pod.yaml");
    await run("fix", "policy", "@policy.yaml", "--save");
    assert.equal(await Deno.readTextFile(join(folder, "policy.yaml")), newPolicy);
    assert.equal((await run("apply", "@policy.yaml", "-r", "@pod.yaml")).out, before.out);
    assert.deepEqual(await run("fix", "policy", "@policy.yaml"), {
      code: 0,
      out: "",
      err: "nothing to fix in 1 file",
    });
  }));

Deno.test("fix test moves names and resources, and --compress joins results", () => {
  const oldTest = `name: old
policies: [policy.yaml]
resources: [good.yaml, bad.yaml]
results:
# both
- policy: old
  rule: team
  resource: good
  namespace: default
  kind: Pod
  status: pass
- policy: old
  rule: team
  resource: bad
  kind: Pod
  status: fail
- policy: old
  rule: team
  resources: [bad, bad]
  kind: Pod
  result: fail
`;
  const files = {
    "policy.yaml": oldPolicy,
    "good.yaml": good,
    "bad.yaml": bad,
    "kyverno-test.yaml": oldTest,
  };
  return inFolder(files, async (run, folder) => {
    assert.equal((await run("fix", "test", "@", "--save", "--compress")).code, 0);
    const text = await Deno.readTextFile(join(folder, "kyverno-test.yaml"));
    assert.match(text, /^ *# both$/m);
    const { out, code } = await run("test", "@");
    assert.match(out, /Test Summary: \d tests passed and 0 tests failed/);
    assert.equal(code, 0);
    assert.equal(text.match(/result: fail/g)?.length, 1);
  });
});

Deno.test("fix reports a file that it cannot read, and does not change it", () =>
  inFolder({ "policy.yaml": "kind: [ClusterPolicy\n" }, async (run) => {
    const { code, err } = await run("fix", "policy", "@policy.yaml", "@missing.yaml", "--save");
    assert.equal(code, 1);
    assert.match(
      err,
      /missing-file[\s\S]*policy\.yaml:2:1: error invalid-yaml: Flow sequence .* with a \]$/m,
    );
  }));
