import { heapSize, isFault } from "../../json/mod.ts";
import type { Clock } from "../../ports.ts";
import { SharedLoads } from "../../adapters/mod.ts";
import type { RegistryAccess } from "./registry_reader.ts";
import { isDigest, type Manifest, type Referrer, type RegistryContent } from "./content.ts";
import type { RegistryFault } from "./registry_fault.ts";

/** How long the cache keeps answers of a registry, in milliseconds. */
const ttl = {
  /** Content under a digest never changes. An hour bounds how long the cache keeps content that nobody reads. */
  content: 3_600_000,
  /** The digest that a tag of an image points to. */
  tag: 60_000,
  /** Lists of signatures, because signers add to them. */
  signatures: 30_000,
  /** Status 404, because somebody may be about to sign the image. */
  absence: 10_000,
};

type Kept = {
  readonly value: Manifest | Uint8Array | readonly Referrer[] | RegistryFault;
  readonly ttl: number;
};

/**
 * Caches manifests, blobs and lists of referrers by registry, repository and login. Equal reads that overlap share
 * one call.
 */
export class CachedContent {
  readonly #content: RegistryContent;
  readonly #cache: SharedLoads<Kept>;

  constructor(
    content: RegistryContent,
    { clock, maxBytes }: { readonly clock: Clock; readonly maxBytes: number },
  ) {
    this.#content = content;
    this.#cache = new SharedLoads({
      clock,
      maxBytes,
      ttl: ({ ttl }) => ttl,
      sizeOf: ({ value }) => bytesOf(value),
    });
  }

  /** Returns the manifest or index of an image, by tag or digest. */
  async image(access: RegistryAccess, name: string, until: number): Promise<Manifest | RegistryFault> {
    return await this.#kept(access, `manifests/${name}`, {
      ttl: isDigest(name) ? ttl.content : ttl.tag,
      load: () => this.#content.manifest(access, name, until),
    });
  }

  /** Returns the manifest of a list of signatures, by its tag or digest. */
  async signatures(access: RegistryAccess, name: string, until: number): Promise<Manifest | RegistryFault> {
    return await this.#kept(access, `manifests/${name}`, {
      ttl: isDigest(name) ? ttl.content : ttl.signatures,
      load: () => this.#content.manifest(access, name, until),
    });
  }

  /** Returns a blob, by its digest. */
  async blob(
    access: RegistryAccess,
    digest: string,
    bounds: { readonly maxBytes: number; readonly until: number },
  ): Promise<Uint8Array | RegistryFault> {
    return await this.#kept(access, `blobs/${digest}`, {
      ttl: ttl.content,
      load: () => this.#content.blob(access, digest, bounds),
    });
  }

  /** Returns the artifacts that refer to a digest. More than `most` of them show that there are too many. */
  async referrers(
    access: RegistryAccess,
    digest: string,
    bounds: { readonly artifactType?: string; readonly most: number; readonly until: number },
  ): Promise<readonly Referrer[] | RegistryFault> {
    return await this.#kept(access, `referrers/${digest} ${bounds.artifactType ?? ""}`, {
      ttl: ttl.signatures,
      load: () => this.#content.referrers(access, digest, { ...bounds, most: bounds.most + 1 }),
    });
  }

  async #kept<T extends Kept["value"]>(
    access: RegistryAccess,
    path: string,
    { ttl: lasting, load }: { readonly ttl: number; readonly load: () => Promise<T> },
  ): Promise<T> {
    const { reference: { registry, repository }, login, allowInsecure } = access;
    // The key holds the login, because each login may read different content, and `allowInsecure`, because content
    // that came without TLS is only for callers that accept it.
    const who = login === undefined ? "" : `${login.username}:${login.password}`;
    const key = JSON.stringify([registry, repository, who, allowInsecure, path]);
    const { value } = await this.#cache.get(key, async () => {
      const value = await load();
      return { value, ttl: isFault(value) ? value.status === 404 ? ttl.absence : 0 : lasting };
    });
    return value as T;
  }
}

function bytesOf(value: Kept["value"]): number {
  if (value instanceof Uint8Array) return value.length;
  if (isFault(value)) return value.message.length;
  return heapSize("size" in value ? (value as Manifest).value : value.map((each) => ({ ...each })));
}
