/** The facts about an option that determine its syntax. */
export interface OptionShape {
  readonly long?: string | undefined;
  readonly short?: string | undefined;
  /** Whether a value must follow. */
  readonly required: boolean;
}

/** The texts for true and false. Kyverno parity: Go's `strconv.ParseBool`. Pinned by tests/cli/program_test.ts. */
const truths: ReadonlyMap<string, boolean> = new Map([
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false] as const),
]);

/**
 * Rewrites arguments that Go programs understand and commander does not: `--flag=false` becomes `--no-flag`,
 * `-r=path` becomes `-r path`. Arguments after `--` and the values of options stay unchanged. For a flag
 * whose value is neither true nor false it calls `refuse`.
 */
export function normalizeArguments(
  args: readonly string[],
  options: readonly OptionShape[],
  refuse: (flag: string, value: string) => void = () => {},
): string[] {
  const result: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const argument = args[index]!;
    if (argument === "--") return [...result, ...args.slice(index)];
    const at = argument.indexOf("=");
    const name = at < 0 ? argument : argument.slice(0, at);
    const option = options.find(({ long, short }) => long === name || short === name);
    if (option === undefined) result.push(argument);
    else if (at < 0) {
      result.push(argument);
      if (option.required && index + 1 < args.length) result.push(args[++index]!);
    } else if (option.required) result.push(name, argument.slice(at + 1));
    else {
      const value = argument.slice(at + 1), on = truths.get(value);
      if (on === undefined) refuse(name, value);
      result.push(on === undefined ? argument : flagOf(option, on));
    }
  }
  return result;
}

function flagOf({ long = "" }: OptionShape, on: boolean): string {
  const positive = long.replace(/^--no-/, "--");
  return on === (positive === long) ? positive : positive.replace("--", "--no-");
}

/**
 * The texts of a list with commas; a text in double quotes may hold commas. Kyverno parity: pflag's string slices.
 * Pinned by "lists are split at commas outside of quotes".
 *
 * ```ts
 * import assert from "node:assert/strict";
 * import { splitList } from "./flag_syntax.ts";
 * assert.deepEqual(splitList('a.yaml,"b,c.yaml"'), ["a.yaml", "b,c.yaml"]);
 * ```
 */
export function splitList(text: string): string[] {
  const parts: string[] = [];
  for (const [, quoted, plain] of text.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"(?=,|$)|([^,]*))/g)) {
    const part = quoted?.replaceAll('""', '"') ?? plain ?? "";
    if (part !== "") parts.push(part);
  }
  return parts;
}
