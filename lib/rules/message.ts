import { type Fault, isFault, isString, type Json } from "../json/mod.ts";
import { compileTemplate } from "../template/mod.ts";
import type { RuleInput, RuleTools } from "./rule_kind.ts";

/** A rule's message, rendered for one request. */
export interface Message {
  /** The message; empty when the rule has none; a fault when a variable in it has no value. */
  render(input: RuleInput): string | Fault;
}

/** Compiles `validate.message`, which may hold variables. */
export function compileMessage(message: Json | undefined, tools: RuleTools): Message {
  if (message === undefined || message === null || message === "") return { render: () => "" };
  const template = compileTemplate(message);
  tools.variables(template.uses, ["validate", "message"]);
  return {
    render: ({ context }) => {
      const text = template.render(context, context.environment);
      return isFault(text) ? text : textOfMessage(text);
    },
  };
}

/** The text of a rendered message; Kyverno's text for a message that is none, because a variable has another type. */
export function textOfMessage(rendered: Json): string {
  return isString(rendered)
    ? rendered
    : "the produced message didn't resolve to a string, check your policy definition.";
}

/** The message with the full stop that Kyverno puts before the rest. */
export function withStop(message: string): string {
  return message === "" || message.endsWith(".") ? message : `${message}.`;
}
