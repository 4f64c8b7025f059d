import { Fault, isList, isObject, type Json } from "../json/mod.ts";
import { wildcardSteps } from "../kube/mod.ts";
import { compileList } from "./list_node.ts";
import { compileMap } from "./map_node.ts";
import type { PathStep } from "./mismatch.ts";
import type { Compiler, Node, TemplateRole, TemplateText } from "./node.ts";
import { scalarNode, templateNode } from "./scalar_node.ts";

/** A text of a pattern whose value only the request determines. */
export interface PatternTemplate<S> {
  readonly text: string;
  readonly role: TemplateRole;
  readonly evaluate: (scope: S) => Json | Fault;
}

/** Recognises templates: returns the function that evaluates the text, or `undefined` for ordinary text. */
export type Dynamic<S> = (
  text: string,
  path: readonly PathStep[],
) => ((scope: S) => Json | Fault) | undefined;

/** A compiled pattern: its root node, and the templates in it. */
export interface CompiledTree<S> {
  readonly node: Node;
  readonly templates: readonly PatternTemplate<S>[];
}

/** The deepest nesting of a pattern, so that a value that a request puts into one cannot exhaust the stack. */
const maxDepth = 400;

/** Compiles a pattern; a fault when it is nested too deeply. */
export function compileTree<S>(pattern: Json, dynamic: Dynamic<S> | undefined): CompiledTree<S> | Fault {
  if (!withinDepth(pattern, maxDepth)) return new Fault(`pattern is nested deeper than ${maxDepth} levels`);
  const slow = slowText(pattern);
  if (slow !== undefined) return slow;
  const templates: PatternTemplate<S>[] = [];
  const template = ({ text, path, role }: TemplateText): number | undefined => {
    const evaluate = dynamic?.(text, path);
    return evaluate === undefined ? undefined : templates.push({ text, role, evaluate }) - 1;
  };
  const compiler: Compiler = {
    template,
    node(pattern, path, section) {
      if (typeof pattern === "string") {
        const number = template({ text: pattern, path, role: section === "label" ? "label" : "value" });
        return number === undefined ? scalarNode(pattern) : templateNode(number);
      }
      if (!isObject(pattern) && !isList(pattern)) return scalarNode(pattern);
      return isList(pattern)
        ? compileList(compiler, pattern, path)
        : compileMap(compiler, { pattern, path, section });
    },
  };
  return { node: compiler.node(pattern, [], "elsewhere"), templates };
}

/**
 * The longest run of characters with `?` between two stars. The comparison of a text of 3 MB with it takes less
 * than a second.
 */
const longestRun = 4096;

/**
 * Returns a fault for a text whose comparison with a resource could take minutes, or for the first such text in
 * a pattern.
 */
export function slowText(pattern: Json): Fault | undefined {
  if (typeof pattern === "string") {
    if (pattern.length <= longestRun || wildcardSteps(pattern) <= wildcardSteps("?".repeat(longestRun))) {
      return undefined;
    }
    return new Fault(`a pattern has more than ${longestRun} characters with ? between two stars`);
  }
  if (typeof pattern !== "object" || pattern === null) return undefined;
  for (const [key, part] of Object.entries(pattern)) {
    const slow = slowText(key) ?? slowText(part);
    if (slow !== undefined) return slow;
  }
  return undefined;
}

function withinDepth(value: Json, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  const parts = isList(value) ? value : Object.values(value);
  return parts.every((part) => withinDepth(part, levels - 1));
}
