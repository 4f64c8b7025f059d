import { didYouMean, fileProblem } from "../diagnostics/mod.ts";
import {
  compileExpression,
  type Example,
  type FunctionRecord,
  kyvernoFunctionNotes,
  kyvernoFunctions,
  outlineExpression,
  type Parameter,
  SyntaxFault,
} from "../jmespath/mod.ts";
import { systemClock, systemEntropy } from "../adapters/mod.ts";
import { compareBytes, goJson, isFault, isString, type Json, scopeOf } from "../json/mod.ts";
import { parseYaml } from "../yaml/mod.ts";
import type { Terminal } from "./terminal.ts";

/** The options of `jp query`. */
export interface JpQueryArguments {
  readonly queries: readonly string[];
  /** Files that contain one query each. */
  readonly files: readonly string[];
  /** A YAML or JSON file; standard input when absent or `-`. */
  readonly input?: string;
  readonly compact: boolean;
  readonly unquoted: boolean;
}

/** The terminal and the standard input of a command. */
export interface Console {
  readonly terminal: Terminal;
  readonly stdin?: () => Promise<string>;
}

/** A failure that ends the command with exit code 1. The command prints it as `Error: …`. */
class JpFailure extends Error {}

/** `jp query`: evaluates expressions on an object. Exit code 1 when it cannot read an input or an evaluation fails. */
export function jpQuery(args: JpQueryArguments, console: Console): Promise<number> {
  return printingFailures(console, async () => {
    const queries = [...args.queries, ...await Promise.all(args.files.map(readText))];
    if (queries.length === 0 && args.input === undefined) {
      throw new JpFailure("at least one query or input object is required");
    }
    const given = args.input === undefined ? undefined : parseInput(await readText(args.input));
    if (queries.length === 0) {
      queries.push(await prompt("Enter a jmespath expression and hit Ctrl+D.", console));
    }
    const input = given ?? parseInput(await prompt("Enter input object and hit Ctrl+D.", console));
    for (const query of queries) {
      const result = evaluate(query, input);
      console.terminal.out(`# ${query}`);
      console.terminal.out(
        args.unquoted && isString(result) ? result : goJson(result, args.compact ? "" : "  "),
      );
    }
  });
}

function evaluate(query: string, input: Json): Json {
  const expression = compileExpression(query, { root: "document" });
  if (expression instanceof SyntaxFault) {
    throw new JpFailure(
      `failed to compile JMESPath: ${query}, error: ${expression.message}${marked(query, expression)}`,
    );
  }
  const clock = systemClock(), entropy = systemEntropy();
  const environment = { now: () => clock.now(), random: () => entropy.next() };
  const result = expression.evaluate(scopeOf(input), environment);
  if (isFault(result)) throw new JpFailure(`error evaluating JMESPath expression: ${result.message}`);
  return result;
}

/** The line with the mistake, and a mark below it. */
function marked(text: string, { offset }: SyntaxFault): string {
  const before = text.slice(0, offset).split("\n");
  const line = text.split("\n")[before.length - 1] ?? "";
  return `\n${line}\n${" ".repeat(before.at(-1)!.length)}^`;
}

/** `jp parse`: prints the syntax trees of expressions. */
export function jpParse(
  args: { readonly expressions: readonly string[]; readonly files: readonly string[] },
  console: Console,
): Promise<number> {
  return printingFailures(console, async () => {
    const expressions = [...args.expressions, ...await Promise.all(args.files.map(readText))];
    if (expressions.length === 0) {
      expressions.push(await prompt("Enter a jmespath expression and hit Ctrl+D.", console));
    }
    for (const expression of expressions) {
      const tree = outlineExpression(expression);
      if (isFault(tree)) throw new JpFailure(`${tree.message}${marked(expression, tree)}`);
      console.terminal.out(`# ${expression}`);
      console.terminal.out(tree);
    }
  });
}

/** The names of all functions, sorted. */
export function functionNames(): string[] {
  return [...kyvernoFunctions().keys()].sort();
}

/** `jp function`: describes all functions or the given ones. Exit code 1 for a name that no function has. */
export function jpFunction(names: readonly string[], { terminal }: Console): number {
  const functions = [...kyvernoFunctions().values()].sort((left, right) =>
    compareBytes(left.name, right.name)
  );
  for (const record of functions) {
    if (names.length === 0 || names.includes(record.name)) terminal.out(functionText(record));
  }
  const unknown = names.filter((name) => functions.every((record) => record.name !== name));
  for (const name of unknown) {
    const meant = didYouMean(name, functions.map((record) => record.name));
    terminal.err(
      `Error: there is no function ${name}${meant === undefined ? "" : `; did you mean ${meant}?`}`,
    );
  }
  return unknown.length > 0 ? 1 : 0;
}

function functionText(record: FunctionRecord): string {
  const { name } = record;
  const { summary, examples } = kyvernoFunctionNotes()[name]!;
  return [
    `Name: ${name}`,
    `  Signature: ${signatureOf(record)}`,
    `  Note:      ${summary}`,
    ...examples.map((example) => `  Example:   ${exampleText(example)}`),
    "",
  ].join("\n");
}

/** `replace(string, string, string, number) string`. */
function signatureOf({ name, parameters, variadic, returns }: FunctionRecord): string {
  const types = parameters.map(({ types }: Parameter) => types.join("|"));
  return `${name}(${types.join(", ")}${variadic ? ", ..." : ""}) ${returns.join("|")}`;
}

function exampleText({ expression, input, result }: Example): string {
  const on = input === undefined ? "" : ` on ${goJson(input)}`;
  return `${expression}${on} is ${goJson(result)}`;
}

async function printingFailures({ terminal }: Console, command: () => Promise<void>): Promise<number> {
  try {
    await command();
    return 0;
  } catch (cause) {
    if (!(cause instanceof JpFailure)) throw cause;
    terminal.err(`Error: ${cause.message}`);
    return 1;
  }
}

async function readText(path: string): Promise<string> {
  try {
    return path === "-" ? await readStdin() : await Deno.readTextFile(path);
  } catch (cause) {
    throw new JpFailure(`failed open file ${path}: ${fileProblem(cause)}`);
  }
}

function parseInput(text: string): Json {
  const input = parseYaml(text);
  if (isFault(input)) throw new JpFailure(`error parsing input json: ${input.message}`);
  return input;
}

/** Prompts on standard error, so that the prompt is not part of the results. */
function prompt(promptText: string, { terminal, stdin = readStdin }: Console): Promise<string> {
  terminal.err("Reading from terminal input.");
  terminal.err(promptText);
  return stdin();
}

function readStdin(): Promise<string> {
  return new Response(Deno.stdin.readable).text();
}
