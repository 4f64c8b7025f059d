import {
  type DocumentPath,
  Fault,
  isFault,
  isList,
  isObject,
  type Json,
  type JsonObject,
  setField,
} from "../json/mod.ts";
import { countPlanned } from "./counters.ts";
import { pathOf } from "./path.ts";
import type { Render } from "./run.ts";
import { scan } from "./scan.ts";
import type { TextPosition } from "./query.ts";
import { joinPieces } from "./text.ts";
import { planVariable } from "./variable.ts";

/** A compiled part of a document: a constant, which all renderings share, or a function that renders it. */
export type PlannedNode =
  | { readonly kind: "constant"; readonly value: Json }
  | { readonly kind: "dynamic"; readonly render: Render };

/** The options that all texts of one document share, and the list of its variables. */
export type DocumentOptions = Pick<TextPosition, "field" | "unresolved" | "expressions" | "uses">;

/** The position of a document that is part of another one: its path in messages, and the steps to it. */
export type PartPosition = Pick<TextPosition, "path" | "steps">;

/** The most variables of one text: each is compiled, reported and rendered separately. */
const maxVariables = 1_000;

function hasMoreVariables(text: string, most: number): boolean {
  let count = 0;
  for (let at = text.indexOf("{{"); at >= 0; at = text.indexOf("{{", at + 2)) {
    if (++count > most) return true;
  }
  return false;
}

const root: PartPosition = { path: "", steps: [] };

/** Plans a document whose references are resolved. A fault when a variable in it is nested too deep. */
export function planDocument(
  document: Json,
  options: DocumentOptions,
  { path, steps }: PartPosition = root,
): PlannedNode | Fault {
  return new Planner(options).plan(document, path, steps);
}

class Planner {
  readonly #options: DocumentOptions;

  constructor(options: DocumentOptions) {
    this.#options = options;
  }

  plan(value: Json, path: string, steps: DocumentPath): PlannedNode | Fault {
    if (typeof value === "string") return this.#text(value, path, steps);
    if (isList(value)) return this.#list(value, path, steps);
    return isObject(value) ? this.#object(value, path, steps) : { kind: "constant", value };
  }

  #text(text: string, path: string, steps: DocumentPath): PlannedNode | Fault {
    if (!text.includes("{{")) return { kind: "constant", value: text };
    countPlanned();
    if (hasMoreVariables(text, maxVariables)) {
      return new Fault(`a text at path ${path} has more than ${maxVariables} variables`);
    }
    const pieces = scan(text);
    if (isFault(pieces)) return new Fault(`failed to read variables at path ${path}: ${pieces.message}`);
    if (pieces.every((piece) => typeof piece === "string")) {
      return { kind: "constant", value: pieces.join("") };
    }
    const position: TextPosition = { ...this.#options, path, steps };
    const planned = pieces.map((piece) => typeof piece === "string" ? piece : planVariable(piece, position));
    const [first] = planned;
    // A string that is one variable takes the variable's value with its type.
    if (planned.length === 1 && typeof first === "object") return { kind: "dynamic", render: first.render };
    return { kind: "dynamic", render: joinPieces(planned, path) };
  }

  #list(items: readonly Json[], path: string, steps: DocumentPath): PlannedNode | Fault {
    const values: Json[] = [];
    const dynamic: { index: number; render: Render }[] = [];
    let changed = false;
    for (const [index, item] of items.entries()) {
      const planned = this.plan(item, pathOf(path, index), [...steps, index]);
      if (isFault(planned)) return planned;
      if (planned.kind === "dynamic") dynamic.push({ index, render: planned.render });
      values.push(planned.kind === "dynamic" ? null : planned.value);
      changed ||= planned.kind === "dynamic" || planned.value !== item;
    }
    if (dynamic.length === 0) return { kind: "constant", value: changed ? values : items };
    return {
      kind: "dynamic",
      render: (run) => {
        const result = values.slice();
        for (const { index, render } of dynamic) {
          const value = render(run);
          if (isFault(value)) return value;
          result[index] = value;
        }
        return result;
      },
    };
  }

  #object(object: JsonObject, path: string, steps: DocumentPath): PlannedNode | Fault {
    const fields: Field[] = [];
    for (const key of Object.keys(object)) {
      const below = [...steps, key];
      const name = this.#text(key, path, below);
      if (isFault(name)) return name;
      const value = this.plan(object[key]!, pathOf(path, key), below);
      if (isFault(value)) return value;
      fields.push({ key, name, value });
    }
    if (fields.some(({ name }) => name.kind === "dynamic")) return renamingObject(fields);
    const values: { [key: string]: Json } = {};
    const dynamic: { name: string; render: Render }[] = [];
    let changed = false;
    for (const { key, name, value } of fields) {
      const constant = name.kind === "constant" && typeof name.value === "string" ? name.value : key;
      if (value.kind === "dynamic") dynamic.push({ name: constant, render: value.render });
      setField(values, constant, value.kind === "dynamic" ? null : value.value);
      changed ||= constant !== key || value.kind === "dynamic" || value.value !== object[key];
    }
    if (dynamic.length === 0) return { kind: "constant", value: changed ? values : object };
    return {
      kind: "dynamic",
      render: (run) => {
        const result = { ...values };
        for (const { name, render } of dynamic) {
          const value = render(run);
          if (isFault(value)) return value;
          setField(result, name, value);
        }
        return result;
      },
    };
  }
}

interface Field {
  /** The key as written. */
  readonly key: string;
  readonly name: PlannedNode;
  readonly value: PlannedNode;
}

/**
 * An object with variables in keys. Kyverno parity: a key that comes from a variable wins over the same key as text.
 * Pinned by "a substituted key wins over the written one".
 */
function renamingObject(fields: readonly Field[]): PlannedNode {
  return {
    kind: "dynamic",
    render: (run) => {
      const result: { [key: string]: Json } = {};
      const renamed = new Set<string>();
      for (const { key, name, value } of fields) {
        const found = name.kind === "constant" ? name.value : name.render(run);
        if (isFault(found)) return found;
        // Kyverno parity: a key whose variable is null stays as the policy has it. Pinned by "a key that becomes null
        // stays as written".
        const actual = found ?? key;
        if (typeof actual !== "string") {
          return new Fault(`expected string after substituting variables in key "${key}"`);
        }
        const rendered = value.kind === "constant" ? value.value : value.render(run);
        if (isFault(rendered)) return rendered;
        if (actual !== key) renamed.add(actual);
        else if (renamed.has(actual)) continue;
        setField(result, actual, rendered);
      }
      return result;
    },
  };
}
