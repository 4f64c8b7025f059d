import { type CompileOptions, PolicyCompiler, restrict, type Snapshot } from "../engine/mod.ts";
import { isObject, type JsonObject } from "../json/mod.ts";
import { nameOf, namespaceOf, objectIdentity, uidOf } from "../kube/mod.ts";
import { CompiledWeights, roomProblem } from "../policy/mod.ts";
import { inSlices } from "../slices.ts";
import type { Clock, Cluster, Collection, Collections, Discovery, Log, Scheduler } from "../ports.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { concernsReports, reportedAdmissionPolicies } from "./admission_policies/reported_policies.ts";
import { type DynamicConfiguration, readConfiguration } from "./configuration.ts";
import { Enforcer } from "./enforcer.ts";
import type { ExceptionRole } from "./events/admission_events.ts";
import type { Installation } from "./installation.ts";
import { ObjectDocuments } from "./object_document.ts";
import { PacedTask } from "./paced_task.ts";
import { type PolicyObject, PolicyObjects } from "./policy_objects.ts";
import type { StatusWriter } from "./status_writer.ts";
import { Timers } from "./timers.ts";

/** The ports and options of {@link LivePolicies}. */
export interface LivePoliciesOptions {
  readonly cluster: Cluster;
  readonly collections: Collections;
  readonly discovery: Discovery;
  readonly clock: Clock;
  readonly log: Log;
  readonly installation: Installation;
  readonly compiling: CompileOptions;
  /** Lets requests have their turns while policies are compiled; without it they wait. */
  readonly scheduler?: Scheduler | undefined;
  /** Policies from files; a policy object of the same name has no effect. */
  readonly files: () => readonly YamlDocument[];
  /** Called with each new snapshot before its webhooks are written. */
  readonly loaded: (snapshot: Snapshot) => void;
  /** Called when the API server may serve other kinds than before. */
  readonly kindsChanged?: () => void;
  /** Whether this replica writes webhooks and statuses. */
  readonly leads: () => boolean;
  /** Whether the installation is being removed: deleted webhooks are then not written again. */
  readonly isBeingRemoved: () => Promise<boolean>;
  /** The namespace whose exceptions have an effect; `*` for all. */
  readonly exceptionNamespace: string;
}

/** Milliseconds until the binding of an admission policy is written, too: changes until then are loaded together. */
const bindingTime = 100;

/** The wait before admission policies are loaded again, as a multiple of the time that the last load took. */
const restAfterLoad = 3;

/**
 * Milliseconds after the change of a definition when the served kinds are read. The API server serves the kind after
 * some of them, and objects of it are not checked until its webhook is written.
 */
const servingTimes = [50, 200, 500, 1_000, 2_500, 10_000];

/** The shortest wait between two reads of the served kinds: a package may bring hundreds of definitions. */
const restAfterKinds = 250;

/**
 * Policies that are objects of the cluster. It compiles them when they change and puts all in force as one snapshot.
 */
export class LivePolicies {
  readonly #options: LivePoliciesOptions;
  readonly #objects: PolicyObjects;
  /** Keeps the compiled form of documents that did not change. */
  readonly #compiler: PolicyCompiler;
  readonly #weights: CompiledWeights;
  readonly #documents = new ObjectDocuments();
  readonly #enforcer: Enforcer;
  readonly #definitions: Collection;
  readonly #configMaps: Collection;
  readonly #timers = new Timers();
  /** Loads changed admission policies and bindings. */
  readonly #admissionPolicies: PacedTask;
  /** Reads the served kinds after a change of definitions. */
  readonly #kinds: PacedTask;
  /** The served kinds that were read last, as text. */
  #served = "";
  /** The policies of the last load. */
  #compiled: Snapshot | undefined;
  /** Those of them that were not deleted since. */
  #snapshot: Snapshot | undefined;
  /** The objects of policies that were taken out of force: a load that began before has them, too. */
  readonly #gone = new WeakSet<JsonObject>();
  /** The end of the last load, and that of a load which waits for the running one. */
  #loading: Promise<void> = Promise.resolve();
  #waiting: Promise<void> | undefined;
  #configuration: DynamicConfiguration | undefined;
  #started = false;
  #closed = false;

  /** Begins to watch. Nothing is in force before {@link start}. */
  constructor(options: LivePoliciesOptions) {
    this.#options = options;
    this.#compiler = new PolicyCompiler(options.compiling);
    this.#weights = options.compiling.budget?.weights ?? new CompiledWeights(Infinity);
    const { collections, installation, exceptionNamespace } = options;
    this.#objects = new PolicyObjects({
      collections,
      exceptionNamespace,
      after: (milliseconds, task) => this.#timers.after(milliseconds, task),
      changed: () => this.#load(),
      deleted: (documents) => this.#remove(documents),
    });
    this.#admissionPolicies = new PacedTask({
      run: () => this.#load(),
      rest: (took) => took * restAfterLoad,
      after: (milliseconds, task) => this.#timers.after(Math.max(milliseconds, bindingTime), task),
      now: () => performance.now(),
    });
    this.#enforcer = new Enforcer({
      ...options,
      timers: this.#timers,
      snapshot: () => this.#snapshot,
      configuration: () => this.configuration,
      objects: () => this.#objects.all(),
      noticed: (object) => {
        if (this.#started && concernsReports(object)) this.#admissionPolicies.request();
      },
    });
    this.#definitions = collections.watch("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", () => {
      if (!this.#started) return;
      for (const delay of servingTimes) this.#timers.after(delay, () => this.#kinds.request());
    });
    this.#kinds = new PacedTask({
      run: () => this.#readKinds(),
      rest: (took) => Math.max(restAfterKinds, took * restAfterLoad),
      after: (milliseconds, task) => this.#timers.after(milliseconds, task),
      now: () => performance.now(),
    });
    const path = `/api/v1/namespaces/${installation.namespace}/configmaps`;
    this.#configMaps = collections.watch(path, ({ object, former }) => {
      if (nameOf(object ?? former ?? {}) !== installation.configMap) return;
      this.#configuration = undefined;
      if (this.#started) this.#enforcer.enforce();
    });
  }

  /** The policies in force; `undefined` before the first load. */
  get snapshot(): Snapshot | undefined {
    return this.#snapshot;
  }

  /** The current dynamic configuration; the same object until the ConfigMap changes. */
  get configuration(): DynamicConfiguration {
    return this.#configuration ??= this.#readConfiguration();
  }

  /** The objects of policies that delete on schedule. */
  cleanupPolicies(): PolicyObject[] {
    return this.#objects.of("cleanup", "deleting");
  }

  /** The objects of the global context. */
  globalContextEntries(): PolicyObject[] {
    return this.#objects.of("global-context");
  }

  /**
   * The reason why a policy that is about to be stored has no room in memory; `undefined` when it has. A version that
   * is not heavier than the former one has room.
   */
  readonly roomProblem = (policy: JsonObject, former: JsonObject | undefined): string | undefined => {
    if (former !== undefined && this.#weights.of(policy) <= this.#weights.of(former)) return undefined;
    return this.#objects.lackOfMemory(namespaceOf(policy)) ??
      roomProblem(policy, { stored: this.stored(), weights: this.#weights });
  };

  /** The policies, exceptions and global context entries of files and of the cluster, as soon as they are stored. */
  stored(): JsonObject[] {
    const files = this.#options.files().map(({ value }) => value).filter(isObject);
    return [...files, ...this.#objects.stored()];
  }

  /** Writes statuses. */
  get statuses(): StatusWriter {
    return this.#enforcer.statuses;
  }

  /** The object of a policy; `undefined` for one from a file. The key is as in `Policy.key`. */
  policyObject(kind: string, key: string): JsonObject | undefined {
    const compiled = this.#snapshot?.named(key).find(({ policy }) => policy.kind === kind);
    const document = compiled?.policy.document;
    return document !== undefined && uidOf(document) !== "" ? document : undefined;
  }

  /** The object of an exception, by its namespace and name; `undefined` for one from a file. */
  exceptionObject(role: ExceptionRole, key: string): JsonObject | undefined {
    return this.#objects.of(role).find(({ object }) => `${namespaceOf(object)}/${nameOf(object)}` === key)
      ?.object;
  }

  /** Waits until all policies are listed, and puts them in force. */
  async start(): Promise<void> {
    await Promise.all([this.#objects.ready(), this.#configMaps.synced, this.#enforcer.ready()]);
    this.#started = true;
    await this.#load();
  }

  /** Allows webhooks: from now on this replica answers. */
  serve(): void {
    this.#enforcer.serve();
  }

  /** Loads all policies again, after files changed or this replica became the leader. */
  refresh(): void {
    void this.#load();
  }

  /** Deletes the webhooks, because no replica would answer them. */
  async withdraw(): Promise<void> {
    await this.#enforcer.withdraw();
  }

  /** Ends watches and timers. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#timers.close();
    await Promise.all([
      this.#objects.close(),
      this.#enforcer.close(),
      this.#definitions.close(),
      this.#configMaps.close(),
    ]);
  }

  #readConfiguration(): DynamicConfiguration {
    const { installation: { namespace, configMap } } = this.#options;
    const found = this.#configMaps.objects().find((object) => nameOf(object) === configMap);
    return readConfiguration(found, { namespace });
  }

  /** Writes webhooks again if the API server serves other kinds than before. */
  async #readKinds(): Promise<void> {
    const { discovery, kindsChanged } = this.#options;
    discovery.expire?.();
    const discovered = await discovery.resources();
    if (!discovered.ok || this.#closed) return;
    const served = JSON.stringify(discovered.resources);
    if (served === this.#served) return;
    this.#served = served;
    this.#enforcer.enforce();
    kindsChanged?.();
  }

  /** Loads all policies, after the running load: once for all calls until then, so that each load comes to its end. */
  #load(): Promise<void> {
    this.#loading = this.#waiting ??= this.#loading.then(() => {
      this.#waiting = undefined;
      return this.#loadNow();
    });
    return this.#loading;
  }

  async #loadNow(): Promise<void> {
    if (!this.#started || this.#closed) return;
    const { loaded, scheduler } = this.#options;
    const compiled = await inSlices(this.#compiler.stages(this.#documentsToLoad()), scheduler);
    if (this.#closed) return;
    this.#compiled = compiled;
    this.#snapshot = this.#withoutGone(compiled);
    loaded(this.#snapshot);
    this.#enforcer.enforce();
  }

  /** The documents of files, of objects that no file hides, and of reported admission policies. */
  #documentsToLoad(): YamlDocument[] {
    const { files, log } = this.#options;
    const written = files();
    const names = new Set(written.map(({ value }) => objectIdentity(value as JsonObject)));
    const objects = this.#objects.documents().filter(({ value }) => {
      const hidden = names.has(objectIdentity(value as JsonObject));
      if (hidden) {
        log.write("warn", "a file has a policy of the same name: the object has no effect", about(value));
      }
      return !hidden;
    });
    const reported = reportedAdmissionPolicies(this.#enforcer.admissionPolicies(), this.#documents);
    return [...written, ...objects, ...reported];
  }

  /**
   * Takes deleted policies out of force before the next load. This only loosens: the other policies and their
   * exceptions stay as they are.
   */
  #remove(documents: ReadonlySet<YamlDocument>): void {
    for (const { value } of documents) this.#gone.add(value as JsonObject);
    if (this.#compiled !== undefined) this.#snapshot = this.#withoutGone(this.#compiled);
  }

  #withoutGone(snapshot: Snapshot): Snapshot {
    return restrict(snapshot, ({ policy }) => !this.#gone.has(policy.document));
  }
}

function about(value: YamlDocument["value"]): JsonObject {
  const object = value as JsonObject;
  return { kind: object["kind"] ?? "", namespace: namespaceOf(object), name: nameOf(object) };
}
