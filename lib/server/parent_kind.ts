import {
  customParent,
  type ParentResource,
  type PolicyRequest,
  type Snapshot,
  withParentKind,
} from "../engine/mod.ts";
import { BoundedCache, isString } from "../json/mod.ts";
import { parseApiVersion, readResourceList, versionPath } from "../kube/mod.ts";
import { pause } from "../pause.ts";
import { type Clock, type Cluster, isYounger } from "../ports.ts";

/** The kinds of a group and version, by their plurals. */
interface ServedKinds {
  readonly kinds: ReadonlyMap<string, string>;
  /** By `Clock.now`. */
  readonly readAt: number;
}

/** Milliseconds for which the kinds of a group are cached: a definition with another kind may replace one. */
const cachedFor = 60_000;

/** The most kinds that are cached. */
const mostKinds = 10_000;

/**
 * Looks up the kinds of custom resources in the discovery of the cluster: a request for the `Scale` of a custom
 * resource has the plural of the resource alone, which may be an irregular one.
 */
export class ParentKinds {
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #served = new BoundedCache<ServedKinds>(mostKinds, ({ kinds }) => kinds.size + 1);

  constructor({ cluster, clock }: { readonly cluster: Cluster; readonly clock: Clock }) {
    this.#cluster = cluster;
    this.#clock = clock;
  }

  /**
   * The request with the kind of its parent, where policies may be about it; as it was where the cluster does not serve
   * the parent. A text says why the kind is unknown.
   *
   * @param within The milliseconds that the cluster has for its answer.
   */
  of(
    request: PolicyRequest,
    snapshot: Snapshot,
    within: number,
  ): PolicyRequest | Promise<PolicyRequest | string> {
    const parent = customParent(request, snapshot);
    if (parent === undefined) return request;
    const served = this.#served.get(parent.apiVersion);
    // A plural that is not cached is looked up each time: a policy must not miss the objects of a new definition.
    const kind = served && isYounger(this.#clock, served.readAt, cachedFor) &&
      served.kinds.get(parent.plural);
    return isString(kind) ? withParentKind(request, kind) : this.#read(request, parent, within);
  }

  async #read(
    request: PolicyRequest,
    { apiVersion, plural }: ParentResource,
    within: number,
  ): Promise<PolicyRequest | string> {
    const type = parseApiVersion(apiVersion), ended = new AbortController();
    const late = pause(within, ended.signal).then(() =>
      ({ ok: false, status: undefined, message: "the answer came too late" }) as const
    );
    const answer = await Promise.race([this.#cluster.call({ method: "GET", path: versionPath(type) }), late]);
    ended.abort();
    if (!answer.ok && answer.status !== 404) {
      return `the kind of ${plural}.${type.group}, which policies may be about, is unknown: ${answer.message}`;
    }
    const resources = answer.ok ? readResourceList(answer.body, type) : [];
    const kinds = new Map(resources.map((each) => [each.plural, each.kind]));
    this.#served.set(apiVersion, { kinds, readAt: this.#clock.now() });
    const kind = kinds.get(plural);
    return kind === undefined ? request : withParentKind(request, kind);
  }
}
