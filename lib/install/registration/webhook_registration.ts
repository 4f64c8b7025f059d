import type { CompiledPolicy, Snapshot } from "../../engine/mod.ts";
import {
  asList,
  asString,
  BoundedCache,
  dig,
  equal,
  field,
  isFault,
  type Json,
  type JsonObject,
  textField,
} from "../../json/mod.ts";
import { formatApiVersion, hasWildcard, parseKindSelectors } from "../../kube/mod.ts";
import { configurationPaths } from "../../live/mod.ts";
import type { Cluster, Log } from "../../ports.ts";
import type { Plurals } from "../manifests/webhook_targets.ts";
import { type WebhookOptions, webhooksOf } from "../manifests/webhooks.ts";
import { checksInARow } from "./reachable.ts";
import { readyEndpoints, type ServiceReference } from "./ready_endpoints.ts";

/** The ports and the names of {@link WebhookRegistration}. */
export interface WebhookRegistrationOptions {
  readonly cluster: Cluster;
  readonly log: Log;
  /** The name of both webhook configurations. They exist, so that the right to create them is not needed. */
  readonly name: string;
  readonly service: ServiceReference;
  /** The prefix of every path that the API server calls; none when absent. */
  readonly secretPath?: string | undefined;
  /** The policies in force. */
  readonly snapshot: () => Snapshot | undefined;
  /** Returns the authorities that callers must trust now, in the form of webhook configurations. */
  readonly caBundle: () => string | undefined;
}

/** Milliseconds between two checks: before the webhooks are registered, and after. */
const checkEvery = { before: 1_000, after: 30_000 };

/** Remembers problems as logged. Their reasons may differ each time, by a number or a time in them. */
function newProblems(): BoundedCache<true> {
  return new BoundedCache(100);
}

/** The annotation of configurations whose authority cert-manager keeps current. */
const injected = "cert-manager.io/inject-ca-from";

/**
 * Writes the webhooks of the policies in force into the empty webhook configurations, as soon as the API server can
 * reach a ready replica: a Postern that cannot answer blocks nobody. It writes them again when the policies change or
 * somebody emptied the configurations, and keeps the authority current. Other changes by others stay until the
 * policies change: during a rollout two replicas have different policies, and must not overwrite each other in turns.
 */
export class WebhookRegistration {
  readonly #options: WebhookRegistrationOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;
  #isRegistered = false;
  #readyChecks = 0;
  /** The problems that were logged since the last attempt without a problem. */
  #problems = newProblems();
  /** Checks and writes run one after the other. */
  #working: Promise<void> = Promise.resolve();

  constructor(options: WebhookRegistrationOptions) {
    this.#options = options;
  }

  /** Begins to check. */
  begin(): void {
    const next = async (): Promise<void> => {
      await this.check();
      if (this.#isClosed) return;
      this.#timer = setTimeout(next, this.#isRegistered ? checkEvery.after : checkEvery.before);
    };
    void next();
  }

  /** Checks once: for ready endpoints, and, once the webhooks are registered, the configurations. */
  check(): Promise<void> {
    return this.#working = this.#working.then(() => this.#isRegistered ? this.#keep() : this.#register());
  }

  /** Notes that other policies are in force. */
  policiesChanged(): Promise<void> {
    return this.#working = this.#working.then(async () => {
      if (this.#isRegistered) await this.#write(() => true);
    });
  }

  /** Stops. The webhooks stay: other replicas answer them, or the next one. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#working;
  }

  async #register(): Promise<void> {
    const { cluster, service } = this.#options;
    const ready = await readyEndpoints(cluster, service);
    if (isFault(ready)) this.#problem(`the endpoints of the service cannot be read: ${ready.message}`);
    this.#readyChecks = isFault(ready) || ready === 0 ? 0 : this.#readyChecks + 1;
    if (this.#readyChecks >= checksInARow) this.#isRegistered = await this.#write(() => true);
  }

  /** Writes empty configurations, and outdated authorities. */
  async #keep(): Promise<void> {
    await this.#write((present, wanted) => present.length === 0 && wanted.length > 0);
  }

  /** Writes the configurations that need it; returns whether all writes succeeded. */
  async #write(
    isDue: (present: readonly Json[], wanted: readonly JsonObject[]) => boolean,
  ): Promise<boolean> {
    const { snapshot, service, secretPath, caBundle } = this.#options;
    const policies = snapshot()?.policies;
    if (policies === undefined || this.#isClosed) return false;
    const address = { namespace: service.namespace, service: service.name, secretPath, caBundle: caBundle() };
    const setting = { ...address, plurals: await this.#plurals(policies, address) };
    let complete = true;
    for (const { kind, webhooks } of webhooksOf(policies, setting)) {
      const path = `${configurationPaths[kind]}/${encodeURIComponent(this.#options.name)}`;
      const read = await this.#options.cluster.call({ method: "GET", path });
      if (!read.ok) {
        complete = this.#problem(`${kind} ${this.#options.name}: ${read.message}`);
        continue;
      }
      const present = asList(field(read.body, "webhooks"));
      const next = isDue(present, webhooks) ? webhooks : this.#withAuthority(present, read.body);
      if (equal([...present], [...next])) continue;
      if (!await this.#replace(path, kind, { read: read.body, next })) complete = false;
    }
    if (complete) this.#problems = newProblems();
    return complete;
  }

  /** The plurals of custom kinds whose group and version policies name, as the cluster serves them now. */
  async #plurals(policies: readonly CompiledPolicy[], address: WebhookOptions): Promise<Plurals> {
    const kinds = new Set<string>(), plurals = new Map<string, string>();
    webhooksOf(policies, address, ({ kind }) => kinds.add(kind));
    for (const { text, group, version, kind } of [...kinds].flatMap(parseKindSelectors)) {
      if ([group, version, kind].some(hasWildcard)) continue;
      const served = await this.#options.cluster.resource(formatApiVersion({ group, version }), kind);
      if (served !== undefined) plurals.set(text, served.plural);
    }
    return plurals;
  }

  #withAuthority(present: readonly Json[], configuration: Json): readonly Json[] {
    const caBundle = this.#options.caBundle();
    if (caBundle === undefined || dig(configuration, "metadata", "annotations", injected) !== undefined) {
      return present;
    }
    return present.map((webhook) => {
      const { clientConfig, ...rest } = webhook as JsonObject;
      return { ...rest, clientConfig: { ...clientConfig as JsonObject, caBundle } };
    });
  }

  /** Replaces the webhooks of a configuration, if it is still the one that was read. */
  async #replace(
    path: string,
    kind: string,
    { read, next }: { readonly read: Json; readonly next: readonly Json[] },
  ): Promise<boolean> {
    const { cluster, log, name } = this.#options;
    const resourceVersion = asString(dig(read, "metadata", "resourceVersion"));
    const written = await cluster.call({
      method: "PATCH",
      path,
      contentType: "application/merge-patch+json",
      body: { ...(resourceVersion !== undefined && { metadata: { resourceVersion } }), webhooks: [...next] },
    });
    if (!written.ok) return this.#problem(`${kind} ${name}: ${written.message}`);
    log.write("info", "webhooks registered", {
      kind,
      name,
      webhooks: next.map((webhook) => textField(webhook, "name")),
    });
    return true;
  }

  /** Logs a problem, once. */
  #problem(reason: string): false {
    if (this.#problems.get(reason) !== true) {
      this.#options.log.write("error", "webhooks not registered", { reason });
    }
    this.#problems.set(reason, true);
    return false;
  }
}
