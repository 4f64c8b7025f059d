import type { Context } from "../context/mod.ts";
import {
  clipped,
  goJson,
  isFault,
  isObject,
  isString,
  type Json,
  type JsonObject,
  setField,
} from "../json/mod.ts";
import type { Outcome, OutcomeList } from "../rules/mod.ts";
import { compileTemplate, type Use } from "../template/mod.ts";

/** Adds a rule's `reportProperties` to its outcomes. */
export interface ReportProperties {
  /** Adds the properties as the policy has them, to outcomes before the rule's body. */
  unresolved(outcome: Outcome | OutcomeList): Outcome | OutcomeList;
  /** Adds the properties with variables replaced, to outcomes of the body. Properties of the outcome win. */
  resolved(outcome: Outcome | OutcomeList, context: Context): Outcome | OutcomeList;
}

/**
 * Compiles `reportProperties`. Kyverno parity: variables are replaced once preconditions hold, and properties whose
 * variables have no value stay as they are written. Pinned by "reportProperties whose variables have no value stay
 * unchanged" and "reportProperties stay unchanged when preconditions do not hold". Values other than strings become
 * JSON, because reports hold only strings.
 */
export function compileReportProperties(
  written: JsonObject,
  variables: (uses: readonly Use[]) => void,
): ReportProperties {
  const template = compileTemplate(written);
  const plain = texts(written);
  variables(template.uses);
  return {
    unresolved: (outcome) => joined(plain, outcome),
    resolved(outcome, context) {
      const rendered = template.render(context, context.environment);
      return joined(isFault(rendered) || !isObject(rendered) ? plain : texts(rendered), outcome);
    },
  };
}

function joined(properties: JsonObject, outcome: Outcome | OutcomeList): Outcome | OutcomeList {
  if (outcome.result === "list") {
    const [first, ...rest] = outcome.outcomes;
    return { ...outcome, outcomes: [withProperties(first), ...rest.map(withProperties)] };
  }
  return withProperties(outcome);

  function withProperties(outcome: Outcome): Outcome {
    return { ...outcome, properties: { ...properties, ...outcome.properties } };
  }
}

/** The most characters of a property: one that shows a field of the object could be as large as the request. */
const mostCharacters = 16_384;

function texts(properties: JsonObject): JsonObject {
  const result: { [name: string]: Json } = {};
  for (const [name, value] of Object.entries(properties)) {
    setField(result, name, clipped(isString(value) ? value : goJson(value), mostCharacters));
  }
  return result;
}
