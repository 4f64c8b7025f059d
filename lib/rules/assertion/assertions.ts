import { asList, asString, documentPathText, Fault, field, isObject, type Json } from "../../json/mod.ts";
import type { CommunityInput } from "../../jmespath/mod.ts";
import { withDefault } from "./compilers.ts";
import { compileMessage, type MessageTemplate } from "./message.ts";
import { type AssertionTree, compileTree, reportProblem, type TreeOptions } from "./tree.ts";
import type { AssertionViolation } from "./violation.ts";

/** An entry of `assert.any` or `assert.all` that the payload does not fulfil. */
export interface FailedAssertion {
  /** The entry's message, filled in; empty when it has none. */
  readonly message: string;
  /** The path of the entry in the policy. */
  readonly check: string;
  readonly violations: readonly AssertionViolation[];
}

/** A compiled `assert`. It returns the failed assertions, or a fault when it cannot be evaluated. */
export type Assertions = (payload: Json, input: CommunityInput) => readonly FailedAssertion[] | Fault;

/** One entry of `any` or `all`. */
interface Assertion {
  readonly path: string;
  readonly tree: AssertionTree;
  readonly message: MessageTemplate | undefined;
}

/**
 * Compiles `assert: {any: […], all: […]}`. One entry of `any` and every entry of `all` must hold. Failures of `any`
 * are reported before `all` is evaluated. An entry is `{check, message}`, or the tree itself.
 */
export function compileAssertions(assert: Json | undefined, options: TreeOptions): Assertions {
  const compilers = withDefault(options.compilers, field(assert, "compiler"));
  const any = compileEntries(assert, "any", { ...options, compilers });
  const all = compileEntries(assert, "all", { ...options, compilers });
  if (any.length + all.length === 0) {
    reportProblem("an empty assert is not valid", options);
  }
  return (payload, input) => {
    const failed: FailedAssertion[] = [];
    for (const assertion of any) {
      const failure = failureOf(assertion, payload, input);
      if (failure instanceof Fault) return failure;
      if (failure === undefined) {
        failed.length = 0;
        break;
      }
      failed.push(failure);
    }
    if (failed.length > 0) return failed;
    for (const assertion of all) {
      const failure = failureOf(assertion, payload, input);
      if (failure instanceof Fault) return failure;
      if (failure !== undefined) failed.push(failure);
    }
    return failed;
  };
}

function compileEntries(assert: Json | undefined, name: "any" | "all", options: TreeOptions): Assertion[] {
  return asList(field(assert, name)).map((entry, index) => {
    const path = [...options.path, name, index];
    const compilers = withDefault(options.compilers, field(entry, "compiler"));
    const whole = !isObject(entry) || !Object.hasOwn(entry, "check");
    const message = whole ? undefined : asString(field(entry, "message"));
    const tree = whole
      ? compileTree(entry, { ...options, path })
      : compileTree(field(entry, "check")!, { ...options, compilers, path: [...path, "check"] });
    const jmespath = options.compilers.byName.get("jp")!;
    return {
      path: documentPathText(path),
      tree,
      message: message === undefined ? undefined : compileMessage(message, jmespath),
    };
  });
}

function failureOf(
  { path, tree, message }: Assertion,
  payload: Json,
  input: CommunityInput,
): FailedAssertion | Fault | undefined {
  const violations = tree(payload, input);
  if (violations instanceof Fault) return violations;
  if (violations.length === 0) return undefined;
  return { message: message?.(payload, input) ?? "", check: path, violations };
}

/** Compiles a `match` or `exclude`, which decides whether a rule applies to the payload. */
export function compileMatch(
  match: Json | undefined,
  options: TreeOptions,
): ((payload: Json, input: CommunityInput) => boolean | Fault) | undefined {
  if (!isObject(match)) return undefined;
  const compilers = withDefault(options.compilers, field(match, "compiler"));
  const trees = (name: "any" | "all") =>
    asList(field(match, name)).map((tree, index) =>
      compileTree(tree, { ...options, compilers, path: [...options.path, name, index] })
    );
  const any = trees("any"), all = trees("all");
  if (any.length + all.length === 0) {
    reportProblem("an empty match is not valid", options);
  }
  return (payload, input) => {
    let fits = true;
    for (const [index, tree] of [...any, ...all].entries()) {
      const violations = tree(payload, input);
      if (violations instanceof Fault) return violations;
      // Kyverno parity: one tree of `any` is enough, whatever `all` says. Pinned by "one tree of any is enough".
      if (violations.length === 0 && index < any.length) return true;
      if (violations.length > 0) fits = false;
    }
    return fits;
  };
}
