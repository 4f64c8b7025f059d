import type { Diagnostic } from "../diagnostics/mod.ts";
import { Fault, isFault } from "../json/mod.ts";
import type { Registry, Signatures } from "../ports.ts";
import type { ImagePorts } from "./image_ports.ts";

/** The ports that read registries, opened at their first call or for policies that will call them: most never do. */
export class LateImages {
  readonly #open: () => Promise<ImagePorts | Fault>;
  #opening: Promise<ImagePorts | Fault> | undefined;

  constructor(open: () => Promise<ImagePorts | Fault>) {
    this.#open = open;
  }

  readonly registry: Registry = {
    image: async (...query) => {
      const ports = await this.#opened();
      return isFault(ports) ? noAnswer(ports) : await ports.registry.image(...query);
    },
  };

  readonly signatures: Signatures = {
    verify: async (...query) => {
      const ports = await this.#opened();
      if (!isFault(ports)) return await ports.signatures.verify(...query);
      return { ...noConnection(ports), digest: undefined, tried: [], cached: false };
    },
    verifyText: async (...query) => {
      const ports = await this.#opened();
      return isFault(ports)
        ? { ok: false, message: ports.message }
        : await ports.signatures.verifyText(...query);
    },
    digest: async (...query) => {
      const ports = await this.#opened();
      return isFault(ports) ? noConnection(ports) : await ports.signatures.digest(...query);
    },
    referrer: async (...query) => {
      const ports = await this.#opened();
      return isFault(ports) ? noAnswer(ports) : await ports.signatures.referrer(...query);
    },
  };

  /** Opens the ports now. Returns the problems of the files that they read, or why they cannot be opened. */
  async prepare(): Promise<readonly Diagnostic[] | Fault> {
    const ports = await this.#opened();
    return isFault(ports) ? ports : ports.diagnostics;
  }

  /** Ends what the ports keep open. */
  async close(): Promise<void> {
    const ports = await this.#opening;
    if (ports !== undefined && !isFault(ports)) await ports.signatures.close();
  }

  #opened(): Promise<ImagePorts | Fault> {
    return this.#opening ??= this.#open().catch((cause) => {
      // The next call tries again: whoever replaces the files of a checkout may have finished by then.
      this.#opening = undefined;
      return new Fault(`cannot load the code that reads image registries: ${cause}`);
    });
  }
}

function noAnswer({ message }: Fault): Awaited<ReturnType<Registry["image"]>> & { readonly ok: false } {
  return { ok: false, status: undefined, message };
}

/** Makes the rule an error, as a registry that cannot be reached does. */
function noConnection(
  { message }: Fault,
): { readonly ok: false; readonly why: "no connection"; readonly message: string } {
  return { ok: false, why: "no connection", message };
}
