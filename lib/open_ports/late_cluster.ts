import type { Answer, ApiCall, ApiResource, Cluster } from "../ports.ts";

/** A cluster that is opened at its first call: most policies never call it. */
export class LateCluster implements Cluster {
  readonly #open: () => Promise<Cluster>;
  #opening: Promise<Cluster> | undefined;
  #cluster: Cluster | undefined;

  constructor(open: () => Promise<Cluster>) {
    this.#open = open;
  }

  async call(call: ApiCall): Promise<Answer> {
    return await (await this.#opened()).call(call);
  }

  inMemory(path: string): Answer | undefined {
    return this.#cluster?.inMemory?.(path);
  }

  async resource(apiVersion: string, kind: string): Promise<ApiResource | undefined> {
    return await (await this.#opened()).resource(apiVersion, kind);
  }

  async #opened(): Promise<Cluster> {
    return this.#cluster = await (this.#opening ??= this.#open());
  }
}
