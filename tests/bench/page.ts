/** Results as text for a terminal, and as `docs/performance.md` with a plot. */
import { root } from "./bench.ts";
import type { Line, Results, Row } from "./results.ts";

const page = `${root}docs/performance.md`;
const plotFile = `${root}docs/throughput.svg`;

/** Prints the results as tables to standard output. */
export function printResults(results: Results): void {
  const lines = [...results.notes];
  for (const { title, rows } of results.sections) {
    const width = Math.max(...rows.map(({ what }) => what.length), 0);
    lines.push("", title);
    for (const { what, value, goal } of rows) {
      lines.push(`  ${what.padEnd(width)}  ${value}${verdict({ goal })}`);
    }
  }
  Deno.stdout.writeSync(new TextEncoder().encode(`${lines.join("\n")}\n`));
}

function verdict({ goal }: Pick<Row, "goal">): string {
  return goal === undefined ? "" : `  [${goal.met ? "met" : "NOT MET"}: ${goal.text}]`;
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
    ...results.notes,
    "",
    ...(results.lines.length === 0 ? [] : ["![Requests in a second over connections](throughput.svg)", ""]),
  ];
  for (const { title, rows } of results.sections) {
    text.push(`## ${title}`, "", "| what | measured | goal | met |", "| --- | --- | --- | --- |");
    for (const { what, value, goal } of rows) {
      text.push(
        `| ${what} | ${value} | ${goal?.text ?? ""} | ${
          goal === undefined ? "" : goal.met ? "yes" : "**no**"
        } |`,
      );
    }
    text.push("");
  }
  await Deno.mkdir(`${root}docs`, { recursive: true });
  await Deno.writeTextFile(page, text.join("\n"));
  if (results.lines.length > 0) await Deno.writeTextFile(plotFile, plot(results.lines));
}

const width = 760, height = 420, left = 70, right = 250, top = 20, bottom = 50;
const colours = [
  "#777777",
  "#aaaaaa",
  "#1b6ac9",
  "#c9361b",
  "#2a8f3c",
  "#8d3fb8",
  "#c98a1b",
  "#1ba7a7",
  "#b81b74",
];

/** Requests in a second over connections, a line a scenario, as SVG. */
function plot(lines: readonly Line[]): string {
  const most = Math.max(...lines.flatMap(({ points }) => points.map(({ rate }) => rate)));
  const steps = lines[0]!.points.map(({ connections }) => connections);
  const x = (connections: number): number =>
    left + steps.indexOf(connections) * (width - left - right) / Math.max(1, steps.length - 1);
  const y = (rate: number): number => height - bottom - rate / most * (height - top - bottom);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
  ];
  for (let step = 0; step <= 4; step++) {
    const rate = most * step / 4, at = y(rate).toFixed(1);
    parts.push(
      `<line x1="${left}" x2="${width - right}" y1="${at}" y2="${at}" stroke="#e5e5e5"/>`,
      `<text x="${left - 8}" y="${Number(at) + 4}" text-anchor="end">${rate.toFixed(0)}</text>`,
    );
  }
  for (const connections of steps) {
    parts.push(
      `<text x="${x(connections)}" y="${height - bottom + 20}" text-anchor="middle">${connections}</text>`,
    );
  }
  parts.push(
    `<text x="${(left + width - right) / 2}" y="${
      height - 12
    }" text-anchor="middle">connections (requests in a second)</text>`,
  );
  for (const [index, { title, points }] of lines.entries()) {
    const colour = colours[index % colours.length]!;
    const path = points.map(({ connections, rate }) => `${x(connections).toFixed(1)},${y(rate).toFixed(1)}`)
      .join(" ");
    parts.push(
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      `<rect x="${width - right + 14}" y="${top + index * 22}" width="14" height="3" fill="${colour}"/>`,
      `<text x="${width - right + 34}" y="${top + 6 + index * 22}">${escapeText(title)}</text>`,
    );
  }
  return `${parts.join("\n")}\n</svg>\n`;
}

function escapeText(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
}
