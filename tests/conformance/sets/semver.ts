import { join } from "node:path";
import { isFault } from "../../../lib/json/mod.ts";
import {
  compareSemver,
  compileSemverRange,
  formatSemver,
  parseSemver,
  zeroSemver,
} from "../../../lib/kube/mod.ts";
import { type Check, checkText, type ConformanceSet, jsonLines } from "../set.ts";

interface SemverRow {
  readonly version: string;
  readonly range?: string;
  readonly other?: string;
  readonly error?: string;
  readonly versionError?: string;
  readonly otherError?: string;
  readonly match?: boolean;
  readonly canonical?: string;
  readonly compare?: number;
}

/** Semantic versions and ranges of them. */
export const semver: ConformanceSet = {
  name: "matrix/semver",
  goals: {},
  *rows(corpus) {
    for (const { line, row } of jsonLines<SemverRow>(join(corpus, "matrix/semver.jsonl"))) {
      const input = `${row.version} ${row.range ?? row.other ?? ""}`;
      yield {
        id: String(line),
        input,
        check: () => row.range === undefined ? checkVersion(row) : checkRange(row),
      };
    }
  },
};

function checkRange(row: SemverRow): Check[] {
  const range = compileSemverRange(row.range!);
  if (isFault(range)) return [checkText("error", row.error ?? "none", range.message)];
  const version = parseSemver(row.version);
  const problem = isFault(version) ? version.message : "none";
  const checks = [checkText("versionError", row.versionError ?? "none", problem)];
  const match = range(isFault(version) ? zeroSemver : version);
  return [...checks, checkText("match", String(row.error ?? row.match), String(match))];
}

function checkVersion(row: SemverRow): Check[] {
  const version = parseSemver(row.version);
  if (isFault(version)) return [checkText("error", row.error ?? "none", version.message)];
  const checks = [checkText("canonical", String(row.error ?? row.canonical), formatSemver(version))];
  if (row.other === undefined) return checks;
  const other = parseSemver(row.other);
  if (isFault(other)) return [...checks, checkText("otherError", row.otherError ?? "none", other.message)];
  return [
    ...checks,
    checkText("compare", String(row.otherError ?? row.compare), String(compareSemver(version, other))),
  ];
}
