/** A folder with a policy and objects, and the command apply in it. */
import { inFolder as within, type RunInFolder } from "./in_folder.ts";
import { addOwner, bad, good, requireTeam } from "./team_policies.ts";

const policy = requireTeam("Audit");

const files: Readonly<Record<string, string>> = {
  "policy.yaml": policy,
  "good.yaml": good,
  "bad.yaml": bad,
  "namespace.yaml": "apiVersion: v1\nkind: Namespace\nmetadata: { name: shop }\n",
  "array.yaml": "- apiVersion: v1\n  kind: Pod\n",
  "scalar.yaml": "just a text\n",
  "versionless.yaml": "kind: Pod\nmetadata: { name: x }\n",
  "kindless.yaml": "apiVersion: v1\nmetadata: { name: x }\n",
  "broken.yaml":
    "kind: Pod\nmetadata: {name: a\n---\napiVersion: v1\nkind: Pod\nmetadata: { name: b, labels: { team: a } }\n",
  "empty.yaml": "# nothing\n",
  "cleanup.yaml":
    "apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: { name: old }\nspec: { schedule: '* * * * *', match: { any: [{ resources: { kinds: [Pod] } }] } }\n",
  "undeclared.yaml": policy.replace("require-team", "undeclared").replace("?*", "{{ nobody.name }}"),
  "mutate.yaml": addOwner("Pod", "{{ request.userInfo.username }}"),
  "exception.yaml": `
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: { name: leave-bad, namespace: default }
spec:
  match: { any: [{ resources: { kinds: [Pod], names: [bad] } }] }
  exceptions: [{ policyName: require-team, ruleNames: [team, autogen-team] }]
`,
};

/** Runs `apply` on the files; `@name` stands for a file of that name. */
export async function inFolder(
  work: (apply: RunInFolder, folder: string) => Promise<void>,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  await within({ ...files, ...more }, (run, folder) => work((...args) => run("apply", ...args), folder));
}
