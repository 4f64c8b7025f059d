import { asList, asString, field, type JsonObject } from "../../json/mod.ts";

/** A configuration without what the API server refuses of it. */
export interface Remainder {
  readonly configuration: JsonObject;
  /** The names of the webhooks that are left out. */
  readonly refused: readonly string[];
}

/**
 * What is left of a configuration that the API server refuses: it names the webhooks that are wrong
 * (`webhooks[2].clientConfig…: Invalid value`), and one of them must not take all others with it. `undefined` when it names none.
 */
export function withoutRefused(configuration: JsonObject, reason: string): Remainder | undefined {
  const wrong = new Set([...reason.matchAll(/\bwebhooks\[(\d+)\]/g)].map(([, index]) => Number(index)));
  const webhooks = asList(configuration["webhooks"]);
  const refused = webhooks.filter((_, index) => wrong.has(index))
    .map((webhook) => asString(field(webhook, "name")) ?? "");
  if (refused.length === 0) return undefined;
  return {
    configuration: { ...configuration, webhooks: webhooks.filter((_, index) => !wrong.has(index)) },
    refused,
  };
}
