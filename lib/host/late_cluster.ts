import type { Answer, ApiCall, ApiResource, Cluster } from "../ports.ts";

/** A cluster that is opened at its first call: most policies never call it. */
export class LateCluster implements Cluster {
  readonly #open: () => Promise<Cluster>;
  #cluster: Promise<Cluster> | undefined;

  constructor(open: () => Promise<Cluster>) {
    this.#open = open;
  }

  async call(call: ApiCall): Promise<Answer> {
    return await (await this.#opened()).call(call);
  }

  async resource(apiVersion: string, kind: string): Promise<ApiResource | undefined> {
    return await (await this.#opened()).resource(apiVersion, kind);
  }

  #opened(): Promise<Cluster> {
    return this.#cluster ??= this.#open();
  }
}
