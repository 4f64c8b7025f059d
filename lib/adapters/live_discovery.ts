import { parseApiVersion, readResourceList, versionPath } from "../kube/mod.ts";
import type { Answer, ApiResource, Clock } from "../ports.ts";
import { SharedLoads } from "./shared_loads.ts";

/** The resources of one group and version, by kind. */
interface ServedResources {
  readonly byKind: ReadonlyMap<string, ApiResource>;
  readonly readAt: number;
  readonly answered: boolean;
}

const minuteMs = 60_000;
/** Milliseconds for which a missing kind counts as missing: a definition may be created at any time. */
const absentMs = 10_000;

/** Reads the resources that an API server serves, once per group and version, and caches them for ten minutes. */
export class LiveDiscovery {
  readonly #get: (path: string) => Promise<Answer>;
  readonly #clock: Clock;
  readonly #cache: SharedLoads<ServedResources>;

  constructor(get: (path: string) => Promise<Answer>, clock: Clock) {
    this.#get = get;
    this.#clock = clock;
    this.#cache = new SharedLoads({
      clock,
      // A failure is not cached, so the next call reads again.
      ttl: ({ answered, byKind }) => answered ? byKind.size === 0 ? absentMs : 10 * minuteMs : 0,
      sizeOf: ({ byKind }) => 200 * (byKind.size + 1),
      maxBytes: 2_000_000,
    });
  }

  /** Returns the resource of a kind; `undefined` when the API server does not serve it or gives no answer. */
  async resource(apiVersion: string, kind: string): Promise<ApiResource | undefined> {
    const served = await this.#served(apiVersion);
    const found = served.byKind.get(kind);
    if (found !== undefined || this.#clock.now() - served.readAt < absentMs) return found;
    this.#cache.forget(apiVersion);
    return (await this.#served(apiVersion)).byKind.get(kind);
  }

  #served(apiVersion: string): Promise<ServedResources> {
    return this.#cache.get(apiVersion, async () => {
      const type = parseApiVersion(apiVersion);
      const answer = await this.#get(versionPath(type));
      const readAt = this.#clock.now();
      if (!answer.ok) return { byKind: new Map(), readAt, answered: answer.status === 404 };
      const byKind = new Map<string, ApiResource>();
      // The first resource of a kind is the one that stores its objects.
      for (const { verbs: _, subresources: _parts, ...resource } of readResourceList(answer.body, type)) {
        if (!byKind.has(resource.kind)) byKind.set(resource.kind, resource);
      }
      return { byKind, readAt, answered: true };
    });
  }
}
