import { type CompileOptions, PolicyCompiler, restrict, type Snapshot } from "../engine/mod.ts";
import type { Json, JsonObject } from "../json/mod.ts";
import { nameOf, namespaceOf } from "../kube/mod.ts";
import type { Clock, Cluster, Collection, Collections, Discovery, Log } from "../ports.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { objectConfigurations } from "./admission/configurations.ts";
import { type DynamicConfiguration, readConfiguration } from "./configuration.ts";
import type { Installation } from "./installation.ts";
import { ObjectDocuments } from "./object_document.ts";
import { type PolicyObject, PolicyObjects } from "./policy_objects.ts";
import { uidOf } from "./reports/report.ts";
import { PolicyStatuses } from "./policy_statuses.ts";
import type { StatusWriter } from "./status.ts";
import { StatusRounds } from "./status_rounds.ts";
import { resourceConfigurations } from "./webhooks/configurations.ts";
import { withoutRefused } from "./webhooks/refused.ts";
import { type Kept, ObjectKeeper, webhookKinds } from "./object_keeper.ts";
import { GeneratedPolicies } from "./admission_policies/generated_policies.ts";
import { concernsReports, reportedAdmissionPolicies } from "./admission_policies/reported.ts";
import { generations } from "./admission_policies/wanted.ts";

/** The ports and options of {@link LivePolicies}. */
export interface LivePoliciesOptions {
  readonly cluster: Cluster;
  readonly collections: Collections;
  readonly discovery: Discovery;
  readonly clock: Clock;
  readonly log: Log;
  readonly installation: Installation;
  readonly compiling: CompileOptions;
  /** Policies from files; a policy object of the same name has no effect. */
  readonly files: () => readonly YamlDocument[];
  /** Called with each new snapshot before its webhooks are written. */
  readonly loaded: (snapshot: Snapshot) => void;
  /** Whether this replica writes webhooks and statuses. */
  readonly leads: () => boolean;
  /** Whether the installation is being taken away: webhooks that somebody deleted are not put back then. */
  readonly leaves: () => Promise<boolean>;
  /** The namespace whose exceptions count; `*` for all. */
  readonly exceptionNamespace: string;
}

/** Milliseconds after which the API server calls webhooks that were written: it hears of them as all watchers do. */
const takesEffect = 400;

/** Milliseconds in which the binding of an admission policy comes after it. */
const bindingTime = 100;

/** Milliseconds after which what failed is tried again. */
const tryAgain = 2_000;

/** Milliseconds between two looks whether missing rights were granted. */
const lookForRights = 10_000;

/** Milliseconds between two looks whether the serving certificate has another authority. */
const lookForAuthority = 10_000;

/**
 * Policies that are objects of the cluster: compiled when they change and put in force as one snapshot; then webhook
 * configurations and statuses are written.
 */
export class LivePolicies {
  readonly #options: LivePoliciesOptions;
  readonly #objects: PolicyObjects;
  /** Keeps the compiled form of documents that did not change. */
  readonly #compiler: PolicyCompiler;
  readonly #documents = new ObjectDocuments();
  readonly #webhooks: ObjectKeeper;
  readonly #generated: GeneratedPolicies;
  readonly #statuses: PolicyStatuses;
  readonly #statusRounds: StatusRounds;
  readonly #definitions: Collection;
  readonly #configMaps: Collection;
  readonly #timers = new Set<ReturnType<typeof setTimeout>>();
  #snapshot: Snapshot | undefined;
  #configuration: DynamicConfiguration | undefined;
  #started = false;
  #closed = false;
  #serves = false;
  #enforcing: Promise<void> = Promise.resolve();
  #again = false;
  #soon = false;
  /** When the API server calls all webhooks that were written. */
  #activeAt = 0;
  /** Of the webhooks as they were written last. */
  #authority: string | undefined;

  /** Begins to watch. Nothing is in force before {@link start}. */
  constructor(options: LivePoliciesOptions) {
    this.#options = options;
    this.#compiler = new PolicyCompiler(options.compiling);
    const { cluster, collections, clock, log, leads, leaves, installation } = options;
    const after = (milliseconds: number, task: () => void): void => this.#after(milliseconds, task);
    const { exceptionNamespace } = options;
    this.#objects = new PolicyObjects({
      collections,
      exceptionNamespace,
      after,
      changed: () => this.#load(),
      deleted: (documents) => this.#remove(documents),
    });
    const keeping = { cluster, collections, log, leads };
    this.#webhooks = new ObjectKeeper({
      ...keeping,
      kinds: webhookKinds,
      about: "webhook configuration",
      leaves,
    });
    this.#generated = new GeneratedPolicies({
      ...keeping,
      after,
      changed: () => this.#enforce(),
      noticed: (object) => {
        if (this.#started && concernsReports(object)) after(bindingTime, () => this.#load());
      },
    });
    this.#statuses = new PolicyStatuses({
      cluster,
      clock,
      log,
      accounts: installation.accounts,
      lookAgain: () => this.#enforceSoon(lookForRights),
    });
    this.#statusRounds = new StatusRounds({
      clock,
      after,
      isNewest: (snapshot) => snapshot === this.#snapshot,
      write: (facts) => this.#statuses.write(this.#objects.all(), facts),
    });
    // A kind that comes to be is served a moment after its definition was stored.
    this.#definitions = collections.watch("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", () => {
      if (!this.#started) return;
      for (const delay of [300, 2_500]) after(delay, () => this.#enforce());
    });
    const path = `/api/v1/namespaces/${installation.namespace}/configmaps`;
    this.#configMaps = collections.watch(path, ({ object, former }) => {
      if (nameOf(object ?? former ?? {}) !== installation.configMap) return;
      this.#configuration = undefined;
      if (this.#started) this.#enforce();
    });
  }

  /** The policies in force; `undefined` before the first load. */
  get snapshot(): Snapshot | undefined {
    return this.#snapshot;
  }

  /** The dynamic configuration now; the same object until the ConfigMap changes. */
  get configuration(): DynamicConfiguration {
    return this.#configuration ??= this.#readConfiguration();
  }

  /** The objects of policies that delete on schedule. */
  cleanupPolicies(): PolicyObject[] {
    return this.#objects.all().filter(({ kind }) => kind.role === "cleanup" || kind.role === "deleting");
  }

  /** The objects of the global context. */
  globalContextEntries(): PolicyObject[] {
    return this.#objects.all().filter(({ kind }) => kind.role === "global-context");
  }

  /** Writes statuses. */
  get statuses(): StatusWriter {
    return this.#statuses.writer;
  }

  /** The object of a policy; `undefined` for one from a file. The key is as in `Policy.key`. */
  policyObject(kind: string, key: string): JsonObject | undefined {
    const compiled = this.#snapshot?.policies.find(({ policy }) =>
      policy.kind === kind && policy.key === key
    );
    const document = compiled?.policy.document;
    return document !== undefined && uidOf(document) !== "" ? document : undefined;
  }

  /** Waits until all policies were listed, and puts them in force. */
  async start(): Promise<void> {
    await Promise.all([
      this.#objects.ready(),
      this.#configMaps.synced,
      this.#webhooks.ready(),
      this.#followAdmissionPolicies(),
    ]);
    this.#started = true;
    this.#load();
  }

  /** From now on this replica answers: webhooks may send it requests. */
  serve(): void {
    this.#serves = true;
    this.#enforce();
    this.#followAuthority();
  }

  /** The API server trusts the authority that webhooks name: a certificate of another one would end all calls. */
  #followAuthority(): void {
    this.#after(lookForAuthority, () => {
      if (this.#options.installation.caBundle() !== this.#authority) this.#enforce();
      this.#followAuthority();
    });
  }

  /** Looks at everything again: after files changed, or this replica became the leader. */
  refresh(): void {
    this.#load();
  }

  /** Takes the webhooks away: nobody would answer them. */
  async withdraw(): Promise<void> {
    await this.#webhooks.remove();
  }

  /** Ends watches and timers. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const timer of this.#timers) clearTimeout(timer);
    await Promise.all([
      this.#objects.close(),
      this.#webhooks.close(),
      this.#generated.close(),
      this.#definitions.close(),
      this.#configMaps.close(),
    ]);
    await this.#enforcing;
  }

  async #followAdmissionPolicies(): Promise<void> {
    const discovered = await this.#options.discovery.resources();
    // Without an answer they are followed when webhooks are written.
    if (discovered.ok) await this.#generated.follow(discovered.resources);
  }

  #readConfiguration(): DynamicConfiguration {
    const { installation: { namespace, configMap } } = this.#options;
    const found = this.#configMaps.objects().find((object) => nameOf(object) === configMap);
    return readConfiguration(found, { namespace });
  }

  #load(): void {
    if (!this.#started || this.#closed) return;
    const { files, loaded, log } = this.#options;
    const written = files();
    const names = new Set(written.map(({ value }) => identity(value as JsonObject)));
    const objects = this.#objects.documents().filter(({ value }) => {
      const hidden = names.has(identity(value as JsonObject));
      if (hidden) {
        log.write("warn", "a file has a policy of the same name: the object has no effect", about(value));
      }
      return !hidden;
    });
    const reported = reportedAdmissionPolicies(this.#generated.all(), this.#documents);
    this.#snapshot = this.#compiler.compile([...written, ...objects, ...reported]);
    loaded(this.#snapshot);
    this.#enforce();
  }

  /**
   * Takes deleted policies out of force before the next load. This only loosens: the other policies and their exceptions
   * stay as they are.
   */
  #remove(documents: ReadonlySet<YamlDocument>): void {
    if (this.#snapshot === undefined) return;
    const gone = new Set<Json>([...documents].map(({ value }) => value));
    this.#snapshot = restrict(this.#snapshot, ({ policy }) => !gone.has(policy.document));
  }

  /** Writes webhooks and statuses; a call while they are being written makes one more round. */
  #enforce(): void {
    if (!this.#serves || this.#closed || this.#snapshot === undefined) return;
    if (this.#again) return;
    this.#again = true;
    this.#enforcing = this.#enforcing.then(async () => {
      this.#again = false;
      await this.#enforceNow();
    });
  }

  async #enforceNow(): Promise<void> {
    const { discovery, installation, leads, log } = this.#options;
    const snapshot = this.#snapshot!;
    if (!leads() || this.#closed) return;
    const discovered = await discovery.resources();
    if (!discovered.ok) {
      log.write("error", "the cluster's resources were not read", { reason: discovered.message });
      this.#enforceSoon(tryAgain);
      return;
    }
    this.#authority = installation.caBundle();
    await this.#generated.follow(discovered.resources);
    const generated = generations(snapshot, discovered.resources);
    const enforced = new Set(
      generated.filter((each) => this.#generated.isEnforced(each)).map(({ compiled }) => compiled),
    );
    const configurations = resourceConfigurations({
      // The API server needs no webhook for policies that it enforces itself.
      policies: snapshot.policies.filter((compiled) => !enforced.has(compiled)),
      served: discovered.resources,
      installation,
      settings: this.configuration.webhooks,
      filters: this.configuration.filters,
    });
    const kept = await this.#keepWebhooks([...objectConfigurations(installation), ...configurations]);
    const configured = kept.every(({ state }) => state !== "failed");
    if (!configured) this.#enforceSoon(tryAgain);
    if (kept.some(({ state }) => state === "written")) {
      this.#activeAt = this.#options.clock.now() + takesEffect;
    }
    const made = await this.#generated.write(generated);
    // A user who reads that a policy is ready expects that it is evaluated.
    this.#statusRounds.add(
      { snapshot, configured, generated: made, served: discovered.resources },
      this.#activeAt,
    );
  }

  /** Writes webhook configurations, and of one that the API server refuses at least what it does not complain about. */
  async #keepWebhooks(wanted: readonly JsonObject[]): Promise<readonly Kept[]> {
    const kept = await this.#webhooks.keep(wanted);
    const left = wanted.map((each, index) => {
      const one = kept[index]!;
      return one.state === "failed" ? withoutRefused(each, one.reason) : undefined;
    });
    const refused = left.flatMap((each) => each?.refused ?? []);
    if (refused.length === 0) return kept;
    this.#options.log.write("error", "the API server refuses webhooks: their policies are not in force", {
      webhooks: refused,
    });
    await this.#webhooks.keep(wanted.map((each, index) => left[index]?.configuration ?? each));
    return kept;
  }

  /** Writes webhooks and statuses after a short wait, once for all calls meanwhile. */
  #enforceSoon(milliseconds: number): void {
    if (this.#soon) return;
    this.#soon = true;
    this.#after(milliseconds, () => {
      this.#soon = false;
      this.#enforce();
    });
  }

  #after(milliseconds: number, task: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#closed) task();
    }, milliseconds);
    this.#timers.add(timer);
  }
}

function identity(object: JsonObject): string {
  return `${object["kind"]} ${namespaceOf(object)}/${nameOf(object)}`;
}

function about(value: YamlDocument["value"]): JsonObject {
  const object = value as JsonObject;
  return { kind: object["kind"] ?? "", namespace: namespaceOf(object), name: nameOf(object) };
}
