import { asList, type JsonObject, textField } from "../../json/mod.ts";
import type { LogFields } from "../../ports.ts";

/** A configuration without the webhooks that the API server refuses. */
export interface Remainder {
  readonly object: JsonObject;
  /** For the log: the names of the webhooks that are left out, whose policies are not in force. */
  readonly fields: LogFields & { readonly refused: readonly string[] };
}

/**
 * Removes the webhooks that the API server refuses from a configuration, so that the others can be written. The API
 * server names them in its reason (`webhooks[2].clientConfig…: Invalid value`). `undefined` when it names none.
 */
export function withoutRefused(configuration: JsonObject, reason: string): Remainder | undefined {
  const wrong = new Set([...reason.matchAll(/\bwebhooks\[(\d+)\]/g)].map(([, index]) => Number(index)));
  const webhooks = asList(configuration["webhooks"]);
  const refused = webhooks.filter((_, index) => wrong.has(index))
    .map((webhook) => textField(webhook, "name"));
  if (refused.length === 0) return undefined;
  return {
    object: { ...configuration, webhooks: webhooks.filter((_, index) => !wrong.has(index)) },
    fields: { refused },
  };
}
