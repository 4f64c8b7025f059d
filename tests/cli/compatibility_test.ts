/** Every flag of Kyverno's command line does what `docs/compatibility.md` says, which is made from the same table. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { bad, good, policy } from "./team_policies.ts";
import { inFolder } from "./in_folder.ts";
import { deliberate, type KyvernoFlag, kyvernoFlags } from "./kyverno_flags.ts";

const files: Readonly<Record<string, string>> = {
  "policy.yaml": policy.replace("Enforce", "Audit"),
  "good.yaml": good,
  "bad.yaml": bad,
  "query.txt": "apiVersion",
  "context.yaml": "apiVersion: cli.kyverno.io/v1alpha1\nkind: Context\nspec: { resources: [] }\n",
  "values.yaml": "apiVersion: cli.kyverno.io/v1alpha1\nkind: Values\n",
  "user.yaml": "apiVersion: cli.kyverno.io/v1alpha1\nkind: UserInfo\nuserInfo: { username: ann }\n",
  "kubeconfig": "apiVersion: v1\nkind: Config\ncurrent-context: a\ncontexts: []\n",
  "exception.yaml": `
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: { name: leave-bad, namespace: default }
spec:
  match: { any: [{ resources: { kinds: [Pod], names: [bad] } }] }
  exceptions: [{ policyName: require-team, ruleNames: [team] }]
`,
  "cel.yaml": `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: { name: small }
spec:
  evaluation: { mode: JSON }
  validations: [{ expression: "object.kind == 'Pod'" }]
`,
  "json.yaml": `
apiVersion: json.kyverno.io/v1alpha1
kind: ValidatingPolicy
metadata: { name: named }
spec:
  rules:
  - name: named
    assert: { all: [{ check: { metadata: { name: good } } }] }
`,
};

const kyvernoTest = `
apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: { name: team }
policies: [../policy.yaml]
resources: [../good.yaml]
results:
- { policy: require-team, rule: team, kind: Pod, resources: [good], result: pass }
`;

for (const { command, flag, line, code, shows } of kyvernoFlags) {
  Deno.test(`${command} ${flag} works as docs/compatibility.md says`, () =>
    inFolder(files, async (run, folder) => {
      await Deno.mkdir(join(folder, "tests"));
      await Deno.writeTextFile(join(folder, "tests", "kyverno-test.yaml"), kyvernoTest);
      const ran = await run(...line);
      assert.match(`${ran.out}${ran.out === "" || ran.err === "" ? "" : "\n"}${ran.err}`, shows);
      assert.equal(ran.code, code, ran.err);
    }));
}

const marks = ["<!-- flags: made by tests/cli/compatibility_test.ts -->", "<!-- end of flags -->"] as const;

Deno.test("docs/compatibility.md has the table of flags", () => {
  const path = join(import.meta.dirname!, "..", "..", "docs", "compatibility.md");
  const groups = Map.groupBy(kyvernoFlags, ({ command }) => command);
  const tables = [...groups].flatMap(([command, rows]) => [
    `### kyverno ${command}`,
    "",
    "| flag | Postern | |",
    "|---|---|---|",
    ...rows.map(rowOf),
    "",
  ]);
  const text = [marks[0], "", ...deliberate.map((each) => `- ${each}`), "", ...tables, marks[1]].join("\n");
  const page = Deno.readTextFileSync(path);
  const [begin, end] = [page.indexOf(marks[0]), page.indexOf(marks[1])];
  assert.ok(begin >= 0 && end > begin, "the page has a place for the table");
  if (Deno.env.get("UPDATE_GOLDEN") !== undefined) {
    // `deno fmt` then lays it out.
    Deno.writeTextFileSync(path, `${page.slice(0, begin)}${text}${page.slice(end + marks[1].length)}`);
  } else assert.equal(plain(page.slice(begin, end + marks[1].length)), plain(text));
});

/** A text without its layout: spaces, line breaks, the widths of columns. */
function plain(text: string): string {
  return text.replaceAll(/^[|\s-]+$/gm, "").replaceAll(/\s+/g, "");
}

function rowOf({ flag, verdict, note }: KyvernoFlag): string {
  return `| \`${flag.replaceAll("|", "\\|")}\` | ${verdict} | ${note.replaceAll("|", "\\|")} |`;
}
