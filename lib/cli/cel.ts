import { fileProblem } from "../diagnostics/mod.ts";
import {
  celToJson,
  createEnvironment,
  dynType,
  formatCelError,
  isCelFault,
  kyvernoLibraries,
  type Program,
  typeName,
} from "../cel/mod.ts";
import { asObject, Fault, goJson, isFault, type Json, type JsonObject } from "../json/mod.ts";
import { parseYaml } from "../yaml/mod.ts";
import { type Terminal, unusable } from "./terminal.ts";

/** The options of `cel check`, and with `cost` those of `cel eval`. */
export interface CelArguments {
  readonly expressions: readonly string[];
  /** A YAML or JSON file that is the variable `object`. */
  readonly input?: string;
  /** A YAML or JSON file whose fields are variables. */
  readonly variables?: string;
  readonly cost?: boolean;
}

/** The variables of CEL policies. The command declares all of them; a variable without a value is null. */
const usual = ["object", "oldObject", "request", "params", "namespaceObject", "variables"];

/** `cel eval`: evaluates expressions and prints their values as JSON. Exit code 1 when one is invalid or fails. */
export async function celEval(args: CelArguments, terminal: Terminal): Promise<number> {
  const given = await readVariables(args);
  if (isFault(given)) return unusable(given.message, terminal);
  let code = 0;
  for (const expression of args.expressions) {
    const program = compiled(expression, given, terminal);
    if (program === undefined) {
      code = 1;
      continue;
    }
    const { value, cost } = program.measure((name) => Object.hasOwn(given, name) ? given[name] : undefined);
    const json = isCelFault(value) ? value : celToJson(value);
    if (isCelFault(json) || isFault(json)) {
      terminal.err(`error: ${expression}: ${json.message}`);
      code = 1;
    } else terminal.out(goJson(json as Json, "  "));
    if (args.cost === true) terminal.err(`cost: ${cost}`);
  }
  return code;
}

/** `cel check`: prints the types of expressions. Exit code 1 when one is invalid. */
export async function celCheck(args: CelArguments, terminal: Terminal): Promise<number> {
  const given = await readVariables(args);
  if (isFault(given)) return unusable(given.message, terminal);
  let code = 0;
  for (const expression of args.expressions) {
    const program = compiled(expression, given, terminal);
    if (program === undefined) code = 1;
    else terminal.out(`${expression}: ${typeName(program.type)}`);
  }
  return code;
}

function compiled(expression: string, given: JsonObject, terminal: Terminal): Program | undefined {
  const variables = Object.fromEntries(Object.keys(given).map((name) => [name, dynType]));
  const result = createEnvironment({ variables, libraries: kyvernoLibraries }).compile(expression);
  if (result.ok) return result.program;
  for (const error of result.errors) terminal.err(formatCelError(error));
  return undefined;
}

async function readVariables({ input, variables }: CelArguments): Promise<JsonObject | Fault> {
  const given: { [name: string]: Json } = Object.fromEntries(usual.map((name) => [name, null]));
  if (variables !== undefined) {
    const read = await readFile(variables);
    if (isFault(read)) return read;
    const fields = asObject(read);
    if (fields === undefined) return new Fault(`${variables}: it must be an object of variables`);
    Object.assign(given, fields);
  }
  if (input !== undefined) {
    const object = await readFile(input);
    if (isFault(object)) return object;
    given["object"] = object;
  }
  return given;
}

async function readFile(path: string): Promise<Json | Fault> {
  try {
    const text = path === "-"
      ? await new Response(Deno.stdin.readable).text()
      : await Deno.readTextFile(path);
    const value = parseYaml(text);
    return isFault(value) ? new Fault(`${path}: ${value.message}`) : value;
  } catch (cause) {
    return new Fault(`${path}: ${fileProblem(cause)}`);
  }
}
