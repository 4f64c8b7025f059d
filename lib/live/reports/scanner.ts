import { listResource } from "../../background/mod.ts";
import type { Snapshot } from "../../engine/mod.ts";
import { equal, isFault } from "../../json/mod.ts";
import { labelsOf, nameOf } from "../../kube/mod.ts";
import { inSlices } from "../../slices.ts";
import type {
  Collection,
  Collections,
  Discovery,
  ObjectChange,
  Scheduler,
  ServedResource,
} from "../../ports.ts";
import { ObjectScans, type ObjectScansOptions } from "./object_scans.ts";
import { PolicyVersions } from "./policy_versions.ts";
import { scannedPolicies } from "./scan_decision.ts";
import { identityWithLabels } from "./kept_identity.ts";
import { NamespaceScans } from "./namespace_scans.ts";
import { namespaceVersions, type ScannedResource, scannedResources } from "./scan_targets.ts";
import { ScannedKinds } from "./scanned_kinds.ts";

/** The ports and options of a {@link Scanner}. */
export interface ScannerOptions extends ObjectScansOptions {
  readonly collections: Collections;
  readonly discovery: Discovery;
  /** `[Kind,namespace,name]` items of objects that are not scanned; the defaults when absent. */
  readonly resourceFilters: () => string | undefined;
  readonly leads: () => boolean;
  /** Milliseconds after which everything is scanned again, because loaded values may have changed: an hour. */
  readonly every?: number;
  /** Milliseconds after which everything is scanned again when something was missed: a minute. */
  readonly soon?: number;
}

/** Milliseconds until the new labels of a namespace are cached everywhere. */
const labelDelay = 500;

/**
 * Evaluates the background policies for every object that they match, and keeps a report for each object. It watches
 * objects and keeps only their names and versions. When policies of the cluster change, it lists the objects that they
 * match again, page by page; when policies or labels of a namespace change, the objects in it.
 */
export class Scanner {
  readonly #options: ScannerOptions;
  readonly #kinds: ScannedKinds;
  readonly #scans: ObjectScans;
  readonly #stop = new AbortController();
  readonly #hourly: ReturnType<typeof setInterval>;
  readonly #namespaceScans: NamespaceScans;
  readonly #versions = new PolicyVersions();
  #namespaces: Collection | undefined;
  /** The versions of the policies of each namespace. */
  #namespaceVersions: ReadonlyMap<string, string> | undefined;
  #restarting: Promise<void> = Promise.resolve();
  /** The begin of the scan that has not ended: the time, and how many reports were written before. */
  #began: { readonly at: number; readonly written: number } | undefined;
  #isMissed = false;
  #missedTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ScannerOptions) {
    this.#options = options;
    this.#scans = new ObjectScans(options);
    this.#kinds = new ScannedKinds({
      collections: options.collections,
      changed: (change, scanned) => this.#changed(change, scanned),
      listed: () => this.#queue(() => this.#conclude()),
      due: () => this.#begin({ everything: false }),
      signal: this.#stop.signal,
    });
    const scan = (namespace: string): Promise<void> => this.#rescan(namespace);
    this.#namespaceScans = new NamespaceScans({ scan, signal: this.#stop.signal });
    this.#hourly = setInterval(() => this.#begin({ everything: true }), options.every ?? 3_600_000);
  }

  /** Takes new policies, and scans the objects that changed ones match again. */
  policiesChanged(snapshot: Snapshot): void {
    this.#scans.policies = scannedPolicies(snapshot);
    this.#begin({ everything: false });
  }

  /**
   * Scans the objects of kinds that the API server serves since the last scan, and removes reports about other kinds.
   */
  kindsChanged(): void {
    this.#queue(async () => {
      const { policies } = this.#scans, discovered = await this.#options.discovery.resources();
      if (policies === undefined || !discovered.ok) return;
      const wanted = await this.#scannedResources(policies.all, discovered.resources);
      if (!this.#kinds.areExactly(wanted)) await this.#restart({ everything: false });
    });
  }

  /** Notes that something could not be read or written: everything is scanned again a minute after this scan. */
  missed(): void {
    if (this.#isMissed) return;
    this.#isMissed = true;
    void this.#listed().then(() => {
      if (this.#closed) return;
      this.#missedTimer = setTimeout(() => {
        this.#isMissed = false;
        this.#begin({ everything: true });
      }, this.#options.soon ?? 60_000);
    });
  }

  /** The number of evaluations of objects so far. */
  get evaluations(): number {
    return this.#scans.evaluations;
  }

  /** Resolves when every object was scanned. */
  async idle(): Promise<void> {
    let ended: Promise<void>;
    do {
      await this.#listed();
      ended = this.#restarting;
      await ended;
      await this.#namespaceScans.idle();
      while (!this.#scans.isIdle) await this.#scans.written();
    } while (ended !== this.#restarting);
  }

  /** Ends watches and writes. */
  async close(): Promise<void> {
    this.#stop.abort();
    clearInterval(this.#hourly);
    clearTimeout(this.#missedTimer);
    await this.#kinds.close();
    await this.#namespaces?.close();
    await this.#namespaceScans.idle();
    await this.#scans.written();
  }

  get #closed(): boolean {
    return this.#stop.signal.aborted;
  }

  async #listed(): Promise<void> {
    await this.#restarting;
    await this.#kinds.listed();
  }

  #begin(scope: Scope): void {
    this.#queue(() => this.#restart(scope));
  }

  #queue(step: () => Promise<void>): void {
    this.#restarting = this.#restarting.then(step).catch((cause) =>
      this.#options.log.write("error", "the background scan stopped", { cause: String(cause) })
    );
  }

  async #restart({ everything }: Scope): Promise<void> {
    const { discovery, store, leads, resourceFilters } = this.#options;
    const { policies } = this.#scans;
    if (this.#closed || !leads() || policies === undefined) return;
    const discovered = await discovery.resources();
    if (!discovered.ok) return this.missed();
    if (this.#closed) return;
    this.#began ??= { at: performance.now(), written: store.written };
    this.#scans.hide(resourceFilters());
    store.start();
    await store.ready();
    this.#followNamespaces(policies.all);
    const served = discovered.resources, wanted = await this.#scannedResources(policies.all, served);
    const ofNamespaces = await inSlices(namespaceVersions(policies.all, this.#versions), this.#scheduler);
    if (this.#closed) return;
    await this.#kinds.follow({ wanted, served, everything });
    this.#scanNamespaces(ofNamespaces);
    await this.#conclude();
  }

  /** The resources that policies match; found in slices. */
  #scannedResources(policies: Snapshot, served: readonly ServedResource[]): Promise<ScannedResource[]> {
    return inSlices(scannedResources(policies, served, this.#versions), this.#scheduler);
  }

  get #scheduler(): Scheduler | undefined {
    return this.#options.ports.scheduler;
  }

  /** Removes reports about objects that are gone once all objects are listed. */
  async #conclude(): Promise<void> {
    const { store, log } = this.#options;
    const kinds = this.#kinds.matched;
    // Reports about objects that are not listed yet must stay.
    if (this.#closed || this.#began === undefined || !kinds.every(({ isListed }) => isListed)) return;
    const { at, written } = this.#began;
    this.#began = undefined;
    await this.#scans.written();
    await store.keepOnly((uid) => kinds.some(({ options: { scanned } }) => scanned.has(uid)));
    if (kinds.length === 0) return;
    if (this.#isMissed) {
      return log.write("warn", "background scan: objects were missed, it begins again soon");
    }
    log.write("info", "background scan finished", {
      kinds: kinds.length,
      objects: kinds.reduce((sum, { options: { scanned } }) => sum + scanned.size, 0),
      written: store.written - written,
      milliseconds: Math.round(performance.now() - at),
    });
  }

  /** Scans the namespaces again whose policies changed. */
  #scanNamespaces(current: ReadonlyMap<string, string>): void {
    const former = this.#namespaceVersions;
    this.#namespaceVersions = current;
    // The first scan is about all of them.
    if (former === undefined) return;
    for (const namespace of new Set([...former.keys(), ...current.keys()])) {
      if (former.get(namespace) !== current.get(namespace)) this.#namespaceScans.request(namespace);
    }
  }

  /** Watches the labels of namespaces, if a policy selects by them. */
  #followNamespaces({ policies }: Snapshot): void {
    if (!policies.some(({ rules }) => rules.some((rule) => rule.needsNamespaceLabels))) return;
    this.#namespaces ??= this.#options.collections.watch("/api/v1/namespaces", ({ object, former }) => {
      if (object === undefined || former === undefined || equal(labelsOf(object), labelsOf(former))) return;
      setTimeout(() => this.#namespaceScans.request(nameOf(object)), labelDelay);
    }, { keep: identityWithLabels });
  }

  /** Scans all objects of a namespace again. */
  async #rescan(namespace: string): Promise<void> {
    const { ports: { cluster } } = this.#options, { signal } = this.#stop;
    for (const { options: { resource, scanned } } of this.#kinds.matched) {
      if (!resource.namespaced) continue;
      for await (const object of listResource(resource, { cluster, namespace, signal })) {
        if (isFault(object)) this.missed();
        else await this.#changed({ object, former: undefined }, scanned);
      }
    }
  }

  async #changed(change: ObjectChange, scanned: Set<string>): Promise<void> {
    if (!this.#closed) await this.#scans.changed(change, scanned);
  }
}

/** Whether a scan begins again for all resources, or for those whose policies changed. */
interface Scope {
  readonly everything: boolean;
}
