import {
  asList,
  asString,
  dig,
  Fault,
  field,
  heapSize,
  isFault,
  type Json,
  textField,
} from "../../json/mod.ts";
import type { Answer, Registry, RegistryCredentials } from "../../ports.ts";
import { SharedLoads, unlessAborted } from "../../adapters/mod.ts";
import type { RegistryAccess } from "./registry_reader.ts";
import { ContentMemory, type ContentMemoryOptions, type QueryMemory } from "./content_memory.ts";
import { isDigest, RegistryContent, type RegistryContentOptions } from "./content.ts";
import { RegistryFault } from "./registry_fault.ts";
import { identifierOf, manifestName, parseReference, type RegistryReference } from "./reference.ts";
import type { RegistryLogins } from "./token.ts";

/** The bounds of an {@link ImageRegistry}; times in milliseconds. */
export interface ImageRegistryOptions
  extends RegistryContentOptions, Pick<ContentMemoryOptions, "beforeMore"> {
  /** Finds the login for a registry; when absent, Postern reads anonymously. */
  readonly login?: RegistryLogins;
  /** How long the cache keeps the record of a tag: 60,000. It keeps that of a digest for an hour. */
  readonly tagTtl?: number;
  /** How long the cache keeps the failure to read an image: 10,000. */
  readonly failureTtl?: number;
  /** The most bytes of heap of all cached records: 12,000,000. */
  readonly cacheBytes?: number;
}

const digestTtl = 3_600_000;
/** Bytes of content and heap of all images that are being read. */
const mostBytes = 16_000_000;

/**
 * Reads images from OCI and Docker registries: manifest, index and configuration, and checks each against its digest.
 * It takes the image for linux/amd64 from an index. It does not support the credential helpers of cloud providers.
 */
export class ImageRegistry implements Registry {
  readonly #content: RegistryContent;
  readonly #memory: ContentMemory;
  readonly #login: RegistryLogins;
  readonly #cache: SharedLoads<{ readonly answer: Answer; readonly ttl: number }>;
  readonly #tagTtl: number;
  readonly #failureTtl: number;

  constructor(options: ImageRegistryOptions) {
    const { clock, beforeMore } = options;
    this.#memory = new ContentMemory({ most: mostBytes, beforeMore });
    this.#content = new RegistryContent(options);
    this.#login = options.login ?? (() => Promise.resolve(undefined));
    this.#tagTtl = options.tagTtl ?? 60_000;
    this.#failureTtl = options.failureTtl ?? 10_000;
    this.#cache = new SharedLoads({
      clock,
      ttl: ({ ttl }) => ttl,
      sizeOf: ({ answer }) => heapSize(answer.ok ? answer.body : answer.message),
      maxBytes: options.cacheBytes ?? 12_000_000,
    });
  }

  image(reference: string, credentials: RegistryCredentials = {}, signal?: AbortSignal): Promise<Answer> {
    const parsed = parseReference(reference);
    if (isFault(parsed)) return Promise.resolve(failed(reference, parsed));
    const load = async () => {
      const access = { reference: parsed, credentials };
      const answer = await this.#memory.query((memory) => this.#record(reference, { ...access, memory }));
      const ttl = !answer.ok ? this.#failureTtl : parsed.digest === "" ? this.#tagTtl : digestTtl;
      return { answer, ttl };
    };
    const late: Answer = failed(reference, new Fault("the request's deadline passed"));
    const key = `${reference} ${JSON.stringify(credentials)}`;
    return unlessAborted(this.#cache.get(key, load).then(({ answer }) => answer), late, signal);
  }

  async #record(
    text: string,
    { reference, credentials, memory }: {
      readonly reference: RegistryReference;
      readonly credentials: RegistryCredentials;
      readonly memory: QueryMemory;
    },
  ): Promise<Answer> {
    const access: RegistryAccess = {
      memory,
      reference,
      login: await this.#login(reference.registry, credentials),
      allowInsecure: credentials.allowInsecureRegistry === true ? "yes" : "no",
    };
    const named = await this.#content.manifest(access, manifestName(reference));
    if (isFault(named)) return failed(text, named);
    const isIndex = Array.isArray(field(named.value, "manifests"));
    const child = isIndex ? childFor(named.value) : named.digest;
    if (isFault(child)) return failed(text, child);
    const manifest = isIndex ? await this.#content.manifest(access, child) : named;
    if (isFault(manifest)) return failed(text, manifest);
    const configDigest = asString(dig(manifest.value, "config", "digest")) ?? "";
    if (!isDigest(configDigest)) {
      return failed(text, new Fault("the manifest names no configuration"));
    }
    const config = await this.#content.configuration(access, configDigest);
    if (isFault(config)) return failed(text, config);
    const { registry, repository } = reference;
    const body = {
      image: text,
      resolvedImage: `${registry}/${repository}@${named.digest}`,
      registry,
      repository,
      identifier: identifierOf(reference),
      ...(isIndex ? { manifestList: named.value } : {}),
      manifest: manifest.value,
      configData: config.value,
    };
    return { ok: true, status: 200, body };
  }
}

/** The digest of the image for linux/amd64 in an index. */
function childFor(index: Json): string | Fault {
  const child = asList(field(index, "manifests")).find((each) =>
    dig(each, "platform", "os") === "linux" && dig(each, "platform", "architecture") === "amd64"
  );
  const digest = textField(child, "digest");
  return isDigest(digest) ? digest : new Fault("no child with platform linux/amd64 in index");
}

function failed(reference: string, fault: Fault): Answer {
  return {
    ok: false,
    status: fault instanceof RegistryFault ? fault.status : undefined,
    message: `failed to fetch image reference: ${reference}, error: ${fault.message}`,
  };
}
