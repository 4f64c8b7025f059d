import { type Diagnostic, withPosition } from "../diagnostics/mod.ts";
import { asObject, dig, Fault, isFault, isList, type Json, type JsonObject } from "../json/mod.ts";
import { Bindings, newBudget } from "../jmespath/mod.ts";
import type { LocatedDocument } from "../policy/mod.ts";
import { elapsedOn, type Ports } from "../ports.ts";
import {
  compileJsonPolicy as compileAssertions,
  type JsonPolicy,
  type JsonRuleResult,
  standardCompilers,
} from "../rules/mod.ts";

/** A compiled ValidatingPolicy of json.kyverno.io. */
export interface CompiledJsonPolicy extends JsonPolicy {
  readonly document: JsonObject;
  readonly labels: JsonObject;
}

/** The result of one rule of a JSON policy for one payload. */
export interface JsonResult extends JsonRuleResult {
  readonly policy: string;
}

/** The ports of scans, and the given bindings. */
export interface ScanPorts extends Pick<Ports, "clock" | "entropy" | "scheduler"> {
  /** The values of `$name` in expressions. */
  readonly bindings?: JsonObject;
}

/** Whether a document is a policy for any JSON. */
export function isJsonPolicy({ group, kind }: LocatedDocument): boolean {
  return group === "json.kyverno.io" && kind === "ValidatingPolicy";
}

/** Compiles a JSON policy, and reports its problems with their positions. */
export function compileJsonPolicy(
  { document, locate }: LocatedDocument,
  report: (diagnostic: Diagnostic) => void,
): CompiledJsonPolicy {
  const policy = compileAssertions(document, standardCompilers());
  for (const problem of policy.problems) report({ ...withPosition(problem, locate), policy: policy.name });
  return { ...policy, document, labels: asObject(dig(document, "metadata", "labels")) ?? {} };
}

/** Applies expressions to a payload, each to the result of the one before. A fault when one fails or returns null. */
export function preprocess(payload: Json, expressions: readonly string[], ports: ScanPorts): Json | Fault {
  const compile = standardCompilers().byName.get("jp")!;
  let current = payload;
  for (const text of expressions) {
    const expression = compile(text);
    const result = isFault(expression) ? expression : expression(current, expressionInput(ports));
    if (isFault(result)) return new Fault(`failed to execute preprocessor (${text}) - ${result.message}`);
    if (result === null) return new Fault(`preprocessor resulted in \`null\` payload (${text})`);
    current = result;
  }
  return current;
}

/** The values of a payload: the elements of a list, or the value itself. */
export function payloadItems(payload: Json): readonly Json[] {
  return isList(payload) ? payload : [payload];
}

/** Evaluates each policy for each value; rules that do not match a value have no result for it. */
export function scanPayload(
  policies: readonly CompiledJsonPolicy[],
  payload: Json,
  ports: ScanPorts,
): readonly JsonResult[] {
  const input = expressionInput(ports);
  return payloadItems(payload).flatMap((item) =>
    policies.flatMap((policy) =>
      policy.scan(item, input).map((result): JsonResult => ({ ...result, policy: policy.name }))
    )
  );
}

/** The ports and the bound of a scan that a caller sent. */
export interface ScanLimits {
  readonly ports: ScanPorts;
  /** The most steps of all expressions together. */
  readonly maxSteps: number;
}

/** The steps that are counted for a policy and a value: the least cost of a rule and its result. */
const stepsPerPolicy = 500;

/**
 * As {@link scanPayload}, for payloads of callers. It pauses for other work, and returns a fault when the expressions
 * take too many steps.
 */
export async function scanInSteps(
  policies: readonly CompiledJsonPolicy[],
  payload: Json,
  { ports, maxSteps }: ScanLimits,
): Promise<readonly JsonResult[] | Fault> {
  const { clock, scheduler } = ports;
  const input = expressionInput(ports);
  const results: JsonResult[] = [];
  let left = maxSteps, sliceEnds = elapsedOn(clock) + (scheduler?.sliceMilliseconds ?? 0);
  for (const item of payloadItems(payload)) {
    for (const policy of policies) {
      const budget = newBudget(), full = budget.left;
      for (const result of policy.scan(item, { ...input, budget })) {
        results.push({ ...result, policy: policy.name });
      }
      left -= full - budget.left + stepsPerPolicy;
      if (budget.left < 0) return new Fault(`policy ${policy.name} takes too many steps for one value`);
      if (left < 0) return new Fault("the payload takes too many steps: send it in parts");
    }
    if (scheduler === undefined || elapsedOn(clock) < sliceEnds) continue;
    await scheduler.pause();
    sliceEnds = elapsedOn(clock) + scheduler.sliceMilliseconds;
  }
  return results;
}

function expressionInput(
  { clock, entropy, bindings: given = {} }: ScanPorts,
): Parameters<JsonPolicy["scan"]>[1] {
  const now = clock.now();
  let bindings = Bindings.none;
  for (const [name, value] of Object.entries(given)) bindings = bindings.with(name, value);
  return { bindings, environment: { now: () => now, random: () => entropy.next() } };
}
