import {
  boolType,
  type CelEnvironment,
  type CelError,
  type CelType,
  createEnvironment,
  dynType,
  isDynamic,
  type Library,
  objectType,
  type Program,
  sameType,
  stringType,
  typeName,
} from "../../cel/mod.ts";
import type { Need } from "../../context/mod.ts";
import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import type { DocumentPath } from "../../json/mod.ts";
import { needsOf } from "./needs.ts";

/** The variables and functions of expressions, and the receivers of their problems. */
export interface ExpressionSetOptions {
  readonly variables: Readonly<Record<string, CelType>>;
  readonly libraries: readonly Library[];
  /** Whether the elements of a list or map literal must have one type. */
  readonly literals: "homogeneous" | "mixed";
  /** Whether the types of expressions must show before they are evaluated; a warning says where they do not. */
  readonly typed?: boolean;
  /** Receives the problems of an expression; an error keeps the rule from running. */
  report(problem: PathDiagnostic): void;
  /** Receives the values that an expression reads from outside the request. */
  need(need: Need): void;
  /** Receives each expression with a mistake, besides {@link report}. */
  onUnusable?(text: UnusableText): void;
}

/** A text that cannot be used: an expression, or one that stands for an expression. */
export interface UnusableText {
  readonly path: DocumentPath;
  /** `undefined` when it is missing. */
  readonly text: string | undefined;
  readonly cause: readonly CelError[] | string;
}

/** A variable of `variables`, in the order in which they were written. */
export interface CompositedVariable {
  readonly name: string;
  readonly program: Program;
}

/**
 * The types that an expression may have, by its position in the policy. `dynamicText` also accepts an expression whose
 * type only an evaluation shows.
 */
export const wanted = {
  bool: [boolType],
  text: [stringType],
  dynamicText: [stringType, dynType],
  any: [],
} as const;

/**
 * Compiles the expressions of one rule or policy. A `variables` entry has the type of its expression and can be read
 * by the entries after it. Mistakes are reported with their position; an expression with a mistake is `undefined`.
 */
export class ExpressionSet {
  readonly variables: CompositedVariable[] = [];
  /** The names of values besides `variables` that expressions can read. */
  readonly names: readonly string[];
  /** All compiled programs, in order. */
  readonly programs: Program[] = [];
  readonly #types = new Map<string, CelType>();
  readonly #environment: CelEnvironment;
  readonly #isTyped: boolean;
  #report: (problem: PathDiagnostic) => void;
  readonly #need: (need: Need) => void;
  #onUnusable: (text: UnusableText) => void;

  constructor(options: ExpressionSetOptions) {
    const { variables, libraries, literals, typed = false, report, need, onUnusable = () => {} } = options;
    this.names = Object.keys(variables);
    this.#isTyped = typed;
    this.#report = report;
    this.#need = need;
    this.#onUnusable = onUnusable;
    const composited = objectType("variables", (name) => this.#types.get(name));
    this.#environment = createEnvironment({
      variables: { ...variables, variables: composited },
      libraries,
      literals,
    });
  }

  /** Adds a variable for the expressions that are compiled afterwards. */
  define(name: string, text: string, path: DocumentPath): void {
    const program = this.compile(text, path, wanted.any);
    // A broken variable gets the dynamic type, so that its uses are not reported as well.
    this.#types.set(name, program?.type ?? dynType);
    if (program !== undefined) this.variables.push({ name, program });
  }

  /** Compiles an expression that must have one of the types; any type when there are none. */
  compile(text: string, path: DocumentPath, types: readonly CelType[]): Program | undefined {
    const compiled = this.#environment.compile(text);
    if (!compiled.ok) {
      this.#onUnusable({ path, text, cause: compiled.errors });
      if (text.trim() === "") {
        this.mistake("the expression is missing", path);
        return undefined;
      }
      for (const { line, column, message, hint } of compiled.errors) {
        this.#mistake(`CEL ${line}:${column}: ${message}`, path, hint);
      }
      return undefined;
    }
    const { type } = compiled.program;
    this.add([compiled.program]);
    const fits = types.length === 0 || isDynamic(type) || types.some((each) => sameType(each, type));
    const named = types.filter((each) => !isDynamic(each));
    const expected = `${named.length > 1 ? "either " : ""}of type ${named.map(typeName).join(" or ")}`;
    if (fits) {
      if (this.#isTyped && isDynamic(type) && types.length > 0 && !types.some(isDynamic)) {
        this.#warnUntyped(expected, path);
      }
      return compiled.program;
    }
    this.#onUnusable({ path, text, cause: `output is expected to be ${expected}` });
    this.mistake(`CEL: must give ${named.map(typeName).join(" or ")}, but gives ${typeName(type)}`, path);
    return undefined;
  }

  /** Adds programs, also those that another set of the same names and functions compiled. */
  add(programs: readonly Program[]): void {
    for (const program of programs) {
      this.programs.push(program);
      for (const need of needsOf(program)) this.#need(need);
    }
  }

  /** Compiles with another receiver of problems than the policy's. */
  reporting<T>(report: (problem: PathDiagnostic) => void, compile: () => T): T {
    const usual = this.#report, onUnusable = this.#onUnusable;
    this.#report = report;
    this.#onUnusable = () => {};
    try {
      return compile();
    } finally {
      this.#report = usual;
      this.#onUnusable = onUnusable;
    }
  }

  /** Reports an expression that the API server would refuse although Postern can evaluate it. */
  warn(message: string, path: DocumentPath): void {
    this.#report({ severity: "warning", code: "bad-name", message, path });
  }

  /**
   * Reports an expression whose type only an evaluation shows. Kyverno parity: its policy is not stored. Pinned by
   * "of an unknown type".
   */
  #warnUntyped(expected: string, path: DocumentPath): void {
    const message = `CEL: output is expected to be ${expected}, but only an evaluation shows its type`;
    this.#report({ severity: "warning", code: "refused-by-api-server", message, path });
  }

  /** Reports a text that cannot be used. */
  reject(text: UnusableText, message: string): void {
    this.#onUnusable(text);
    this.mistake(message, text.path);
  }

  /** Reports a mistake in a field beside the expressions. */
  mistake(message: string, path: DocumentPath): void {
    this.#mistake(message, path);
  }

  #mistake(message: string, path: DocumentPath, hint?: string): void {
    this.#report({ severity: "error", code: "bad-cel", message, path, ...(hint !== undefined && { hint }) });
  }
}
