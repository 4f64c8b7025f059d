import { fileProblem } from "../diagnostics/mod.ts";
import { join } from "node:path";
import { type CommandRecord, longName, type OptionRecord } from "./command.ts";
import { type Terminal, unusable } from "./terminal.ts";

/** `docs`: writes a page for each command, and a page that links to all of them. */
export async function docs(
  { output, website }: { readonly output: string; readonly website: boolean },
  commands: readonly CommandRecord[],
  terminal: Terminal,
): Promise<number> {
  try {
    await Deno.mkdir(output, { recursive: true });
    const lines = commands.map((each) => `- [postern ${each.name}](${fileOf(each)}): ${each.about}`);
    await Deno.writeTextFile(join(output, "postern.md"), page("postern", [...lines, ""].join("\n"), website));
    for (const each of commands) {
      await Deno.writeTextFile(
        join(output, fileOf(each)),
        page(`postern ${each.name}`, bodyOf(each), website),
      );
    }
    terminal.err(`${commands.length + 1} pages in ${output}`);
    return 0;
  } catch (cause) {
    return unusable(`cannot write to ${output}: ${fileProblem(cause, "write")}`, terminal);
  }
}

function fileOf({ name }: CommandRecord): string {
  return `postern_${name.replace(" ", "_")}.md`;
}

function page(title: string, body: string, isWebsite: boolean): string {
  return isWebsite ? `---\ntitle: "${title}"\n---\n\n${body}` : `# ${title}\n\n${body}`;
}

function bodyOf({ name, about, operands, options, examples }: CommandRecord): string {
  const usage = ["postern", name, "[options]", ...operands.map(({ form }) => form)].join(" ");
  const shown = Object.entries(options).filter(([, option]) =>
    option.hidden !== true && option.type !== "unsupported"
  );
  const rows = shown.map(([key, option]) =>
    `| ${flagText(key, option)} | ${cell(option.about)} | ${defaultText(option)} |`
  );
  const table = rows.length === 0
    ? []
    : ["| option | what it does | default |", "|---|---|---|", ...rows, ""];
  const tried = examples.map(({ does, line }) => `# ${does}\npostern ${line}`).join("\n\n");
  const given = operands.map(({ form, about }) => `- \`${form}\`: ${about}`);
  if (given.length > 0) given.push("");
  return [`${about}.`, "", "```sh", usage, "```", "", ...given, ...table, "```sh", tried, "```", ""].join(
    "\n",
  );
}

function flagText(key: string, option: OptionRecord): string {
  const long = option.type === "flag" && option.default === true
    ? `--no-${longName(key, option)}`
    : `--${longName(key, option)}`;
  const value = "value" in option ? ` <${option.value}>` : "";
  return cell(`\`${option.short === undefined ? "" : `-${option.short}, `}${long}${value}\``);
}

function defaultText(option: OptionRecord): string {
  if (option.type === "flag" || option.type === "texts" || option.type === "unsupported") return "";
  const initial = option.default;
  if (initial === undefined || (Array.isArray(initial) && initial.length === 0)) return "";
  return cell(`\`${Array.isArray(initial) ? initial.join(",") : initial}\``);
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
