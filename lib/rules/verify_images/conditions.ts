import { compileConditions, type Observe } from "../../condition/mod.ts";
import type { Context } from "../../context/mod.ts";
import {
  BoundedCache,
  type DocumentPath,
  Fault,
  isFault,
  isString,
  type Json,
  type JsonObject,
} from "../../json/mod.ts";
import { compileTemplate, type Template } from "../../template/mod.ts";
import { observed, reportConditions, ruleConditions } from "../conditions.ts";
import { textOfMessage } from "../message.ts";
import type { RuleTools } from "../rule_kind.ts";

/** The conditions on a statement's predicate. The predicate's fields are variables besides those of the rule. */
export interface StatementConditions {
  check(
    predicate: JsonObject,
    context: Context,
  ): { readonly holds: boolean; readonly message: string } | Fault;
}

/** Compiles the `conditions` of an attestation; `undefined` when there are none. */
export function compileStatementConditions(
  written: Json | undefined,
  tools: RuleTools,
  path: DocumentPath,
): StatementConditions | undefined {
  if (written === undefined || written === null) return undefined;
  const conditions = compileConditions(written, { dialect: "current", evaluator: "blocks" });
  reportConditions(conditions, tools, path);
  if (isFault(conditions)) return { check: () => conditions };
  // Kyverno parity: the variables of all conditions are replaced before the first one is evaluated. Pinned by
  // "failed to check attestations: failed to substitute variables in attestation conditions: ".
  const whole = compileTemplate(written);
  const texts = new Texts();
  return {
    check(predicate, outer) {
      const context = outer.child({ values: predicate });
      const rendered = whole.render(context, context.environment);
      const verdict = isFault(rendered)
        ? rendered
        : conditions.evaluate(context, context.environment, observe(outer));
      if (isFault(verdict)) {
        return new Fault(`failed to substitute variables in attestation conditions: ${verdict.message}`);
      }
      return { holds: verdict.holds, message: texts.render(verdict.message, context) };
    },
  };
}

function observe(context: Context): Observe | undefined {
  return observed("attestation", context);
}

/** `validate.deny` of an entry, which reads the attestations by their names. */
export interface AttestationDenial {
  /** Why the image is denied; `undefined` when it is not. */
  denial(message: string, context: Context): string | undefined;
}

/** Compiles `validate.deny`; `undefined` when the entry has none. */
export function compileDenyCheck(
  written: Json | undefined,
  tools: RuleTools,
  path: DocumentPath,
): AttestationDenial | undefined {
  if (written === undefined) return undefined;
  // Names of attestations are variables here, so unknown ones are not reported.
  const conditions = ruleConditions(written, { ...tools, variables: () => {} }, path);
  const texts = new Texts();
  return {
    denial(message, context) {
      if (conditions === undefined) return "failed to check deny conditions: they cannot be read";
      const verdict = conditions.evaluate(context, context.environment, observed("deny", context));
      if (isFault(verdict)) return `failed to check deny conditions: ${verdict.message}`;
      if (!verdict.holds) return undefined;
      const joined = [message, verdict.message].filter((text) => text !== "").join("; ");
      // Kyverno parity: the name between the blanks is always empty. Pinned by
      // tests/rules/verify_images/attestations_test.ts.
      if (joined === "") return "validation error: imageVerify  failed";
      const text = texts.value(joined, context);
      // Kyverno parity: when a variable has no value, the message is that of the condition alone, as it is
      // written. Pinned by tests/rules/verify_images/attestations_test.ts.
      if (isFault(text)) return verdict.message;
      return textOfMessage(text);
    },
  };
}

/** The characters of the messages that are cached; there are few in practice. */
const maxCharacters = 16_384;

/** Messages of conditions, which may hold variables. */
class Texts {
  readonly #templates = new BoundedCache<Template>(maxCharacters, (_, text) => text.length);

  render(message: string, context: Context): string {
    const text = this.value(message, context);
    return isFault(text) ? message : isString(text) ? text : JSON.stringify(text);
  }

  /** The rendered message; any JSON value where the message is one variable. */
  value(message: string, context: Context): Json | Fault {
    if (!message.includes("{{")) return message;
    const template = this.#templates.getOrMake(message, () => compileTemplate(message));
    return template.render(context, context.environment);
  }
}
