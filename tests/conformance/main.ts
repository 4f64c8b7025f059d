// deno-lint-ignore-file no-console
/**
 * Compares Postern with Kyverno's recorded answers.
 *
 *     deno task conformance [NAME…] [--json] [--show N]
 *
 * NAME selects sets by prefix (`matrix`, `admission/01`). The corpus is read from CONFORMANCE_CORPUS, by default
 * `../shared/corpus`. Exit 1 when a check differs that `accepted_differences/` does not list, or when a listed one
 * agrees.
 */
import { join, resolve } from "node:path";
import { acceptedDifferences } from "./accepted_differences.ts";
import type { Check } from "./set.ts";
import { sets } from "./sets/mod.ts";

interface Difference {
  readonly id: string;
  readonly input: string;
  readonly check: Check;
  readonly reason: string | undefined;
}

interface Tally {
  readonly set: string;
  readonly aspect: string;
  readonly goal: number;
  readonly pending: string | undefined;
  rows: number;
  agree: number;
  accepted: number;
  readonly differences: Difference[];
}

const root = resolve(import.meta.dirname!, "../..");
const corpus = resolve(root, Deno.env.get("CONFORMANCE_CORPUS") ?? "../shared/corpus");
const args = [...Deno.args];
const json = takeFlag("--json");
const show = Number(takeOption("--show") ?? "3");
const names = args;

if (!exists(corpus)) {
  console.log(
    `conformance: no corpus at ${Deno.env.get("CONFORMANCE_CORPUS") ?? "../shared/corpus"}, nothing compared`,
  );
  Deno.exit(0);
}

const chosen = sets.filter((set) => names.length === 0 || names.some((name) => set.name.startsWith(name)));
if (chosen.length === 0) {
  console.error(
    `conformance: no set is named ${names.join(", ")}; there are ${sets.map((set) => set.name).join(", ")}`,
  );
  Deno.exit(2);
}

const tallies: Tally[] = [];
const stale: string[] = [];
for (const set of chosen) {
  const accepted = acceptedDifferences(set.name);
  const seen = new Map<string, number>();
  const byAspect = new Map<string, Tally>();
  for await (const row of set.rows(corpus)) {
    for (const check of await row.check()) {
      const tally = byAspect.get(check.aspect) ??
        {
          set: set.name,
          aspect: check.aspect,
          goal: set.goals[check.aspect] ?? 1,
          pending: set.pending,
          rows: 0,
          agree: 0,
          accepted: 0,
          differences: [],
        };
      byAspect.set(check.aspect, tally);
      tally.rows++;
      if (check.agree) {
        tally.agree++;
        continue;
      }
      const key = `${row.id} ${check.aspect}`;
      const count = (seen.get(key) ?? 0) + 1;
      seen.set(key, count);
      const entry = accepted.get(key);
      const reason = entry !== undefined && count <= entry.checks ? entry.reason : undefined;
      if (reason !== undefined) tally.accepted++;
      tally.differences.push({ id: row.id, input: row.input, check, reason });
    }
  }
  tallies.push(...byAspect.values());
  for (const [key, { checks }] of accepted) {
    if ((seen.get(key) ?? 0) < checks) stale.push(`${set.name} ${key}`);
  }
}

if (json) console.log(JSON.stringify({ tallies, stale }, null, 2));
else printTable();

const gating = tallies.filter((tally) => tally.pending === undefined);
const surprises = gating.reduce(
  (sum, tally) => sum + tally.differences.filter((d) => d.reason === undefined).length,
  0,
);
const missed = gating.filter((tally) => tally.agree / tally.rows < tally.goal);
if (!json) {
  for (const { set, aspect, goal } of missed) {
    console.log(`goal missed: ${set} ${aspect} promises ${percent(goal)}`);
  }
  for (const key of stale) console.log(`listed as a known difference, but agrees: ${key}`);
  for (const pending of new Set(tallies.flatMap((tally) => tally.pending ?? []))) {
    console.log(`pending: ${pending}`);
  }
  const agree = tallies.reduce((sum, tally) => sum + tally.agree + tally.accepted, 0);
  console.log(`conformance: ${agree} passed, ${surprises} failed`);
}
Deno.exit(surprises + stale.length + missed.length > 0 ? 1 : 0);

function printTable(): void {
  const rows = tallies.map((t) => [
    t.set,
    t.aspect,
    String(t.rows),
    String(t.agree),
    String(t.rows - t.agree),
    String(t.accepted),
    percent(t.agree / t.rows),
  ]);
  const table = [["set", "aspect", "rows", "agree", "differ", "known", "share"], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  for (const row of table) {
    const cells = row.map((cell, column) =>
      column < 2 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)
    );
    console.log(cells.join("  "));
  }
  for (const tally of tallies) {
    for (
      const { id, input, check } of tally.differences.filter((d) => d.reason === undefined).slice(0, show)
    ) {
      console.log(`\n${tally.set} ${id} ${check.aspect}\n  input:    ${clip(input)}`);
      console.log(`  expected: ${clip(check.expected)}\n  actual:   ${clip(check.actual)}`);
    }
    const reasons = new Map<string, number>();
    for (const { reason } of tally.differences) {
      if (reason !== undefined) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
    for (const [reason, count] of reasons) {
      console.log(`\n${tally.set} ${tally.aspect}: ${count} known: ${reason}`);
    }
  }
  console.log("");
}

function percent(share: number): string {
  return `${(Math.floor(share * 10000) / 100).toFixed(2)} %`;
}

function clip(text: string): string {
  return text.length > 1500 ? `${text.slice(0, 1500)}… (${text.length} characters)` : text;
}

function takeFlag(name: string): boolean {
  const index = args.indexOf(name);
  if (index >= 0) args.splice(index, 1);
  return index >= 0;
}

function takeOption(name: string): string | undefined {
  const index = args.indexOf(name);
  return index < 0 ? undefined : args.splice(index, 2)[1];
}

function exists(path: string): boolean {
  try {
    Deno.statSync(join(path, "README.md"));
    return true;
  } catch {
    return false;
  }
}
