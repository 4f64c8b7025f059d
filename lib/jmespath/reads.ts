import type { Expression } from "./syntax/tree.ts";

/** The names, paths and functions in an expression, as far as its text shows them. */
export interface Reads {
  readonly names: readonly string[];
  /** At most {@link longestPath} steps of each. */
  readonly paths: readonly (readonly string[])[];
  readonly functions: readonly string[];
  readonly calls: readonly FunctionCall[];
}

/** A call in an expression. */
export interface FunctionCall {
  readonly name: string;
  /** The number of its arguments. */
  readonly count: number;
}

/**
 * The most steps of a path. Loaders read the first two; the paths in nested filters together would be as long as the
 * square of the expression.
 */
const longestPath = 16;

/** A path from the root; `undefined` for values that are computed. */
type Path = readonly string[] | undefined;

/** Collects the root names, the paths from the root and the functions of an expression. */
export function readsOf(expression: Expression): Reads {
  const reader = new Reader();
  reader.end(reader.walk(expression, []));
  return reader.result();
}

class Reader {
  readonly #names = new Set<string>();
  readonly #paths = new Map<string, readonly string[]>();
  readonly #calls: FunctionCall[] = [];

  result(): Reads {
    return {
      names: [...this.#names],
      paths: [...this.#paths.values()],
      functions: [...new Set(this.#calls.map(({ name }) => name))],
      calls: this.#calls,
    };
  }

  /** A value is used as it is, or no name describes the next step: its path ends here. */
  end(path: Path): void {
    if (path !== undefined && path.length > 0) this.#paths.set(JSON.stringify(path), path);
  }

  /** Walks an expression on the value at a path; answers the path of its result. */
  walk(node: Expression, at: Path): Path {
    switch (node.kind) {
      case "current":
        return at;
      case "literal":
        return undefined;
      case "field":
        if (at?.length === 0) this.#names.add(node.name);
        return at && longer(at, node.name);
      case "sub":
      case "pipe":
        return this.walk(node.right, this.walk(node.left, at));
      case "index":
        return at && at.length > 0 ? longer(at, "[]") : this.#endAt(at);
      case "slice":
        return at && at.length > 0 ? at : this.#endAt(at);
      case "flatten":
        return this.walk(node.of, at);
      case "projection":
      case "values":
        return this.#project(node.right, node.left, at);
      case "filter": {
        const elements = this.#elements(this.walk(node.left, at));
        this.end(this.walk(node.condition, elements));
        return this.walk(node.right, elements);
      }
      case "or":
      case "and":
      case "compare":
        this.end(this.walk(node.left, at));
        this.end(this.walk(node.right, at));
        return undefined;
      case "not":
        this.end(this.walk(node.of, at));
        return undefined;
      case "list":
        for (const item of node.items) this.end(this.walk(item, at));
        return undefined;
      case "object":
        for (const { value } of node.entries) this.end(this.walk(value, at));
        return undefined;
      case "call":
        if (node.name !== undefined) this.#calls.push({ name: node.name, count: node.args.length });
        this.#call(node.args, at);
        return undefined;
      case "reference":
        return undefined;
    }
  }

  #call(args: readonly Expression[], at: Path): void {
    let list: Path;
    for (const arg of args) {
      if (arg.kind === "reference") continue;
      const path = this.walk(arg, at);
      this.end(path);
      list ??= path;
    }
    // An expression reference is applied to the elements of the list beside it.
    for (const arg of args) {
      if (arg.kind === "reference") this.end(this.walk(arg.of, list && longer(list, "[]")));
    }
  }

  #project(right: Expression, left: Expression, at: Path): Path {
    return this.walk(right, this.#elements(this.walk(left, at)));
  }

  #elements(list: Path): Path {
    return list && list.length > 0 ? longer(list, "[]") : this.#endAt(list);
  }

  #endAt(path: Path): undefined {
    this.end(path);
    return undefined;
  }
}

/** The path of a value in the value at a path, or the path itself when it is long enough. */
function longer(path: readonly string[], step: string): readonly string[] {
  return path.length < longestPath ? [...path, step] : path;
}
