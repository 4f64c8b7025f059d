import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import type { Program } from "../../cel/mod.ts";
import { type Fault, isFault } from "../../json/mod.ts";
import type { CelException } from "../../policy/mod.ts";
import {
  type CelEvaluation,
  compileMatchConditions,
  type ExpressionSet,
  kyvernoTexts,
  type MatchConditions,
} from "../cel/mod.ts";
import type { Outcome } from "../outcome.ts";
import type { Allowed } from "./kyverno_expressions.ts";
import type { PolicyTools } from "./policy_kind.ts";

/** The effect of matching exceptions: a result for the request, or images and values that the policy must allow. */
export type Exemption = { readonly outcome: Outcome } | { readonly allowed: Allowed };

/**
 * The meaning of an exception with conditions that cannot be evaluated: a fault of its policy, or it does not match.
 */
export type OnFault = "fault" | "no match";

/**
 * Returns the meaning for policies that validate. Kyverno parity: their failurePolicy is that of the conditions of
 * their exceptions, too; policies that change objects have no such rule. Pinned by "an exception that cannot be
 * evaluated exempts nothing where failurePolicy is Ignore".
 */
export function onFaultOfValidation({ policy }: Pick<PolicyTools, "policy">): OnFault {
  return policy.failurePolicy === "Ignore" ? "no match" : "fault";
}

/** The options of compiling exceptions. */
export interface ExemptionOptions {
  readonly onFault?: OnFault;
  /**
   * Whether an exception with images or values passes them to the policy (the default), or exempts the whole object.
   * Kyverno parity: a policy that deletes cannot read them. Pinned by "keeps the objects that it matches".
   */
  readonly scope?: "images and values" | "whole";
}

/**
 * Compiles the exceptions from a policy. An exception whose conditions hold makes the policy skip, or pass where it
 * demands that. An exception with images or values passes them to the policy instead.
 */
export function compileExemptions(
  { policy, exceptions, report, once }: Pick<PolicyTools, "policy" | "exceptions" | "report" | "once">,
  expressions: ExpressionSet,
  { onFault = "fault", scope = "images and values" }: ExemptionOptions = {},
): (evaluation: CelEvaluation, now: number) => Exemption | Fault {
  const shared = once(newConditions);
  const compiled = exceptions.flatMap((exception) => {
    const { holds, mistake } = shared.of(exception, expressions, policy);
    if (mistake === undefined) return [{ exception, holds }];
    // An exception that cannot be compiled neither exempts nor denies anything.
    const message = `exception "${exception.key}" is not used: ${mistake}`;
    report({ severity: "warning", code: "bad-exception", message, path: ["metadata"] });
    return [];
  });
  return (evaluation, now) => {
    const matched: CelException[] = [];
    let full = false;
    const allowedImages: string[] = [], allowedValues: string[] = [];
    for (const { exception, holds } of compiled) {
      if (exception.expires !== undefined && !(now < exception.expires)) continue;
      const verdict = holds(evaluation);
      if (isFault(verdict)) {
        // An exception that cannot be evaluated does not revoke an exemption that an earlier one granted.
        if (full || onFault === "no match") continue;
        return verdict;
      }
      if (!verdict) continue;
      matched.push(exception);
      const isScoped = exception.images.length > 0 || exception.allowedValues.length > 0;
      if (!isScoped || scope === "whole") full = true;
      allowedImages.push(...exception.images);
      allowedValues.push(...exception.allowedValues);
    }
    return full ? { outcome: exempted(matched) } : { allowed: { allowedImages, allowedValues } };
  };
}

/** The conditions of an exception, with the first mistake in them. */
interface CompiledConditions {
  readonly holds: MatchConditions;
  readonly mistake: string | undefined;
  readonly programs: readonly Program[];
}

function newConditions(): ExceptionConditions {
  return new ExceptionConditions();
}

/**
 * The compiled conditions of exceptions. Policies of one kind share them: an exception of a thousand conditions may
 * name a thousand policies, also of a thousand namespaces. Conditions that call out are compiled for each namespace,
 * because the policies of a namespace read only that one.
 */
class ExceptionConditions {
  readonly #compiled = new WeakMap<CelException, Map<string, CompiledConditions>>();

  /** The conditions of an exception from a policy, which knows the names of `expressions`. */
  of(
    exception: CelException,
    expressions: ExpressionSet,
    { kind, namespace = "" }: PolicyTools["policy"],
  ): CompiledConditions {
    // Conditions that may read the variables of a policy are its own.
    if (expressions.variables.length > 0) return compiledConditions(exception, expressions);
    let compiled = this.#compiled.get(exception);
    if (compiled === undefined) this.#compiled.set(exception, compiled = new Map());
    const ofKind = [kind, ...expressions.names].join(" "), ofNamespace = `${ofKind} ${namespace}`;
    const found = compiled.get(ofKind) ?? compiled.get(ofNamespace);
    if (found !== undefined) {
      expressions.add(found.programs);
      return found;
    }
    const made = compiledConditions(exception, expressions);
    const isBound = made.programs.some(({ facts }) => facts.callsOut);
    compiled.set(isBound ? ofNamespace : ofKind, made);
    return made;
  }
}

function compiledConditions(exception: CelException, expressions: ExpressionSet): CompiledConditions {
  let mistake: string | undefined;
  const note = ({ severity, message }: PathDiagnostic): void => {
    if (severity === "error") mistake ??= message;
  };
  const before = expressions.programs.length;
  const holds = expressions.reporting(
    note,
    () =>
      compileMatchConditions(exception.matchConditions, expressions, {
        path: ["spec", "matchConditions"],
        texts: kyvernoTexts,
      }),
  );
  return { holds, mistake, programs: expressions.programs.slice(before) };
}

function exempted(exceptions: readonly CelException[]): Outcome {
  const keys = exceptions.map(({ key }) => key);
  const [first, ...rest] = exceptions;
  const chosen = rest.reduce(
    (best, each) => each.priority > Math.max(best.priority, 0) ? each : best,
    first!,
  );
  const word = chosen.result === "pass" ? "passed" : "skipped";
  return {
    result: chosen.result,
    message: `rule is ${word} due to policy exception: ${keys.join(", ")}`,
    reportedAs: "exception",
    exceptions: keys,
  };
}
