/** The path of a position in a YAML text, from indentation alone, so that it works while people type. */

/** Keys and `[]` for steps to an element of a list. */
export type YamlPath = readonly string[];

/** A position in a text of several documents. */
export interface YamlPosition {
  /** The path of the mapping or list around the position. */
  readonly path: YamlPath;
  /** The `kind` and `apiVersion` of the document; empty when it has none yet. */
  readonly kind: string;
  readonly apiVersion: string;
}

/** The position of a column in a line of a text, both from 0. It knows block style alone, not `{ }` and `[ ]`. */
export function yamlPositionAt(text: string, line: number, column: number): YamlPosition {
  const lines = text.split("\n");
  let first = line;
  while (first > 0 && !isSeparator(lines[first]!)) first--;
  let last = line + 1;
  while (last < lines.length && !isSeparator(lines[last]!)) last++;
  const document = lines.slice(first, last);
  const fieldOf = (name: string): string => {
    const found = document.map((each) => new RegExp(`^${name}:\\s*["']?([^\\s"'#]+)`).exec(each)).find(
      Boolean,
    );
    return found?.[1] ?? "";
  };
  return {
    path: pathAt(document, line - first, column),
    kind: fieldOf("kind"),
    apiVersion: fieldOf("apiVersion"),
  };
}

function isSeparator(line: string): boolean {
  return /^---(\s|$)/.test(line);
}

/** A line: where its dashes and its key begin. */
interface ParsedLine {
  readonly dashes: readonly number[];
  readonly key: string | undefined;
  readonly column: number;
}

function parseLine(line: string): ParsedLine | undefined {
  if (/^\s*(#|$)/.test(line)) return undefined;
  const [lead = ""] = /^\s*(?:-\s+)*(?:-$)?/.exec(line) ?? [];
  const dashes = [...lead].flatMap((character, index) => character === "-" ? [index] : []);
  const key = /^(?:"([^"]*)"|'([^']*)'|([^\s:#"'{[](?:[^:#]*[^:#\s])?))\s*:(?:\s|$)/.exec(
    line.slice(lead.length),
  );
  return { dashes, key: key?.[1] ?? key?.[2] ?? key?.[3], column: lead.length };
}

function pathAt(lines: readonly string[], line: number, column: number): YamlPath {
  const path: string[] = [];
  let limit = column, underDash = false;
  const enter = (dashes: readonly number[]): void => {
    for (const dash of dashes.toReversed()) {
      if (dash >= limit) continue;
      path.unshift("[]");
      [limit, underDash] = [dash, true];
    }
  };
  enter(parseLine(lines[line] ?? "")?.dashes ?? []);
  for (let above = line - 1; above >= 0 && (limit > 0 || underDash); above--) {
    const parsed = parseLine(lines[above]!);
    if (parsed === undefined) continue;
    const { key, column: at, dashes } = parsed;
    if (key !== undefined && (at < limit || (underDash && at === limit))) {
      path.unshift(key);
      [limit, underDash] = [at, false];
      enter(dashes);
    } else if (dashes.some((dash) => dash < limit) && !underDash) enter(dashes);
  }
  return path;
}
