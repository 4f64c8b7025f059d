import type { Json } from "../json/mod.ts";
import type { Answer, Ports } from "../ports.ts";

/** An external call that rules made, and its answer. */
export interface ObservedLookup {
  readonly source: "cluster" | "service" | "image registry" | "global context";
  /** `GET /api/v1/namespaces/default/configmaps/teams`, an image, the name of an entry. */
  readonly what: string;
  /** Milliseconds from the start of the evaluation to the call. */
  readonly begin: number;
  /** Milliseconds from the call to its answer. */
  readonly milliseconds: number;
  /** The answer's body; `null` for a failure without a body. */
  readonly answer: Json;
  /** The reason why there is no answer. */
  readonly failure: string | undefined;
}

/** Records the external calls through ports, in the order in which they begin. */
export class Lookups {
  readonly list: ObservedLookup[] = [];
  readonly #begin = performance.now();

  /** Returns ports that record each call and pass it to the given ones. */
  observe(ports: Ports): Ports {
    const { cluster, http, registry, globals } = ports;
    return {
      ...ports,
      cluster: {
        call: (call) => this.#note("cluster", `${call.method} ${call.path}`, cluster.call(call)),
        resource: (apiVersion, kind) => cluster.resource(apiVersion, kind),
      },
      http: { call: (call) => this.#note("service", `${call.method} ${call.url}`, http.call(call)) },
      registry: {
        image: (reference, ...more) =>
          this.#note("image registry", reference, registry.image(reference, ...more)),
      },
      globals: { entry: (name) => this.#note("global context", name, globals.entry(name)) },
    };
  }

  async #note(source: ObservedLookup["source"], what: string, pending: Promise<Answer>): Promise<Answer> {
    const begin = performance.now() - this.#begin;
    // The entry is replaced when the answer arrives: the list is in the order of the calls.
    const index = this.list.length;
    this.list.push({ source, what, begin, milliseconds: 0, answer: null, failure: undefined });
    const answer = await pending;
    this.list[index] = {
      source,
      what,
      begin,
      milliseconds: performance.now() - this.#begin - begin,
      answer: answer.body ?? null,
      failure: answer.ok ? undefined : answer.message,
    };
    return answer;
  }
}
