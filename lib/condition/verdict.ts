import type { Environment } from "../jmespath/mod.ts";
import { type Fault, isFault, type Scope } from "../json/mod.ts";
import type { Condition } from "./condition.ts";
import type { Observe } from "./observation.ts";

/** Whether conditions hold, with the messages of the conditions that decided it. */
export interface ConditionVerdict {
  readonly holds: boolean;
  readonly message: string;
}

/** Evaluates conditions, or blocks of them. */
export type EvaluateConditions = (
  scope: Scope,
  environment: Environment,
  observe: Observe | undefined,
) => ConditionVerdict | Fault;

const holding: ConditionVerdict = { holds: true, message: "" };
const failing: ConditionVerdict = { holds: false, message: "" };

/** Makes a verdict. Verdicts without a message, the most frequent ones, are shared. */
export function verdict(holds: boolean, message: string): ConditionVerdict {
  if (message !== "") return { holds, message };
  return holds ? holding : failing;
}

/** The verdict of conditions that always hold. */
export function alwaysHolds(): ConditionVerdict {
  return holding;
}

/** The verdict of a single condition. */
export function evaluateOne({ evaluate, message }: Condition): EvaluateConditions {
  return (scope, environment, observe) => {
    const result = evaluate(scope, environment, observe);
    return isFault(result) ? result : verdict(result, message);
  };
}

/** Evaluates members in order up to the first that does not hold, whose message becomes the verdict's. */
export function evaluateEach(members: readonly EvaluateConditions[]): EvaluateConditions {
  return (scope, environment, observe) => {
    const messages: string[] = [];
    for (const evaluate of members) {
      const result = evaluate(scope, environment, observe);
      if (isFault(result) || !result.holds) return result;
      if (result.message !== "") messages.push(result.message);
    }
    return verdict(true, messages.join(";"));
  };
}

/** An `any`/`all` block; `undefined` for an absent list. */
export interface ConditionBlock {
  readonly any: readonly Condition[] | undefined;
  readonly all: readonly Condition[];
}

/**
 * Evaluates a block of a rule: `any` up to the first condition that holds, then `all` up to the first that does not.
 * The message joins the messages of the conditions that decided the result.
 *
 * Kyverno parity: `any: []` never holds, and `all` is evaluated even when `any` has failed, so that a fault in `all`
 * wins. Pinned by "any without conditions never holds" and "a fault in all is the result, even when any has failed".
 */
export function evaluateBlock({ any, all }: ConditionBlock): EvaluateConditions {
  if (any === undefined && all.every(({ message }) => message === "")) return evaluateAll(all);
  return (scope, environment, observe) => {
    const met: string[] = [], unmet: string[] = [];
    let holds = any === undefined;
    for (const { evaluate, message } of any ?? []) {
      const result = evaluate(scope, environment, observe);
      if (isFault(result)) return result;
      if (message !== "") (result ? met : unmet).push(message);
      if (!result) continue;
      holds = true;
      break;
    }
    for (const { evaluate, message } of all) {
      const result = evaluate(scope, environment, observe);
      if (isFault(result)) return result;
      if (message !== "") (result ? met : unmet).push(message);
      if (result) continue;
      holds = false;
      break;
    }
    return verdict(holds, (holds ? met : unmet).join("; "));
  };
}

/** Evaluates conditions without messages that must all hold. */
function evaluateAll(all: readonly Condition[]): EvaluateConditions {
  return (scope, environment, observe) => {
    for (const { evaluate } of all) {
      const result = evaluate(scope, environment, observe);
      if (isFault(result)) return result;
      if (!result) return failing;
    }
    return holding;
  };
}

/** Evaluates a block of an exception or a cleanup policy: `all` first, then `any`; an empty `any` holds. */
export function evaluateException({ any = [], all }: ConditionBlock): EvaluateConditions {
  const allHold = evaluateAll(all);
  return (scope, environment, observe) => {
    const verdict = allHold(scope, environment, observe);
    if (isFault(verdict) || !verdict.holds || any.length === 0) return verdict;
    for (const { evaluate } of any) {
      const result = evaluate(scope, environment, observe);
      if (isFault(result)) return result;
      if (result) return holding;
    }
    return failing;
  };
}
