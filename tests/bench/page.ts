/** Results as text for a terminal, and as `docs/performance.md` with a plot. */
import { root } from "./bench.ts";
import { plot } from "./plot.ts";
import { type Part, type Results, verdict } from "./results.ts";

const page = `${root}docs/performance.md`;
const plotFile = `${root}docs/throughput.svg`;

/** Prints the results as tables to standard output. */
export function printResults(results: Results): void {
  const lines = [...results.notes];
  for (const { title, columns, rows } of results.parts) {
    lines.push("", title);
    const table = [["", ...columns], ...rows.map(({ what, values }) => [what, ...values])];
    const widths = table[0]!.map((_, column) =>
      Math.max(...table.map((cells) => (cells[column] ?? "").length))
    );
    for (const [index, cells] of table.entries()) {
      if (index === 0 && columns.length === 1) continue;
      const goals = rows[index - 1]?.goals ?? [];
      const padded = cells.map((cell, column) => cell.padEnd(widths[column]!));
      lines.push(`  ${padded.join("  ")}${goals.map(verdict).join("")}`.trimEnd());
    }
  }
  Deno.stdout.writeSync(new TextEncoder().encode(`${lines.join("\n")}\n`));
}

/** Writes the page and its plot into `docs/`. */
export async function writePage(results: Results): Promise<void> {
  const text = [
    "# Performance",
    "",
    "<!-- Written by `deno task bench --write`: change the benchmark, not this page. -->",
    "",
    "One run of `deno task bench`. Compare within the run: absolute figures depend on the machine.",
    "",
    ...results.notes.flatMap((note) => [note, ""]),
    summary(results),
    "",
    ...(results.lines.length === 0 ? [] : ["![Requests in a second over connections](throughput.svg)", ""]),
    ...results.parts.flatMap(section),
  ];
  await Deno.mkdir(`${root}docs`, { recursive: true });
  await Deno.writeTextFile(page, `${text.join("\n").trimEnd()}\n`);
  if (results.lines.length > 0) await Deno.writeTextFile(plotFile, plot(results.lines));
  // `deno fmt --check` checks both with the rest of the documentation.
  await new Deno.Command(Deno.execPath(), { args: ["fmt", "--quiet", page, plotFile], cwd: root }).output();
}

function summary({ parts }: Results): string {
  const goals = parts.flatMap(({ title, rows }) =>
    rows.flatMap(({ what, goals }) => goals.map((goal) => ({ ...goal, where: `${title}: ${what}` })))
  );
  const missed = goals.filter(({ met }) => !met);
  const head = `**${goals.length - missed.length} of ${goals.length} goals are met.**`;
  if (missed.length === 0) return head;
  return `${head} Not met:\n\n${missed.map(({ where, text }) => `- ${where} (${text})`).join("\n")}`;
}

function section({ title, text, columns, rows }: Part): string[] {
  const hasGoals = rows.some(({ goals }) => goals.length > 0);
  const heads = ["", ...columns, ...(hasGoals ? ["goal"] : [])];
  const lines = rows.map(({ what, values, goals }) => {
    const padded = columns.map((_, index) => values[index] ?? "");
    const goalText = goals.map(({ text, met }) => `${text}: ${met ? "met" : "**not met**"}`).join("; ");
    return [what, ...padded, ...(hasGoals ? [goalText] : [])];
  });
  return [
    `## ${title}`,
    "",
    ...(text === "" ? [] : [text, ""]),
    ...[heads, heads.map(() => "---"), ...lines].map((cells) => `| ${cells.map(cellText).join(" | ")} |`),
    "",
  ];
}

/** A text that stays in its cell: failures are lines of their own. */
function cellText(text: string): string {
  return text.replace(/\s+/g, " ").replaceAll("|", "\\|").slice(0, 300);
}
