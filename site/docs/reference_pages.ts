import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { longName, type OptionRecord } from "../../lib/cli/command.ts";
import { commands } from "../../lib/cli/commands/table.ts";
import { environmentNotes } from "../../lib/cli/environment_notes.ts";
import { kyvernoFunctionNotes, kyvernoFunctions } from "../../lib/jmespath/mod.ts";
import { Metrics } from "../../lib/server/mod.ts";
import { celPage } from "./cel_page.ts";
import { fieldPages } from "./field_pages.ts";
import { operatorPage } from "./operator_page.ts";
import { code, codeIn, type Page, table } from "./page.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The pages that are made from tables in the code. */
export async function referencePages(): Promise<Page[]> {
  return [
    functionPage(),
    celPage(),
    operatorPage(),
    ...fieldPages(),
    await metricPage(),
    ...await commandPages(),
    optionPage(),
  ];
}

/** Every JMESPath function with its examples, which `deno task test` runs. */
function functionPage(): Page {
  const functions = [...kyvernoFunctions().values()].sort((a, b) => a.name < b.name ? -1 : 1);
  const notes = kyvernoFunctionNotes();
  const parts = functions.map(({ name, parameters, returns }) => {
    const { summary, examples } = notes[name]!;
    const takes = parameters.map((each) => `${each.name}: ${each.types.join(" or ")}`).join(", ");
    return [
      `## ${name}`,
      summary,
      code(`${name}(${takes}) → ${returns.join(" or ")}`),
      table(
        ["expression", "result"],
        examples.map(({ expression, result }) => [code(expression), code(JSON.stringify(result))]),
      ),
    ].join("\n\n");
  });
  return {
    path: "reference/jmespath.md",
    section: "Reference",
    title: "JMESPath functions",
    text: [
      "# JMESPath functions",
      "`postern jp query` tries an expression, `postern jp function NAME` shows one of these.",
      ...parts,
    ]
      .join("\n\n") + "\n",
  };
}

/** Every metric with its help text, as the server writes it. */
async function metricPage(): Promise<Page> {
  const text = await new Metrics().text();
  const rows = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)/gm)]
    .map(([, name, help, type]) => [code(name!), type!, help!]);
  if (rows.length === 0) throw new Error("the metrics have no help texts");
  return {
    path: "reference/metrics.md",
    section: "Reference",
    title: "Metrics",
    text: `# Metrics\n\n\`/metrics\` on port 8000, in Prometheus' format, under Kyverno's names.\n\n${
      table(["metric", "type", "what it counts"], rows)
    }\n`,
  };
}

/** Every option of every command, and every environment variable. */
function optionPage(): Page {
  const uses = commands.flatMap((each) =>
    Object.entries(each.options)
      .filter(([, option]) => option.hidden !== true && option.type !== "unsupported")
      .map(([key, option]) => ({ name: flagOf(key, option), command: each.name, about: option.about }))
  );
  const rows = [...Map.groupBy(uses, ({ name, about }) => `${name} ${about}`).values()]
    .map((same) => [code(same[0]!.name), same.map(({ command }) => code(command)).join(" "), same[0]!.about])
    .sort(([left], [right]) => left! < right! ? -1 : 1);
  return {
    path: "reference/options.md",
    section: "Reference",
    title: "Options and environment",
    text: [
      "# Options and environment",
      "## Environment",
      table(
        ["variable", "read by", "what it is"],
        environmentNotes.map(({ name, reader, about }) => [code(name), reader, codeIn(about)]),
      ),
      "## Options",
      table(["option", "of", "what it does"], rows.map(([name, of, about]) => [name!, of!, codeIn(about!)])),
    ].join("\n\n") + "\n",
  };
}

/** An option as it is written: flags that are on by default are switched off. */
function flagOf(key: string, option: OptionRecord): string {
  return option.type === "flag" && option.default === true
    ? `--no-${longName(key, option)}`
    : `--${longName(key, option)}`;
}

/** A page for each command, which the command line writes itself. */
async function commandPages(): Promise<Page[]> {
  const folder = await Deno.makeTempDir({ prefix: "postern-docs-" });
  try {
    const { success, stderr } = await new Deno.Command("deno", {
      args: [
        "run",
        "--allow-read",
        "--allow-write",
        "--allow-env",
        join(root, "main.ts"),
        "docs",
        "--output",
        folder,
      ],
      stdin: "null",
    }).output();
    if (!success) throw new Error(new TextDecoder().decode(stderr));
    const names = [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
    return await Promise.all(names.map(async (name) => ({
      path: `reference/commands/${name}`,
      title: name,
      text: await Deno.readTextFile(join(folder, name)),
      ...(name === "postern.md" && { section: "Reference" as const, title: "Commands" }),
    })));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
