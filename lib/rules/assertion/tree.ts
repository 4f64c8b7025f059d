import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import {
  type DocumentPath,
  documentPathText,
  Fault,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from "../../json/mod.ts";
import { type Bindings, type CommunityInput, spend, weightOf } from "../../jmespath/mod.ts";
import { fulfils } from "./comparison.ts";
import type { Compilers, TreeExpression } from "./compilers.ts";
import { childPath, elementPath, pathText, type TreePath } from "./path.ts";
import { readStatement, type TreeStatement } from "./statement.ts";
import { type AssertionViolation, expectation, invalidText } from "./violation.ts";

/** A compiled tree. It returns the violations of a value, or a fault when the value cannot be evaluated. */
export type AssertionTree = (
  value: Json,
  input: CommunityInput,
) => readonly AssertionViolation[] | Fault;

/** The options of compiling an assertion tree. */
export interface TreeOptions {
  readonly compilers: Compilers;
  /** The path of the tree in the policy, or in the rule. */
  readonly path: DocumentPath;
  /** Receives problems. A tree with a problem must not be used. */
  readonly report: (problem: PathDiagnostic) => void;
}

/** Reports a part that cannot be compiled. Its path is also in the message, as in those of kyverno-json. */
export function reportProblem(message: string, { path, report }: Pick<TreeOptions, "path" | "report">): void {
  report({
    severity: "error",
    code: "bad-assertion",
    message: `${documentPathText(path)}: ${message}`,
    path,
  });
}

/** A value that a part of the tree checks, with its path. */
interface Checked {
  readonly value: Json;
  readonly path: TreePath | undefined;
  readonly input: CommunityInput;
  readonly violations: AssertionViolation[];
}

/** The steps that visiting a part of the tree takes, and those of a violation, which becomes a text of an answer. */
const stepsOf = { part: 16, violation: 500 } as const;

/** Adds a violation; a fault when the input's budget does not allow it. */
function violate(
  { path, input: { budget }, violations }: Checked,
  violation: Omit<AssertionViolation, "path">,
): Fault | undefined {
  violations.push({ ...violation, path: pathText(path) });
  return budget && spend(stepsOf.violation + weightOf(violation.value, budget.left), budget);
}

/** Evaluates a value; a fault ends the whole tree. */
type Node = (checked: Checked) => Fault | undefined;

/**
 * Compiles an assertion tree. A key projects the value (a field, or an expression in parentheses) and passes it to
 * the tree below. Lists compare element by element. Scalars are expected values, or expressions that compute them.
 */
export function compileTree(tree: Json, options: TreeOptions): AssertionTree {
  const node = compileNode(tree, options);
  return (value, input) => {
    const violations: AssertionViolation[] = [];
    const fault = node({ value, path: undefined, input, violations });
    const isCutShort = input.budget !== undefined && input.budget.left < 0;
    // A value that was violated before the budget was used up is violated, whatever follows.
    return fault === undefined || isCutShort && violations.length > 0 ? violations : fault;
  };
}

function compileNode(tree: Json, options: TreeOptions): Node {
  if (isList(tree)) {
    return listNode(tree.map((item, index) => compileNode(item, below(options, index))));
  }
  return isObject(tree) ? objectNode(tree, options) : leaf(compileScalar(tree, options));
}

function below(options: TreeOptions, step: string | number): TreeOptions {
  return { ...options, path: [...options.path, step] };
}

function listNode(nodes: readonly Node[]): Node {
  return (checked) => {
    const { value, path, input, violations } = checked;
    if (value === null) return violate(checked, { kind: "invalid", value, detail: "value is null" });
    if (!isList(value)) return new Fault(invalidText(pathText(path), value, "expected a slice"));
    if (value.length !== nodes.length) {
      return violate(checked, { kind: "invalid", value, detail: "lengths of slices don't match" });
    }
    for (let index = 0; index < nodes.length; index++) {
      const element = { value: value[index]!, path: elementPath(path, index), input, violations };
      const fault = nodes[index]!(element);
      if (fault !== undefined) return fault;
    }
    return undefined;
  };
}

/** A key with the tree below it. */
interface Branch {
  readonly key: string;
  readonly statement: TreeStatement;
  readonly project: Project;
  readonly node: Node;
}

/** The projected value; `undefined` when the value has no such field. */
type Project = (value: Json, input: CommunityInput) => Json | Fault | undefined;

function objectNode(tree: JsonObject, options: TreeOptions): Node {
  const branches = Object.keys(tree).map((key): Branch => {
    const inside = below(options, key);
    const statement = readStatement(key);
    return { key, statement, project: projection(statement, inside), node: compileNode(tree[key]!, inside) };
  });
  if (branches.length === 0) return notNull;
  return (checked) => {
    let { input } = checked;
    const { budget } = input;
    const tooMany = budget && spend(branches.length * stepsOf.part, budget);
    if (tooMany !== undefined) return tooMany;
    for (const branch of branches) {
      const { binding } = branch.statement;
      const path = childPath(checked.path, branch.key);
      const projected = branch.project(checked.value, input);
      if (projected === undefined) {
        const detail = "field not found in the input object";
        const fault = violate({ ...checked, path }, { kind: "required", value: "", detail });
        if (fault !== undefined) return fault;
        continue;
      }
      if (projected instanceof Fault) return internal(path, projected);
      const inner = bind(input, binding, projected);
      const fault = descend(branch, { ...checked, value: projected, path, input: inner });
      if (fault !== undefined) return fault;
      // A new name is visible in the branches that follow; a name from above keeps its value outside this branch.
      if (binding !== undefined && !input.bindings.has(binding)) input = inner;
    }
    return undefined;
  };
}

function notNull(checked: Checked): Fault | undefined {
  const { value } = checked;
  return value === null
    ? violate(checked, { kind: "invalid", value, detail: "invalid value, must not be null" })
    : undefined;
}

/** Evaluates the projected value, or with `~` each of its elements. */
function descend({ statement, node }: Branch, checked: Checked): Fault | undefined {
  const { each } = statement;
  if (each === undefined) return node(checked);
  const { value, path, input } = checked;
  if (!isList(value) && !isObject(value)) {
    return new Fault(invalidText(pathText(path), value, "expected a slice or a map"));
  }
  const elements: Iterable<[string | number, Json]> = isList(value) ? value.entries() : Object.entries(value);
  const { budget } = input;
  for (const [index, element] of elements) {
    const fault = (budget && spend(stepsOf.part, budget)) ?? node({
      ...checked,
      value: element,
      path: elementPath(path, index),
      input: bind(input, each.index, index),
    });
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function bind(input: CommunityInput, name: string | undefined, value: Json): CommunityInput {
  if (name === undefined) return input;
  const bindings: Bindings = input.bindings.with(name, value);
  return { ...input, bindings };
}

function projection({ reading, text }: TreeStatement, options: TreeOptions): Project {
  if (reading.kind === "expression") return compileExpression(text, reading.compiler, options);
  const unrecognised = new Fault("projection not recognized");
  return (value) => {
    if (value === null) return undefined;
    if (!isObject(value)) return unrecognised;
    return Object.hasOwn(value, text) ? value[text] : undefined;
  };
}

/** Compiles a scalar: an expression in parentheses, or the value itself. */
export function compileScalar(scalar: Json, options: TreeOptions): TreeExpression {
  if (typeof scalar !== "string") return () => scalar;
  const { each, binding, reading, text } = readStatement(scalar);
  if (each !== undefined) refuse(scalar, "foreach is not supported in scalar projections", options);
  if (binding !== undefined) refuse(scalar, "binding is not supported in scalar projections", options);
  return reading.kind === "expression" ? compileExpression(text, reading.compiler, options) : () => text;
}

function leaf(expected: TreeExpression): Node {
  return (checked) => {
    const { value, path, input } = checked;
    const wanted = expected(value, input);
    if (wanted instanceof Fault) return internal(path, wanted);
    const same = fulfils(wanted, value);
    if (same instanceof Fault) return internal(path, same);
    return same ? undefined : violate(checked, { kind: "invalid", value, detail: expectation(wanted) });
  };
}

function compileExpression(text: string, name: string | undefined, options: TreeOptions): TreeExpression {
  const { byName, standard } = options.compilers;
  const compile = name === undefined ? standard : byName.get(name);
  const compiled = compile === undefined
    ? new Fault(`unknown compiler ${name}, must be one of ${[...byName.keys()].join(", ")}`)
    : compile(text);
  if (!(compiled instanceof Fault)) return finite(compiled);
  refuse(text, compiled.message, options);
  return () => compiled;
}

/** A division by zero has no JSON value, so it becomes a fault. */
function finite(expression: TreeExpression): TreeExpression {
  return (value, input) => {
    const result = expression(value, input);
    return typeof result === "number" && !Number.isFinite(result)
      ? new Fault(`the result ${result} is not a JSON number`)
      : result;
  };
}

function refuse(text: string, message: string, options: TreeOptions): void {
  reportProblem(`Invalid value: ${JSON.stringify(text)}: ${message}`, options);
}

function internal(path: TreePath | undefined, fault: Fault): Fault {
  return new Fault(`${pathText(path)}: Internal error: ${fault.message}`);
}
