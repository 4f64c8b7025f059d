import { existingRequest } from "../../background/mod.ts";
import { evaluate, restrict, type Snapshot } from "../../engine/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import {
  compileResourceFilters,
  defaultResourceFilters,
  labelsOf,
  nameOf,
  namespaceOf,
  typeOf,
} from "../../kube/mod.ts";
import type { Collection, Collections, Discovery, Log, ObjectChange, Ports } from "../../ports.ts";
import { uidOf } from "./report.ts";
import type { ReportStore } from "./report_store.ts";
import { rowsOf } from "./rows.ts";
import { resourcePath } from "../resource_path.ts";
import { scannedResources } from "./scan_targets.ts";

/** What a {@link Scanner} works with. */
export interface ScannerOptions {
  readonly ports: Ports;
  readonly collections: Collections;
  readonly discovery: Discovery;
  readonly log: Log;
  readonly store: ReportStore;
  /** `[Kind,namespace,name]` items of objects that are not looked at; the defaults when absent. */
  readonly resourceFilters: () => string | undefined;
  readonly leads: () => boolean;
}

/** Reports that are written at a time. */
const most = 8;

/**
 * Evaluates the background policies on every object that they match, and keeps a report for each object. Objects are followed by
 * watch; only their names and versions are kept. When policies change, all objects are listed anew, a page at a time.
 */
export class Scanner {
  readonly #options: ScannerOptions;
  readonly #watched = new Map<string, Collection>();
  readonly #scanned = new Set<string>();
  readonly #writing = new Set<Promise<void>>();
  #policies: Snapshot | undefined;
  #restarting: Promise<void> = Promise.resolve();
  #isHidden: (object: JsonObject) => boolean = () => false;
  #closed = false;

  constructor(options: ScannerOptions) {
    this.#options = options;
  }

  /** Other policies are in force: every object is looked at again. */
  policiesChanged(snapshot: Snapshot): void {
    this.#policies = restrict(snapshot, ({ policy }) => policy.background);
    this.#restarting = this.#restarting.then(() => this.#restart()).catch((cause) =>
      this.#options.log.write("error", "the background scan stopped", { cause: String(cause) })
    );
  }

  /** Resolves when everything that was to be scanned is. */
  async settled(): Promise<void> {
    await this.#restarting;
    while (this.#writing.size > 0) await Promise.all(this.#writing);
  }

  /** Ends watches and writes. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#watched.values()].map((collection) => collection.close()));
    await Promise.all(this.#writing);
  }

  async #restart(): Promise<void> {
    const { discovery, collections, store, leads, resourceFilters } = this.#options;
    if (this.#closed || !leads()) return;
    const policies = this.#policies!;
    const discovered = await discovery.resources();
    if (!discovered.ok || this.#closed) return;
    this.#isHidden = hiddenBy(resourceFilters());
    await Promise.all([...this.#watched.values()].map((collection) => collection.close()));
    this.#watched.clear();
    this.#scanned.clear();
    await store.ready();
    for (const path of scannedResources(policies, discovered.resources).map((each) => resourcePath(each))) {
      const changed = (change: ObjectChange): void | Promise<void> => this.#changed(change);
      this.#watched.set(path, collections.watch(path, changed, { keep: onlyIdentity }));
    }
    await Promise.all([...this.#watched.values()].map(({ synced }) => synced));
    if (policies !== this.#policies || this.#closed) return;
    await Promise.all(this.#writing);
    await store.keepOnly((uid) => this.#scanned.has(uid));
  }

  /** Lets at most a few writes be under way, so that a long list does not fill the memory. */
  async #changed({ object, former }: ObjectChange): Promise<void> {
    const writing = (object === undefined ? this.#gone(former!) : this.#scan(object)).catch((cause) =>
      this.#options.log.write("error", "an object was not scanned", { cause: String(cause) })
    );
    const known: Promise<void> = writing.finally(() => this.#writing.delete(known));
    this.#writing.add(known);
    if (this.#writing.size >= most) await Promise.race(this.#writing);
  }

  async #gone(former: JsonObject): Promise<void> {
    this.#scanned.delete(uidOf(former));
    await this.#options.store.remove(uidOf(former));
  }

  async #scan(object: JsonObject): Promise<void> {
    const { ports, store } = this.#options;
    if (this.#isHidden(object)) return;
    const uid = uidOf(object);
    const decision = await evaluate(this.#policies!, existingRequest(object), {
      phase: "validate",
      rules: "all",
      ports,
      deadline: () => AbortSignal.timeout(10_000),
    });
    const now = ports.clock.now();
    const keptRows = store.admissionRows(object);
    await store.write(object, [...rowsOf(decision.results, object, now), ...keptRows]);
    this.#scanned.add(uid);
  }
}

function hiddenBy(resourceFilters: string | undefined): (object: JsonObject) => boolean {
  const filtered = compileResourceFilters(resourceFilters ?? defaultResourceFilters);
  return (object) =>
    labelsOf(object)["reports.kyverno.io/disabled"] !== undefined ||
    filtered({ ...typeOf(object), subresource: "", namespace: namespaceOf(object), name: nameOf(object) });
}

function onlyIdentity({ metadata }: JsonObject): JsonObject {
  const { name, namespace, uid, resourceVersion } = metadata as JsonObject;
  return {
    metadata: {
      name: name ?? "",
      ...(namespace !== undefined && { namespace }),
      uid: uid ?? "",
      resourceVersion: resourceVersion ?? "",
    },
  };
}
