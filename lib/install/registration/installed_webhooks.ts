import { asList, asString, dig, Fault, field, isFault, type Json, type JsonObject } from "../../json/mod.ts";
import { nameOf } from "../../kube/mod.ts";
import { type ConfigurationKind, configurationKinds, configurationPaths } from "../../live/mod.ts";
import type { Cluster } from "../../ports.ts";
import type { ServiceReference } from "./ready_endpoints.ts";

/** A webhook configuration of the cluster. */
export interface WebhookConfigurationReference {
  readonly kind: ConfigurationKind;
  readonly name: string;
  readonly path: string;
}

/**
 * The webhook configurations of an installation: those whose webhooks all call its Service, with any name
 * and of any author. A configuration without webhooks calls nothing, and is left out. A fault when the API server
 * does not list them.
 */
export async function installedWebhooks(
  cluster: Cluster,
  service: ServiceReference,
): Promise<readonly WebhookConfigurationReference[] | Fault> {
  const found: WebhookConfigurationReference[] = [];
  for (const kind of Object.values(configurationKinds)) {
    const collection = configurationPaths[kind];
    const answer = await cluster.call({ method: "GET", path: collection });
    if (!answer.ok) return new Fault(answer.message);
    for (const item of asList(field(answer.body, "items"))) {
      const webhooks = asList(field(item, "webhooks"));
      if (webhooks.length === 0 || !webhooks.every((webhook) => callsService(webhook, service))) continue;
      const name = nameOf(item as JsonObject);
      found.push({ kind, name, path: `${collection}/${encodeURIComponent(name)}` });
    }
  }
  return found;
}

function callsService(webhook: Json, { namespace, name }: ServiceReference): boolean {
  const service = dig(webhook, "clientConfig", "service") ?? null;
  return asString(field(service, "namespace")) === namespace && asString(field(service, "name")) === name;
}

/** The result of removing webhooks. */
export interface Removal {
  readonly removed: readonly WebhookConfigurationReference[];
  /** The webhook configurations that could not be removed, with reasons. */
  readonly problems: readonly string[];
}

/** Removes the webhook configurations of an installation, so that the API server no longer calls it. */
export async function removeInstalledWebhooks(cluster: Cluster, service: ServiceReference): Promise<Removal> {
  const webhooks = await installedWebhooks(cluster, service);
  if (isFault(webhooks)) return { removed: [], problems: [webhooks.message] };
  const removed: WebhookConfigurationReference[] = [];
  const problems: string[] = [];
  for (const each of webhooks) {
    const answer = await cluster.call({ method: "DELETE", path: each.path });
    if (answer.ok || answer.status === 404) removed.push(each);
    else problems.push(`${each.kind} ${each.name}: ${answer.message}`);
  }
  return { removed, problems };
}
