import { type Check, checkText } from "./set.ts";

/** A row of a report: policy, rule, apiVersion, kind, namespace, name, result, message. */
export type ReportRow = readonly string[];

/**
 * Compares rows as multisets: equal ones belong together, what is left of one policy, rule and object is compared in
 * order. A missing or surplus row is a difference of results.
 */
export function compareRows(
  expected: readonly ReportRow[],
  actual: readonly ReportRow[],
  normal: (message: string) => string = (message) => message,
): Check[] {
  const wanted = grouped(expected), found = grouped(actual);
  return [...new Set([...wanted.keys(), ...found.keys()])].flatMap((name) =>
    compareGroup(name, { wanted: wanted.get(name) ?? [], found: found.get(name) ?? [], normal })
  );
}

function grouped(rows: readonly ReportRow[]): Map<string, ReportRow[]> {
  const groups = new Map<string, ReportRow[]>();
  for (const row of [...rows].sort()) {
    const key = row.slice(0, 6).join(" ");
    groups.set(key, [...groups.get(key) ?? [], row]);
  }
  return groups;
}

interface Group {
  readonly wanted: readonly ReportRow[];
  readonly found: readonly ReportRow[];
  readonly normal: (message: string) => string;
}

function compareGroup(name: string, { wanted, found, normal }: Group): Check[] {
  const text = (row: ReportRow): string => `${row[6]} ${normal(row[7]!)}`;
  const rest = [...found], missing: ReportRow[] = [], pairs: [ReportRow, ReportRow][] = [];
  for (const row of wanted) {
    const same = rest.findIndex((candidate) => text(candidate) === text(row));
    if (same < 0) missing.push(row);
    else pairs.push([row, rest.splice(same, 1)[0]!]);
  }
  const checks = pairs.flatMap(([want, have]) => compareRow(name, { want, have, normal }));
  for (let index = 0; index < Math.max(missing.length, rest.length); index++) {
    checks.push(...compareRow(name, { want: missing[index], have: rest[index], normal }));
  }
  return checks;
}

function compareRow(
  name: string,
  { want, have, normal }: {
    readonly want: ReportRow | undefined;
    readonly have: ReportRow | undefined;
    readonly normal: (message: string) => string;
  },
): Check[] {
  const surplus = want === undefined ? ` (${have![7]})` : "";
  const result = checkText(
    "result",
    `${name} ${want?.[6] ?? "no row"}`,
    `${name} ${have?.[6] ?? "no row"}${surplus}`,
  );
  if (want === undefined || have === undefined) return [result];
  return [result, checkText("message", `${name} ${normal(want[7]!)}`, `${name} ${normal(have[7]!)}`)];
}
