import { join } from "node:path";
import { isFault, type Json, type JsonObject } from "../../../lib/json/mod.ts";
import {
  Bindings,
  communityCompiler,
  communityFunctions,
  kyvernoFunctions,
} from "../../../lib/jmespath/mod.ts";
import {
  type AssertionViolation,
  celForTrees,
  compileJsonPolicy,
  compilersOf,
  compileRuleAssertion,
  type JsonRuleResult,
} from "../../../lib/rules/assertion/mod.ts";
import { type Check, checkText, type ConformanceSet, jsonLines } from "../set.ts";

const compilers = compilersOf(communityCompiler(communityFunctions(kyvernoFunctions())), celForTrees());
const environment = { now: () => 0, random: () => 0 };

interface RuleAnswer {
  readonly rule: string;
  readonly identifier?: string;
  readonly error?: string;
  readonly violations?: readonly {
    readonly message: string;
    readonly errors: readonly {
      readonly type: string;
      readonly field: string;
      readonly value?: Json;
      readonly detail: string;
    }[];
  }[];
}

interface ScanCase {
  readonly policy: JsonObject;
  readonly payload: Json;
  readonly bindings?: JsonObject;
  readonly outcome: string;
  readonly rules?: readonly RuleAnswer[];
  readonly error?: string;
}

/** kyverno-json's own policies over any payload. */
export const assertScan: ConformanceSet = {
  name: "matrix/assert",
  goals: { outcome: 0.99, violations: 0.99, errors: 0.75 },
  *rows(corpus) {
    for (const { line, row } of jsonLines<ScanCase>(join(corpus, "matrix/assert.jsonl"))) {
      yield { id: String(line), input: JSON.stringify({ ...row, rules: undefined }), check: () => scan(row) };
    }
  },
};

function scan(row: ScanCase): readonly Check[] {
  let bindings: Bindings = Bindings.none;
  for (const [name, value] of Object.entries(row.bindings ?? {})) bindings = bindings.with(name, value);
  const results = compileJsonPolicy(row.policy, compilers).scan(row.payload, { bindings, environment });
  // Kyverno-json's whole run ends where it cannot print a rule's result as JSON: here that rule is an error.
  const expected = row.outcome === "error" ? "ruleerror" : row.outcome;
  const checks = [checkText("outcome", expected, outcomeOf(results))];
  if (row.outcome === "error") return checks;
  checks.push(checkText("violations", expectedViolations(row.rules ?? []), actualViolations(results)));
  const messages = (row.rules ?? []).flatMap(({ error }) => error === undefined ? [] : [error]);
  if (messages.length > 0) {
    checks.push(checkText("errors", messages.join("\n"), results.map(({ error }) => error).join("\n")));
  }
  return checks;
}

function outcomeOf(results: readonly JsonRuleResult[]): string {
  if (results.length === 0) return "norule";
  if (results.some(({ result }) => result === "error")) return "ruleerror";
  return results.some(({ result }) => result === "fail") ? "fail" : "pass";
}

function expectedViolations(rules: readonly RuleAnswer[]): string {
  return canonical(rules.map(({ rule, identifier = "", violations = [] }) => ({
    rule,
    identifier,
    violations: violations.map(({ message, errors }) => ({
      message,
      errors: sorted(errors.map(({ type, field, value = null, detail }) => ({ type, field, value, detail }))),
    })),
  })));
}

function actualViolations(results: readonly JsonRuleResult[]): string {
  return canonical(results.map(({ rule, identifier, failures }) => ({
    rule,
    identifier,
    violations: failures.map(({ message, check, violations }) => ({
      message: message === "" ? `(CHECK=${check})` : `${message} (CHECK=${check})`,
      errors: sorted(violations.map(fieldError)),
    })),
  })));
}

function fieldError({ kind, path, value, detail }: AssertionViolation): JsonObject {
  return {
    type: kind === "required" ? "FieldValueRequired" : "FieldValueInvalid",
    field: path,
    value,
    detail,
  };
}

function sorted(errors: readonly JsonObject[]): readonly JsonObject[] {
  return [...errors].sort((a, b) => canonical(a) < canonical(b) ? -1 : 1);
}

function canonical(value: Json): string {
  return JSON.stringify(
    value,
    (_, inner) =>
      typeof inner === "object" && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => a < b ? -1 : 1))
        : inner,
  );
}

interface RuleCase {
  readonly validate: { readonly assert: Json };
  readonly resource: JsonObject;
  readonly result: string;
  readonly message: string;
}

/** `validate.assert` of a ClusterPolicy, as the last release with it does it. */
export const assertClusterPolicy: ConformanceSet = {
  name: "matrix/assert_clusterpolicy",
  goals: { result: 0.98, message: 0.92 },
  *rows(corpus) {
    for (const { line, row } of jsonLines<RuleCase>(join(corpus, "matrix/assert_clusterpolicy.jsonl"))) {
      yield {
        id: String(line),
        input: JSON.stringify({ ...row, message: undefined }),
        check: () => checksOf(row),
      };
    }
  },
};

function checksOf({ validate, resource, result, message }: RuleCase): readonly Check[] {
  const { apiVersion, kind } = resource as { readonly apiVersion: string; readonly kind: string };
  const [version, group = ""] = apiVersion.split("/").reverse();
  const payload = {
    object: resource,
    // Kyverno has no old object here, but not null either.
    oldObject: {},
    operation: "CREATE",
    namespaceLabels: {},
    resourceKind: { group, version: version!, kind, subResource: "" },
  };
  const texts = compileRuleAssertion(validate.assert, compilers).check(payload, {
    bindings: Bindings.none,
    environment,
  });
  if (isFault(texts)) {
    return [checkText("result", result, "error"), checkText("message", message, texts.message)];
  }
  if (texts.length === 0) {
    return [
      checkText("result", result, "pass"),
      checkText("message", message, "Validation rule 'r' passed."),
    ];
  }
  // The report keeps one of several failures, whichever came last.
  const shown = texts.includes(message) ? message : texts.at(-1)!;
  return [checkText("result", result, "fail"), checkText("message", message, shown)];
}
