/** `docs/support.md` is made from the tables in the code, so that it cannot say what is not so. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { imageVerifyLibrary, kubernetesLibraries, kyvernoLibraries, type Library } from "../lib/cel/mod.ts";
import { commands } from "../lib/cli/commands/table.ts";
import { operatorNames } from "../lib/condition/mod.ts";
import { kyvernoFunctionNotes } from "../lib/jmespath/mod.ts";
import { entryKinds } from "../lib/context/mod.ts";
import { reportFormats } from "../lib/report/mod.ts";
import { controls } from "../lib/rules/pod_security/controls/mod.ts";
import { policyKinds } from "../lib/rules/policy_kinds/table.ts";
import { ruleKinds } from "../lib/rules/mod.ts";

const page = join(import.meta.dirname!, "../docs/support.md");

function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  return [heading, heading.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function code(text: string): string {
  return `\`${text}\``;
}

const deletes = "deletes objects on a schedule, with `serve --watch-policies`";

/** The kinds of policies, each once, with what they do. */
function kindRows(): string[][] {
  const types = new Map<string, Set<string>>();
  for (const { group, kinds, type, onlyOnCommandLine } of policyKinds) {
    const does = onlyOnCommandLine?.({}) === true ? `${deletes}; the command line shows which` : type;
    for (const kind of kinds) {
      const key = `${group} ${kind}`;
      types.set(key, (types.get(key) ?? new Set()).add(does));
    }
  }
  const cel = [...types].map(([key, does]) => {
    const [group, kind] = key.split(" ") as [string, string];
    return [code(kind), group, [...does].join(", ")];
  });
  const cleanup = ["CleanupPolicy", "ClusterCleanupPolicy"]
    .map((kind) => [code(kind), "kyverno.io", deletes]);
  return [
    [code("ClusterPolicy"), "kyverno.io", "see the kinds of rules"],
    [code("Policy"), "kyverno.io", "see the kinds of rules"],
    [code("PolicyException"), "kyverno.io, policies.kyverno.io", "exempts resources from rules"],
    [code("GlobalContextEntry"), "kyverno.io", "values that policies share"],
    ...cel,
    [code("ValidatingPolicy"), "json.kyverno.io", "checks any JSON"],
    ...cleanup,
  ];
}

function libraryRows(libraries: readonly Library[]): string[][] {
  return libraries.map(({ name, functions }) => [
    code(name),
    functions.map((each) => code(each.name)).join(" "),
  ]);
}

function supportPage(): string {
  const functions = kyvernoFunctionNotes();
  const kubernetes = new Set(kubernetesLibraries.map(({ name }) => name));
  return [
    "# What Postern supports",
    "This page is generated from the tables in the code: `UPDATE_GOLDEN=1 deno test -A tests/support_test.ts`. " +
    "[ARCHITECTURE.md](ARCHITECTURE.md) says where each table is; the `mod.ts` of each folder says what it does not support.",
    "## Kinds of policies",
    table(["kind", "API group", "does"], kindRows()),
    "## Kinds of rules",
    table(
      ["body", "phase", "supported"],
      ruleKinds.map(({ kind, type, name, then }) => [
        code(kind),
        then === undefined ? type : `${type}, ${then.type}`,
        name === "unsupported" ? "**no**" : "yes",
      ]),
    ),
    "## Context entries",
    entryKinds.map(code).join(", "),
    "## Operators of conditions",
    operatorNames().map(code).join(", "),
    "## JMESPath functions",
    table(
      ["function", "does"],
      Object.entries(functions).map(([name, { summary }]) => [code(name), summary]).sort(([a], [b]) =>
        a! < b! ? -1 : 1
      ),
    ),
    "## CEL libraries",
    "The standard library of CEL and the libraries of Kubernetes:",
    table(["library", "functions"], libraryRows(kubernetesLibraries)),
    "Kyverno's policies also have:",
    table(
      ["library", "functions"],
      libraryRows(kyvernoLibraries.filter(({ name }) => !kubernetes.has(name))),
    ),
    "ImageValidatingPolicies also have:",
    table(["library", "functions"], libraryRows([imageVerifyLibrary])),
    "## Controls of the Pod Security Standards",
    table(
      ["control", "level", "name in exclusions"],
      controls.map(({ id, level, name }) => [code(id), level, name ?? "none: it cannot be excluded"]),
    ),
    "## Commands",
    table(["command", "does"], commands.map(({ name, about }) => [code(name), about])),
    "## Formats of reports",
    table(["format", "is for"], [...reportFormats.values()].map(({ name, about }) => [code(name), about])),
  ].join("\n\n") + "\n";
}

Deno.test("docs/support.md agrees with the tables in the code", () => {
  const text = supportPage();
  if (Deno.env.get("UPDATE_GOLDEN") !== undefined) Deno.writeTextFileSync(page, text);
  else assert.equal(text, Deno.readTextFileSync(page));
});

Deno.test("the README names every command", () => {
  const readme = Deno.readTextFileSync(join(import.meta.dirname!, "../README.md"));
  const missing = commands.filter(({ name }) => {
    const [first, second] = name.split(" ");
    return !new RegExp(`^\\| .*\`${first}\\b${second === undefined ? "" : `.*\\b${second}\\b`}`, "m").test(
      readme,
    );
  });
  assert.deepEqual(missing.map(({ name }) => name), []);
});
