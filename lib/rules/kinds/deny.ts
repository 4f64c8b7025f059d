import {
  BoundedCache,
  type DocumentPath,
  type Fault,
  field,
  isFault,
  isObject,
  type Json,
} from "../../json/mod.ts";
import { compileTemplate, type Template } from "../../template/mod.ts";
import type { FieldNotes } from "../../shape/mod.ts";
import { observed, ruleConditions } from "../conditions.ts";
import { textOfMessage } from "../message.ts";
import { error, fail, type Outcome, pass } from "../outcome.ts";
import type { RuleInput, RuleKind, RuleTools, SingleBody } from "../rule_kind.ts";
import { parseValidation, type Validation } from "../validation.ts";

/** The conditions must not hold; without conditions every object fails. */
export interface DenyCheck {
  readonly kind: "deny";
  readonly conditions: Json | undefined;
}

/** The descriptions of the fields of `validate.deny`. */
export const denyNotes: FieldNotes = {
  "deny": "Refuses the object when its conditions hold.",
  "deny.conditions": "Conditions under `any` and `all`.",
};

/** `validate.deny`: the rule fails when the conditions hold, or when it has none. */
export const validateDeny: RuleKind<DenyCheck & Validation> = {
  kind: "deny",
  section: "validate",
  shape: { deny: { conditions: "open" } },
  recognises: (validate) => isObject(field(validate, "deny")),
  read: (validate) => ({ ...parseDeny(field(validate, "deny")), ...parseValidation(validate) }),
  carryOver: (validate) => ({ deny: validate["deny"]! }),
  type: "validate",
  name: "deny",
  compile: (body, tools) => compileDeny(body, body.message, { tools, path: ["validate"] }),
};

/** Parses a deny block. */
export function parseDeny(deny: Json | undefined): DenyCheck {
  return { kind: "deny", conditions: field(deny, "conditions") };
}

/** Compiles a deny block of a rule or of one entry of a foreach. Both have the rule's message. */
export function compileDeny(
  deny: DenyCheck,
  written: Json | undefined,
  { tools, path }: { tools: RuleTools; path: DocumentPath },
): SingleBody {
  const { rule } = tools;
  const conditions = ruleConditions(deny.conditions, tools, [...path, "deny", "conditions"]);
  const texts = new DenyTexts(written ?? "");
  tools.variables(texts.alone.uses, ["validate", "message"]);
  const passed = pass(`validation rule '${rule.name}' passed.`);
  if (conditions === undefined) {
    return { run: () => error("failed to check deny conditions: they cannot be read") };
  }
  return {
    constants: [passed],
    run: (input) => {
      const { context } = input;
      const verdict = conditions.evaluate(context, context.environment, observed("deny", context));
      if (isFault(verdict)) return error(`failed to check deny conditions: ${verdict.message}`);
      return verdict.holds
        ? denied(rule.name, verdict.message, texts.render(verdict.message, input))
        : passed;
    },
  };
}

function denied(rule: string, conditions: string, text: Json | Fault): Outcome {
  // Kyverno parity: a message that cannot be rendered leaves the messages of the conditions, as they are
  // written. Pinned by "a message of a deny rule without a value leaves the message of the condition, as it
  // is written".
  if (isFault(text)) return fail(conditions);
  if (text === "" && conditions === "") return fail(`validation error: rule ${rule} failed`);
  return fail(textOfMessage(text));
}

/** The characters of the combinations of condition messages that are cached for a rule; there are few in practice. */
const maxCharacters = 16_384;

/** Renders the rule's message together with those of the conditions that held; both may have variables. */
class DenyTexts {
  readonly alone: Template;
  readonly #message: Json;
  readonly #together = new BoundedCache<Template>(maxCharacters, (_, text) => text.length);

  constructor(message: Json) {
    this.#message = message;
    this.alone = compileTemplate(message);
  }

  render(conditions: string, { context }: RuleInput): Json | Fault {
    return this.#template(conditions).render(context, context.environment);
  }

  #template(conditions: string): Template {
    if (conditions === "") return this.alone;
    return this.#together.getOrMake(
      conditions,
      () => compileTemplate(this.#message === "" ? conditions : `${this.#message}; ${conditions}`),
    );
  }
}
