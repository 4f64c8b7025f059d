import { asList, type JsonObject, textField } from "../../json/mod.ts";
import type { LogFields } from "../../ports.ts";
import type { CompiledPolicy } from "../../engine/mod.ts";
import type { Kept } from "../object_keeper.ts";
import type { ResourceConfiguration } from "./configurations.ts";

/** A configuration without the webhooks that the API server refuses. */
export interface Remainder {
  readonly object: JsonObject;
  /** For the log: the names of the webhooks that are left out, whose policies are not in force. */
  readonly fields: LogFields & { readonly refused: readonly string[] };
}

/**
 * The policies of the webhooks of a configuration that the cluster does not have: none when it was written, those of
 * refused webhooks when the others were, and all otherwise.
 */
export function policiesWithoutWebhooks(
  { object, policies }: ResourceConfiguration,
  kept: Kept,
): CompiledPolicy[] {
  if (kept.state !== "failed") return [];
  const present = new Set(asList(kept.instead?.["webhooks"]).map((webhook) => textField(webhook, "name")));
  return asList(object["webhooks"]).map((webhook) => textField(webhook, "name"))
    .filter((name) => !present.has(name))
    .flatMap((name) => policies.get(name) ?? []);
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
