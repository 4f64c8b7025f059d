/** Nothing is green that was not checked: every command that reads policies, in both dialects. */
import assert from "node:assert/strict";
import { good, policy } from "./team_policies.ts";
import { inFolder } from "./in_folder.ts";

const undeclared = policy.replace("require-team", "undeclared").replace("?*", "{{ nobody.name }}");

const files: Readonly<Record<string, string>> = {
  "policy.yaml": policy,
  "pod.yaml": good,
  "broken.yaml": `kind: ClusterPolicy\nmetadata: {name: a\n---${policy.replace("require-team", "sound")}`,
  "unknown.yaml": "apiVersion: example.com/v1\nkind: Widget\nmetadata: { name: w }\n",
  "cleanup.yaml":
    "apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: { name: old }\nspec: { schedule: '* * * * *', match: { any: [{ resources: { kinds: [Pod] } }] } }\n",
  "deleting.yaml":
    "apiVersion: policies.kyverno.io/v1\nkind: DeletingPolicy\nmetadata: { name: gone }\nspec: { schedule: '* * * * *', matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: [v1], resources: [pods] }] }, conditions: [{ name: a, expression: 'true' }] }\n",
  "undeclared.yaml": undeclared,
  "bodyless.yaml": policy.replace("require-team", "bodyless").replace("pattern:", "pattren:"),
};

/** Mistakes among the policies, with the message that each must cause. */
const policies: readonly (readonly [what: string, path: string, said: RegExp])[] = [
  ["a missing policy", "@missing.yaml", /missing\.yaml/],
  ["a remote policy whose server does not answer", "http://127.0.0.1:1/policy.yaml", /127\.0\.0\.1:1/],
  ["a kind that is no policy", "@unknown.yaml", /Widget/],
  ["a ClusterCleanupPolicy", "@cleanup.yaml", /ClusterCleanupPolicy/],
  ["a DeletingPolicy", "@deleting.yaml", /DeletingPolicy/],
  ["a broken document among good ones", "@broken.yaml", /broken\.yaml:\d+:\d+: error invalid-yaml/],
  ["an undeclared variable", "@undeclared.yaml", /nobody/],
  ["a rule without a body", "@bodyless.yaml", /pattren/],
];

/** Commands that take the policy; `test` reads it by its test file. */
const commands: readonly (readonly [name: string, args: (path: string) => readonly string[]])[] = [
  ["apply", (path) => ["apply", "@policy.yaml", path, "-r", "@pod.yaml"]],
  ["explain", (path) => ["explain", "@policy.yaml", path, "-r", "@pod.yaml"]],
  ["lint", (path) => ["lint", "@policy.yaml", path]],
  ["test", () => ["test", "@kyverno-test.yaml"]],
];

/**
 * Whether a command treats the mistake in another way: lint and test read no addresses, all but lint evaluate
 * DeletingPolicies, and apply evaluates cleanup policies.
 */
const isOtherwise = (command: string, what: string): boolean =>
  what.startsWith("a remote policy") && (command === "lint" || command === "test") ||
  what === "a DeletingPolicy" && command !== "lint" ||
  what === "a ClusterCleanupPolicy" && command === "apply";

function testOf(path: string): string {
  return `
apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: { name: team }
policies: [policy.yaml, ${path.replace("@", "")}]
resources: [pod.yaml]
results: [{ policy: require-team, rule: team, kind: Pod, resources: [good], result: pass }]
`;
}

for (const [what, path, said] of policies) {
  for (const [name, args] of commands) {
    if (isOtherwise(name, what)) continue;
    Deno.test(`${name} does not succeed for ${what}, in both dialects`, () =>
      inFolder({ ...files, "kyverno-test.yaml": testOf(path) }, async (run) => {
        for (const dialect of ["classic", "current"]) {
          const { code, out, err } = await run(...args(path), "--dialect", dialect);
          assert.match(`${out}\n${err}`, said);
          assert.equal(code, 1, `${dialect}\n${out}\n${err}`);
        }
      }));
  }
}

Deno.test("a rule with an error-level diagnostic has the result error", () =>
  inFolder(files, async (run) => {
    for (const path of ["@undeclared.yaml", "@bodyless.yaml"]) {
      const { out } = await run("apply", path, "-r", "@pod.yaml");
      assert.match(out, /pass: 0, fail: 0, warn: 0, error: [1-9]/);
      assert.match((await run("explain", path, "-r", "@pod.yaml")).out, /error/);
    }
  }));

Deno.test("a list without policies, as kubectl writes it for a cluster without any, is no success", () =>
  inFolder({ ...files, "list.yaml": "apiVersion: v1\nkind: List\nitems: []\n" }, async (run) => {
    for (const args of [["apply", "@list.yaml", "-r", "@pod.yaml"], ["lint", "@list.yaml"]]) {
      const { code, out, err } = await run(...args);
      assert.match(`${out}\n${err}`, /error no-policies: list\.yaml: there are no policies/);
      assert.equal(code, 1);
    }
  }));

Deno.test("a cluster that does not answer is an error, with its address", () => {
  const kubeconfig = `
apiVersion: v1
kind: Config
clusters: [{ name: c, cluster: { server: "https://127.0.0.1:1" } }]
users: [{ name: u, user: { token: t } }]
contexts: [{ name: c, context: { cluster: c, user: u } }]
current-context: c
`;
  return inFolder({ ...files, kubeconfig }, async (run) => {
    const applied = await run("apply", "@policy.yaml", "--cluster", "--kubeconfig", "@kubeconfig");
    assert.match(applied.err, /error unreadable-cluster: cluster at https:\/\/127\.0\.0\.1:1: /);
    assert.equal(applied.code, 1);
    const unblocked = await run("unblock", "--kubeconfig", "@kubeconfig");
    assert.match(unblocked.err, /^error: cluster at https:\/\/127\.0\.0\.1:1: GET /);
    assert.equal(unblocked.code, 1);
  });
});
