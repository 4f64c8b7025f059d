import { asList, asString, dig, field, isString, type Json, textField } from "../json/mod.ts";
import { type Clock, type Cluster, type Discovery, isYounger, type ServedResource } from "../ports.ts";

/**
 * The aggregated discovery document (Kubernetes API, `apidiscovery.k8s.io/v2`, since 1.30): one answer for all groups.
 */
const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

type Discovered = Awaited<ReturnType<Discovery["resources"]>>;

/**
 * Reads the resource types that a cluster serves from its two aggregated discovery documents. It caches an answer for
 * a few seconds, because many policies read it at once. It does not cache a failure.
 */
export class AggregatedDiscovery implements Discovery {
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #keptFor: number;
  #current: { readonly at: number; readonly answer: Promise<Discovered> } | undefined;

  /** Caches an answer for `keptFor` milliseconds: 2,000. */
  constructor(cluster: Cluster, clock: Clock, keptFor = 2_000) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#keptFor = keptFor;
  }

  async resources(): Promise<Discovered> {
    if (this.#current === undefined || !isYounger(this.#clock, this.#current.at, this.#keptFor)) {
      this.#current = { at: this.#clock.now(), answer: this.#read() };
    }
    const { answer } = this.#current;
    const discovered = await answer;
    if (!discovered.ok && this.#current?.answer === answer) this.#current = undefined;
    return discovered;
  }

  expire(): void {
    this.#current = undefined;
  }

  async #read(): Promise<Discovered> {
    const answers = await Promise.all(
      ["/api", "/apis"].map((path) => this.#cluster.call({ method: "GET", path, accept: aggregated })),
    );
    const resources: ServedResource[] = [];
    for (const answer of answers) {
      if (!answer.ok) return { ok: false, message: answer.message };
      if (field(answer.body, "kind") !== "APIGroupDiscoveryList") {
        return {
          ok: false,
          message: "the API server has no aggregated discovery: Kubernetes 1.30 is needed",
        };
      }
      resources.push(...asList(field(answer.body, "items")).flatMap(resourcesOf));
    }
    return { ok: true, resources };
  }
}

function resourcesOf(item: Json): ServedResource[] {
  const group = asString(dig(item, "metadata", "name")) ?? "";
  // The API server lists the versions in the order of its preference; the first one may lack a resource.
  const seen = new Set<string>();
  return asList(field(item, "versions")).flatMap((each) => {
    const version = textField(each, "version");
    return asList(field(each, "resources")).flatMap((resource): ServedResource[] => {
      const plural = textField(resource, "resource");
      const preferred = !seen.has(plural);
      seen.add(plural);
      return [{
        group,
        version,
        plural,
        kind: asString(dig(resource, "responseKind", "kind")) ?? "",
        namespaced: field(resource, "scope") === "Namespaced",
        verbs: asList(field(resource, "verbs")).filter(isString),
        subresources: asList(field(resource, "subresources")).map((subresource) => ({
          name: textField(subresource, "subresource"),
          kind: asString(dig(subresource, "responseKind", "kind")) ?? "",
        })),
        preferred,
      }];
    });
  });
}
