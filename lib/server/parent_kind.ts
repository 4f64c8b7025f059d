import {
  customParent,
  type ParentResource,
  type PolicyRequest,
  type Snapshot,
  withParentKind,
} from "../engine/mod.ts";
import { asList, asString, BoundedCache, field, isString, type Json } from "../json/mod.ts";
import { parseApiVersion, versionPath } from "../kube/mod.ts";
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
    const { group, version } = parseApiVersion(apiVersion), ended = new AbortController();
    // The names are those of a review, which may be forged: they must not lead to another path.
    const path = versionPath({ group: encodeURIComponent(group), version: encodeURIComponent(version) });
    const late = pause(within, ended.signal).then(() =>
      ({ ok: false, status: undefined, message: "the answer came too late" }) as const
    );
    const answer = await Promise.race([this.#cluster.call({ method: "GET", path }), late]);
    ended.abort();
    if (!answer.ok && answer.status !== 404) {
      return `the kind of ${plural}.${group}, which policies may be about, is unknown: ${answer.message}`;
    }
    const kinds = answer.ok ? kindsIn(answer.body) : new Map<string, string>();
    this.#served.set(apiVersion, { kinds, readAt: this.#clock.now() });
    const kind = kinds.get(plural);
    return kind === undefined ? request : withParentKind(request, kind);
  }
}

function kindsIn(list: Json): ReadonlyMap<string, string> {
  return new Map(
    asList(field(list, "resources")).flatMap((each): [string, string][] => {
      const plural = asString(field(each, "name")) ?? "", kind = asString(field(each, "kind")) ?? "";
      return plural === "" || kind === "" || plural.includes("/") ? [] : [[plural, kind]];
    }),
  );
}
