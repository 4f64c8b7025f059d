/** Expressions in JMESPath and CEL: their values, their mistakes and their trees. */
import {
  celToJson,
  createEnvironment,
  dynType,
  formatCelError,
  isCelFault,
  kyvernoLibraries,
  typeName,
} from "../../../lib/cel/mod.ts";
import { compileExpression, expressionTree } from "../../../lib/jmespath/mod.ts";
import { asObject, isFault, type Json, type JsonObject, scopeOf } from "../../../lib/json/mod.ts";
import { parseYaml } from "../../../lib/yaml/mod.ts";

/** An expression to evaluate. */
export interface ExpressionTask {
  readonly language: "jmespath" | "cel";
  readonly expression: string;
  /** YAML or JSON: the document; for CEL the variables, or an object, which is the variable `object` then. */
  readonly input: string;
}

/** A node of an expression's tree. */
export interface TreeNode {
  readonly name: string;
  readonly value?: string;
  readonly children: readonly TreeNode[];
}

/** The result of an expression. */
export interface ExpressionResult {
  readonly value?: Json;
  readonly problem?: string;
  /** Where the mistake is in the expression, in UTF-16 units. */
  readonly offset?: number;
  /** CEL: the type of the value, and the cost in Kubernetes' units. */
  readonly type?: string;
  readonly cost?: number;
  readonly tree?: TreeNode;
}

/** Evaluates an expression. Mistakes in it and in its input are results. */
export function evaluateExpression({ language, expression, input }: ExpressionTask): ExpressionResult {
  const document = parseYaml(input);
  if (isFault(document)) return { problem: `The input is not YAML: ${document.message}` };
  return language === "jmespath" ? inJmespath(expression, document) : inCel(expression, document);
}

function inJmespath(expression: string, input: Json): ExpressionResult {
  const compiled = compileExpression(expression, { root: "document" });
  if ("offset" in compiled) return { problem: compiled.message, offset: compiled.offset };
  const outlined = expressionTree(expression);
  const tree = isFault(outlined) ? {} : { tree: outlined };
  const value = compiled.evaluate(scopeOf(input), { now: Date.now, random: Math.random });
  return isFault(value) ? { problem: value.message, ...tree } : { value, ...tree };
}

/** The variables that policies may name; without a value they are null. */
const usual = ["object", "oldObject", "request", "params", "namespaceObject", "variables"];

function inCel(expression: string, input: Json): ExpressionResult {
  const given = variablesOf(input);
  const variables = Object.fromEntries(Object.keys(given).map((name) => [name, dynType]));
  const environment = createEnvironment({ variables, libraries: kyvernoLibraries });
  const outlined = environment.outline(expression);
  const tree = outlined === undefined ? {} : { tree: outlined };
  const compiled = environment.compile(expression);
  if (!compiled.ok) {
    const problem = compiled.errors.map(formatCelError).join("\n");
    return { problem, ...(compiled.errors[0] && { offset: compiled.errors[0].offset }), ...tree };
  }
  const { program } = compiled;
  const { value, cost } = program.measure((name) => Object.hasOwn(given, name) ? given[name] : undefined);
  const facts = { type: typeName(program.type), cost, ...tree };
  const json = isCelFault(value) ? value : celToJson(value);
  return isCelFault(json) || isFault(json)
    ? { problem: json.message, ...facts }
    : { value: json as Json, ...facts };
}

function variablesOf(input: Json): JsonObject {
  const fields = asObject(input) ?? {};
  const nothing = Object.fromEntries(usual.map((name) => [name, null]));
  const isKubernetesObject = "kind" in fields && "apiVersion" in fields;
  return isKubernetesObject ? { ...nothing, object: fields } : { ...nothing, ...fields };
}
