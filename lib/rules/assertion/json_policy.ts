import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import {
  asList,
  dig,
  documentPathText,
  Fault,
  field,
  goPrint,
  type Json,
  type JsonObject,
  textField,
} from "../../json/mod.ts";
import { nameOf } from "../../kube/mod.ts";
import type { Bindings, CommunityInput } from "../../jmespath/mod.ts";
import { type Assertions, compileAssertions, compileMatch, type FailedAssertion } from "./assertions.ts";
import { type Compile, type Compilers, withDefault } from "./compilers.ts";
import { compileScalar, reportProblem, type TreeOptions } from "./tree.ts";

/** The result of one rule for one payload. */
export interface JsonRuleResult {
  readonly rule: string;
  readonly result: "pass" | "fail" | "error";
  /** The payload's name, as the rule's `identifier` computes it; empty without one. */
  readonly identifier: string;
  /** The values of the `feedback` entries, or why an entry has none. */
  readonly feedback: ReadonlyMap<string, Json | Fault>;
  /** The failed assertions; empty unless the result is `fail`. */
  readonly failures: readonly FailedAssertion[];
  /** Why the rule could not be evaluated; empty unless the result is `error`. */
  readonly error: string;
}

/** A compiled policy of the kind `ValidatingPolicy` of json.kyverno.io. */
export interface JsonPolicy {
  readonly name: string;
  /** The parts that do not compile, with paths in the policy. A rule with a problem answers with an error. */
  readonly problems: readonly PathDiagnostic[];
  /**
   * Evaluates the rules for any JSON value. A rule that does not match it has no result. `bindings` are additional
   * `$names`.
   */
  scan(payload: Json, input: CommunityInput): readonly JsonRuleResult[];
}

/** A compiled rule. It returns its result, or `undefined` when it does not match. */
type Rule = (payload: Json, input: CommunityInput) => JsonRuleResult | undefined;

/** Compiles a policy for JSON payloads. Parts that cannot be compiled become problems, not exceptions. */
export function compileJsonPolicy(document: JsonObject, compilers: Compilers): JsonPolicy {
  const spec = field(document, "spec");
  const chosen = withDefault(compilers, field(spec, "compiler"));
  const all: PathDiagnostic[] = [];
  const rules = asList(field(spec, "rules")).map((rule, index): Rule => {
    const problems: PathDiagnostic[] = [];
    const report = (problem: PathDiagnostic) => problems.push(problem);
    const run = compileRule(rule, { compilers: chosen, path: ["spec", "rules", index], report });
    all.push(...problems);
    const [first] = problems;
    if (first !== undefined) return broken(textField(rule, "name"), first.message);
    return (payload, input) => run(payload, { ...input, bindings: input.bindings.with("rule", rule) });
  });
  return {
    name: nameOf(document),
    problems: all,
    scan: (payload, input) => {
      const bindings = input.bindings.with("payload", payload).with("policy", document);
      return rules.flatMap((rule) => rule(payload, { ...input, bindings }) ?? []);
    },
  };
}

function broken(rule: string, error: string): Rule {
  return () => ({ rule, result: "error", identifier: "", feedback: new Map(), failures: [], error });
}

function compileRule(rule: Json, policyOptions: TreeOptions): Rule {
  const at = (...steps: string[]): TreeOptions => ({ ...options, path: [...options.path, ...steps] });
  const options = {
    ...policyOptions,
    compilers: withDefault(policyOptions.compilers, field(rule, "compiler")),
  };
  const context = compileContext(asList(field(rule, "context")), at("context"));
  const identify = compileIdentifier(textField(rule, "identifier"), at("identifier"));
  const feedback = compileFeedback(asList(field(rule, "feedback")), at("feedback"));
  const match = compileMatch(field(rule, "match"), at("match"));
  const exclude = compileMatch(field(rule, "exclude"), at("exclude"));
  // The documentation writes `validate.assert`.
  const direct = field(rule, "assert");
  const assert: Assertions = direct === undefined
    ? compileAssertions(dig(rule, "validate", "assert"), at("validate", "assert"))
    : compileAssertions(direct, at("assert"));
  const name = textField(rule, "name");

  return (payload, outer) => {
    const input = context(payload, outer);
    const matched = match?.(payload, input) ?? true;
    if (matched === false) return undefined;
    const excluded = matched === true && (exclude?.(payload, input) ?? false);
    if (excluded === true) return undefined;
    const verdict = matched instanceof Fault
      ? matched
      : excluded instanceof Fault
      ? excluded
      : assert(payload, input);
    const about = {
      rule: name,
      identifier: identify(payload, input),
      feedback: feedback(payload, input),
    };
    if (verdict instanceof Fault) return { ...about, result: "error", failures: [], error: verdict.message };
    return { ...about, result: verdict.length === 0 ? "pass" : "fail", failures: verdict, error: "" };
  };
}

/** The `$names` of the rule's context. Each is computed when it is first read, and can read the entries before it. */
function compileContext(
  entries: readonly Json[],
  options: TreeOptions,
): (payload: Json, outer: CommunityInput) => CommunityInput {
  const compiled = entries.map((entry, index) => {
    const path = [...options.path, index, "variable"];
    const compilers = withDefault(options.compilers, field(entry, "compiler"));
    const value = compileScalar(field(entry, "variable") ?? null, { ...options, compilers, path });
    return { name: textField(entry, "name"), value, path: documentPathText(path) };
  });
  return (payload, outer) => {
    let bindings: Bindings = outer.bindings;
    for (const { name, value, path } of compiled) {
      const visible = bindings;
      bindings = visible.withLazy(name, () => {
        const result = value(payload, { ...outer, bindings: visible });
        return result instanceof Fault ? new Fault(`${path}: Internal error: ${result.message}`) : result;
      });
    }
    return { ...outer, bindings };
  };
}

function compileIdentifier(
  text: string,
  options: TreeOptions,
): (payload: Json, input: CommunityInput) => string {
  if (text === "") return () => "";
  const compile: Compile = options.compilers.byName.get("jp")!;
  const expression = compile(text);
  if (expression instanceof Fault) {
    reportProblem(`Internal error: ${expression.message}`, options);
    return () => "";
  }
  return (payload, input) => {
    const value = expression(payload, input);
    return value instanceof Fault ? `(error: ${value.message})` : goPrint(value);
  };
}

function compileFeedback(
  entries: readonly Json[],
  options: TreeOptions,
): (payload: Json, input: CommunityInput) => ReadonlyMap<string, Json | Fault> {
  const compiled = entries.map((entry, index) => {
    const path = [...options.path, index, "value"];
    const compilers = withDefault(options.compilers, field(entry, "compiler"));
    const value = compileScalar(field(entry, "value") ?? null, { ...options, compilers, path });
    return { name: textField(entry, "name"), value };
  });
  return (payload, input) =>
    new Map(compiled.map(({ name, value }) => [name, value(payload, input)] as const));
}
