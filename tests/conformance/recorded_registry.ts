import { join } from "node:path";
import { ImageRegistry, ImageSignatures, pullSecretLogins } from "../../lib/registries/mod.ts";
import { systemClock, systemEntropy } from "../../lib/adapters/mod.ts";
import type { Json } from "../../lib/json/mod.ts";
import { encodeBase64Text } from "../../lib/kube/mod.ts";
import type { Ports } from "../../lib/ports.ts";
import { clusterPorts } from "./ports.ts";

/** The address at which the images of the corpus were recorded. */
const recorded = "127.0.0.1:15010";

interface Registry {
  serve(fixture: unknown, port: number, options: { readonly tuf: string }): Deno.HttpServer<Deno.NetAddr>;
}

/** The registry of the corpus, served on this machine, and what it takes to read it. */
export class RecordedRegistry {
  readonly #server: Deno.HttpServer<Deno.NetAddr>;
  readonly #address: string;
  readonly #trustedRoot: string;

  private constructor(server: Deno.HttpServer<Deno.NetAddr>, trustedRoot: string) {
    this.#server = server;
    this.#address = `127.0.0.1:${server.addr.port}`;
    this.#trustedRoot = trustedRoot;
  }

  /** Serves the registry of `verify-images` on a free port. */
  static async open(folder: string): Promise<RecordedRegistry> {
    const module = await import(`file://${join(folder, "serve.ts")}`) as Registry;
    const fixture = JSON.parse(Deno.readTextFileSync(join(folder, "registry.json")));
    const server = module.serve(fixture, 0, { tuf: join(folder, "tuf") });
    return new RecordedRegistry(server, Deno.readTextFileSync(join(folder, "trusted-root.json")));
  }

  /** A text of the corpus about images at the address where they are served now. */
  text(path: string): string {
    const port = this.#address.slice(this.#address.indexOf(":"));
    return Deno.readTextFileSync(path).replaceAll(/(?<=127\.0\.0\.1|localhost):15010\b/g, port).replace(
      /(\.dockerconfigjson: )(\S+)/g,
      (_, name: string, value: string) =>
        name + encodeBase64Text(atob(value).replaceAll(recorded, this.#address)),
    );
  }

  /** Ports that read the registry; secrets are those of the objects. */
  ports(objects: readonly Json[], intake?: "verbatim"): Ports & { close(): Promise<void> } {
    const ports = clusterPorts(objects, intake === undefined ? {} : { intake });
    const clock = systemClock(), entropy = systemEntropy();
    const { cluster } = ports;
    const registries = { clock, entropy, login: pullSecretLogins(cluster, "kyverno", clock) };
    const signatures = new ImageSignatures({
      ...registries,
      cluster,
      trustedRoot: () => Promise.resolve(this.#trustedRoot),
      logSearch: "allowed",
    });
    return { ...ports, registry: new ImageRegistry(registries), signatures, close: () => signatures.close() };
  }

  async close(): Promise<void> {
    await this.#server.shutdown();
  }
}
