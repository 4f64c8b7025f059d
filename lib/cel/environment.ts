import { check, Declarations } from "./check/mod.ts";
import type { CelDialect, Library } from "./libraries/library.ts";
import { standardLibrary } from "./libraries/standard.ts";
import { type CelOutline, outline } from "./outline.ts";
import { plan } from "./plan/mod.ts";
import { Program } from "./program.ts";
import { factsOf } from "./program_facts.ts";
import { type CelError, locateProblems, parse } from "./syntax/mod.ts";
import type { CelType } from "./types/mod.ts";
import type { TextProblem } from "../diagnostics/mod.ts";

/** The names that expressions may use, and the rules for them. */
export interface EnvironmentOptions {
  /** The variables of activations by name (which may be dotted), with their types; `dynType` for any. */
  readonly variables: Readonly<Record<string, CelType>>;
  /** Libraries in addition to the standard library, which every environment has. */
  readonly libraries?: readonly Library[];
  /** Whether the elements of a list or map literal must have one type, as Kubernetes requires. Default `mixed`. */
  readonly literals?: "homogeneous" | "mixed";
  /** The namespace in which names are looked up first. */
  readonly container?: string;
  /**
   * `none` plans expressions even when their types do not fit, so that mistakes are errors of the evaluation. Default
   * `types`.
   */
  readonly check?: "types" | "none";
  /**
   * The behaviour where Kubernetes and the specification disagree. The specification refuses maps with doubles as
   * keys or with a key twice and optional steps into values without fields, and counts the milliseconds of a duration
   * within its second. Default `kubernetes`.
   */
  readonly dialect?: CelDialect;
}

/** An expression that can be evaluated, or the first errors in it. */
export type CompileResult =
  | { readonly ok: true; readonly program: Program }
  | { readonly ok: false; readonly errors: readonly CelError[] };

/** Compiles expressions that share variables and libraries. */
export interface CelEnvironment {
  compile(text: string): CompileResult;
  /** The syntax tree of a text; `undefined` when it is not an expression. */
  outline(text: string): CelOutline | undefined;
}

/**
 * An environment for expressions.
 *
 * ```ts
 * import { celToJson, createEnvironment, dynType } from "./mod.ts";
 * import assert from "node:assert/strict";
 * const environment = createEnvironment({ variables: { object: dynType } });
 * const compiled = environment.compile("object.spec.replicas > 2 ? 'many' : 'few'");
 * assert(compiled.ok);
 * const object = { spec: { replicas: 3 } };
 * const value = compiled.program.evaluate((name) => name === "object" ? object : undefined);
 * assert.equal(celToJson(value), "many");
 * ```
 */
export function createEnvironment(options: EnvironmentOptions): CelEnvironment {
  const { variables, libraries = [], literals = "mixed", container = "" } = options;
  const { check: checking = "types", dialect = "kubernetes" } = options;
  const declarations = new Declarations({
    variables,
    libraries: [standardLibrary(dialect), ...libraries],
    container,
  });
  return {
    outline(text) {
      const { expression, errors } = parse(text, declarations);
      return errors.length > 0 ? undefined : outline(expression);
    },
    compile(text) {
      const parsed = parse(text, declarations);
      if (parsed.errors.length > 0) return refused(text, parsed.errors);
      const checked = check(parsed.expression, declarations, { literals });
      if (checked.errors.length > 0 && checking === "types") return refused(text, checked.errors);
      const { run, errors } = plan(parsed.expression, checked, { dialect });
      if (errors.length > 0 && checking === "types") return refused(text, errors);
      return { ok: true, program: new Program(checked.type, run, factsOf(parsed.expression, checked)) };
    },
  };
}

function refused(text: string, problems: readonly TextProblem[]): CompileResult {
  return { ok: false, errors: locateProblems(text, problems) };
}
