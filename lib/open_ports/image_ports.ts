import {
  bundledTrustedRoot,
  dockerLogins,
  ImageRegistry,
  ImageSignatures,
  type ImageSource,
  pullSecretLogins,
  readTrustedRoot,
  registryAddresses,
  type RegistryLogins,
  type TrustedRootText,
} from "../registries/mod.ts";
import type { Diagnostic } from "../diagnostics/mod.ts";
import { addressesOf, RenewedClient } from "../adapters/mod.ts";
import { Fault, isFault } from "../json/mod.ts";
import type { Clock, Cluster, Entropy, Registry, Signatures } from "../ports.ts";

/** The options of reading image registries. */
export interface ImagePortsOptions {
  /**
   * The files with sigstore's trusted roots: the installation's, and `MIRROR=FILE` for policies that name a TUF
   * mirror.
   */
  readonly trustedRoot?: readonly string[];
  /** Whether a signature without a log entry is looked up in the log that the policy names. */
  readonly searchLogs?: boolean;
  /** Whether a server may read registries on its own machine; commands always may. */
  readonly localRegistries?: boolean;
  /** Records the answers of registries, or answers instead of them. */
  readonly source?: ImageSource | undefined;
}

/** The image ports, with the options' files read. */
export interface ImageLookup {
  readonly diagnostics: readonly Diagnostic[];
  /** Makes the ports; keys and pull secrets come from the cluster. */
  ports(reached: LookupPorts, source?: ImageSource): Pick<ImagePorts, "registry" | "signatures">;
}

/** The ports through which images are looked up. */
interface LookupPorts {
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly cluster: Cluster;
  /** Called before content of registries takes more memory. */
  readonly beforeMore?: () => void;
}

/** The ports that read registries. */
export interface ImagePorts {
  readonly registry: Registry;
  readonly signatures: Signatures & { close(): Promise<void> };
  readonly diagnostics: readonly Diagnostic[];
}

/** Opens the ports that read registries. */
export async function openImagePorts(
  options: ImagePortsOptions & { readonly for: "server" | "command" },
  reached: LookupPorts,
): Promise<ImagePorts | Fault> {
  const lookup = await readImageFiles(options);
  if (isFault(lookup)) return lookup;
  return { ...lookup.ports(reached, options.source), diagnostics: lookup.diagnostics };
}

/** Reads the options' files, so that ports can be opened for several clusters. */
export async function readImageFiles(
  options: ImagePortsOptions & { readonly for: "server" | "command" },
): Promise<ImageLookup | Fault> {
  const roots = await readTrustedRoots(options.trustedRoot ?? []);
  if (isFault(roots)) return roots;
  const given: TrustedRootText = roots;
  const docker = options.for === "command" ? await dockerConfiguration() : undefined;
  // Whoever creates an object names its images, so they must not lead a server to addresses that only its own machine
  // can reach.
  const loopback = options.for === "command" || options.localRegistries === true ? "allowed" : "refused";
  const allows = registryAddresses({ loopback, resolve: addressesOf });
  const logSearch = options.searchLogs === true ? "allowed" : "never";
  return { diagnostics: docker?.diagnostics ?? [], ports };

  function ports(
    { clock, entropy, cluster, beforeMore }: LookupPorts,
    source?: ImageSource,
  ): Pick<ImagePorts, "registry" | "signatures"> {
    const secrets = pullSecretLogins(cluster, podNamespace(), clock);
    const login: RegistryLogins = async (registry, credentials) =>
      await secrets(registry, credentials) ?? await docker?.login(registry, credentials);
    const at = source?.clock(clock) ?? clock;
    const registries = {
      clock: at,
      entropy,
      login,
      allows,
      client: RenewedClient.ofRuntime(),
      beforeMore,
      ...(source !== undefined && { source }),
    };
    const trustedRoot: TrustedRootText = source === undefined
      ? given
      : (mirror) => source.trustedRoot(mirror, () => given(mirror));
    return {
      registry: new ImageRegistry(registries),
      signatures: new ImageSignatures({ ...registries, cluster, trustedRoot, logSearch }),
    };
  }
}

/** The pod's namespace, which holds image pull secrets. */
function podNamespace(): string {
  return Deno.env.get("POD_NAMESPACE") ?? "postern";
}

/** The trusted roots by TUF mirror; the public root is used where the installation names none. */
async function readTrustedRoots(named: readonly string[]): Promise<TrustedRootText | Fault> {
  const texts = new Map<string, string>();
  for (const entry of named) {
    const [, mirror = "", path = entry] = /^(https?:\/\/[^=]+)=(.+)$/.exec(entry) ?? [];
    try {
      const text = await Deno.readTextFile(path);
      const root = await readTrustedRoot(text);
      if (isFault(root)) return new Fault(`${path}: ${root.message}`);
      texts.set(mirror, text);
    } catch (cause) {
      return new Fault(
        `cannot read the trusted root ${path}: ${cause instanceof Error ? cause.message : cause}`,
      );
    }
  }
  return async (mirror) => texts.get(mirror) ?? (mirror === "" ? await bundledTrustedRoot() : undefined);
}

interface Docker {
  readonly login: RegistryLogins;
  readonly diagnostics: readonly Diagnostic[];
}

/** The docker logins of the user who runs a command; `undefined` when there are none that may be read. */
async function dockerConfiguration(): Promise<Docker | undefined> {
  let path: string, text: string;
  try {
    const folder = Deno.env.get("DOCKER_CONFIG") ?? `${Deno.env.get("HOME") ?? ""}/.docker`;
    path = `${folder}/config.json`;
    text = await Deno.readTextFile(path);
  } catch {
    return undefined;
  }
  const read = dockerLogins(text);
  if (isFault(read)) {
    return { login: () => Promise.resolve(undefined), diagnostics: [warning(path, read.message)] };
  }
  const diagnostics = read.helpers.map(({ registry, helper }) =>
    warning(
      path,
      `the login for ${
        registry === "*" ? "other registries" : registry
      } is with the credential helper ${helper}, ` +
        "which Postern does not run",
    )
  );
  return { login: read.login, diagnostics };
}

function warning(path: string, message: string): Diagnostic {
  return {
    severity: "warning",
    code: "docker-configuration",
    message: `${path}: ${message}`,
    hint: "put name and password under auths (docker login does without a credential helper)",
  };
}
