import { metadataOnly } from "../kube/mod.ts";
import type {
  Clock,
  Collection,
  Collections,
  Entropy,
  Log,
  ObjectChange,
  Scheduler,
  WatchOptions,
} from "../ports.ts";
import type { FollowedCluster } from "./watched_cluster.ts";
import { ObjectBudget } from "./object_budget.ts";
import type { Recovery } from "./recovery.ts";
import { WatchedKind } from "./watched_kind.ts";

/** The ports and bounds of {@link LiveCollections}. */
export interface LiveCollectionsOptions {
  readonly cluster: FollowedCluster;
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly log?: Log;
  /** Lets others work between events; nothing pauses without one. */
  readonly scheduler?: Scheduler | undefined;
  /** Says when the API server answers again. */
  readonly recovery?: Recovery | undefined;
  /** Bounds the objects of all collections together; 64,000,000 bytes by default. Further objects are left out. */
  readonly budget?: ObjectBudget;
}

/** The API groups whose definitions come with an installation that follows the policies of the cluster. */
const installedGroups = /^\/apis\/(?:kyverno\.io|policies\.kyverno\.io|wgpolicyk8s\.io|openreports\.io)\//;

function definitionAdvice(path: string): string {
  return installedGroups.test(path)
    ? "apply the definition of the kind: postern manifests --crds | kubectl apply --server-side -f -"
    : "the cluster does not serve the kind: it is read as soon as it does";
}

/** Collections of a running cluster. It lists and watches each collection separately. */
export class LiveCollections implements Collections {
  readonly #options: LiveCollectionsOptions;
  readonly #budget: ObjectBudget;

  constructor(options: LiveCollectionsOptions) {
    this.#options = options;
    this.#budget = options.budget ?? new ObjectBudget(64_000_000);
  }

  watch(
    path: string,
    changed: (change: ObjectChange) => void | Promise<void>,
    { keep, changes, leftOutChanged }: WatchOptions = {},
  ): Collection {
    const { cluster, clock, entropy, log, scheduler, recovery } = this.#options;
    return new WatchedKind({
      path,
      call: (call) => cluster.call(call),
      follow: (watched, signal) =>
        cluster.follow(watched, signal, changes === "metadata" ? metadataOnly : undefined),
      clock,
      entropy,
      scheduler,
      recovery,
      maxBytes: this.#budget.most,
      budget: this.#budget,
      changed,
      persistent: true,
      missing: definitionAdvice(path),
      ...(keep !== undefined && { keep }),
      ...(leftOutChanged !== undefined && { leftOutChanged }),
      ...(log !== undefined && { log }),
    });
  }
}
