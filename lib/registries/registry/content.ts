import { hexOf } from "../../bytes/mod.ts";
import {
  asList,
  asString,
  asTextMap,
  field,
  heapSizeOfText,
  isFault,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
  textField,
} from "../../json/mod.ts";
import type { Clock, Entropy } from "../../ports.ts";
import { RenewedClient } from "../../adapters/mod.ts";
import { type AddressRule, everywhere } from "./addresses.ts";
import type { ImageSource } from "./recording.ts";
import { RegistryConnection } from "./connection.ts";
import type { Content, RegistryAccess, RegistryReader } from "./registry_reader.ts";
import { RegistryFault } from "./registry_fault.ts";
import { sha256 } from "./sha256.ts";

/** The bounds of {@link RegistryContent}; times in milliseconds. */
export interface RegistryContentOptions {
  readonly clock: Clock;
  readonly entropy: Entropy;
  /**
   * Whether an address may be called: registries, token servers, and the targets of their redirects. When absent, every
   * address may.
   */
  readonly allows?: AddressRule;
  /** The client of calls; the runtime's by default. */
  readonly client?: RenewedClient;
  /** For one request with all its attempts: 10,000. */
  readonly timeout?: number;
  /** Attempts of a request: 3. */
  readonly attempts?: number;
  /** The first pause between attempts: 100. */
  readonly firstDelay?: number;
  /** Records the answers of registries, or answers from a recording; when absent, reads go to the registries. */
  readonly source?: ImageSource;
}

/** A manifest or an index, checked against its digest. */
export interface Manifest {
  readonly value: JsonObject;
  readonly digest: string;
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
}

/** An artifact that refers to an image. */
export interface Referrer {
  readonly digest: string;
  readonly artifactType: string;
  readonly annotations: Readonly<Record<string, string>>;
}

/** Registries limit manifests to 4 MB. */
const maxManifestBytes = 4_000_000;
/** Image configurations are seldom larger than a few kilobytes. */
const maxConfigurationBytes = 4_000_000;
const maxReferrerPages = 5;
const indexType = "application/vnd.oci.image.index.v1+json";
const manifestTypes = [
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
  indexType,
  "application/vnd.docker.distribution.manifest.list.v2+json",
].join(", ");

/**
 * Reads manifests, blobs and referrers from registries. It checks everything that has a digest against the digest
 * before use, and bounds the size of everything.
 */
export class RegistryContent {
  readonly #connection: RegistryReader;

  constructor(options: RegistryContentOptions) {
    const { clock, entropy, timeout = 10_000, attempts = 3, firstDelay = 100, allows = everywhere } = options;
    const { client = RenewedClient.ofRuntime() } = options;
    const bounds = { timeout, attempts, firstDelay, maxBytes: maxManifestBytes };
    const connection = new RegistryConnection({ clock, entropy, allows, client, ...bounds });
    this.#connection = options.source?.reader(connection) ?? connection;
  }

  /** Reads the manifest or index of a tag or digest. It checks the content against a digest. */
  async manifest(access: RegistryAccess, name: string, until?: number): Promise<Manifest | RegistryFault> {
    const path = `manifests/${name}`;
    const content = await this.#connection.read(access, { path, accept: manifestTypes, until });
    if (isFault(content)) return content;
    const digest = await sha256Of(content.bytes);
    if (isDigest(name) && digest !== name) return mismatch(path, digest);
    const value = objectIn(access, content.text, path);
    if (isFault(value)) return value;
    const mediaType = asString(value["mediaType"]) ?? typeOf(content);
    return { value, digest, mediaType, size: content.bytes.length };
  }

  /** Reads a blob and checks it against its digest. It refuses a blob that is longer than `maxBytes`. */
  async blob(
    access: RegistryAccess,
    digest: string,
    { maxBytes, until }: { readonly maxBytes: number; readonly until?: number },
  ): Promise<Uint8Array | RegistryFault> {
    if (!isDigest(digest)) return refused(`${digest.slice(0, 100)} is no digest of SHA-256`);
    const path = `blobs/${digest}`;
    const content = await this.#connection.read(access, { path, accept: "*/*", maxBytes, until });
    if (isFault(content)) return content;
    const actual = await sha256Of(content.bytes);
    return actual === digest ? content.bytes : mismatch(path, actual);
  }

  /** Reads an image's configuration: a blob that is a JSON object. */
  async configuration(
    access: RegistryAccess,
    digest: string,
  ): Promise<Pick<Manifest, "value"> | RegistryFault> {
    const bytes = await this.blob(access, digest, { maxBytes: maxConfigurationBytes });
    if (!(bytes instanceof Uint8Array)) return bytes;
    const value = objectIn(access, new TextDecoder().decode(bytes), `blobs/${digest}`);
    return isFault(value) ? value : { value };
  }

  /**
   * Reads the artifacts that refer to a digest, of one type when a type is given. It reads pages until it has `most`
   * artifacts, at most five pages. From a registry without the referrers API it reads the tag `sha256-HEX` (OCI
   * distribution specification, referrers tag schema). Without referrers the list is empty.
   */
  async referrers(
    access: RegistryAccess,
    digest: string,
    { artifactType, until, most }: {
      readonly artifactType?: string;
      readonly until?: number;
      readonly most: number;
    },
  ): Promise<readonly Referrer[] | RegistryFault> {
    const query = artifactType === undefined ? "" : `?artifactType=${encodeURIComponent(artifactType)}`;
    const found: Referrer[] = [];
    let path: string | undefined = `referrers/${digest}${query}`;
    for (let page = 0; path !== undefined && page < maxReferrerPages && found.length < most; page++) {
      const content: Content | RegistryFault = await this.#connection.read(access, {
        path,
        accept: indexType,
        until,
      });
      if (page === 0 && hasNoReferrers(content)) {
        return await this.#taggedReferrers(access, digest, { artifactType, until });
      }
      if (isFault(content)) return content;
      const index = objectIn(access, content.text, `referrers/${digest}`);
      if (isFault(index)) return index;
      found.push(...referrersIn(index, artifactType));
      path = nextPage(content.headers, { path, access });
    }
    return found;
  }

  async #taggedReferrers(
    access: RegistryAccess,
    digest: string,
    { artifactType, until }: {
      readonly artifactType: string | undefined;
      readonly until: number | undefined;
    },
  ): Promise<readonly Referrer[] | RegistryFault> {
    const index = await this.manifest(access, digest.replace(":", "-"), until);
    if (!isFault(index)) return referrersIn(index.value, artifactType);
    return index.status === 404 ? [] : index;
  }
}

/** `sha256:HEX` of bytes. */
async function sha256Of(bytes: Uint8Array): Promise<string> {
  return `sha256:${hexOf(await sha256(bytes))}`;
}

/** Whether a text is a digest of SHA-256. */
export function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

function referrersIn(index: Json, artifactType: string | undefined): Referrer[] {
  return asList(field(index, "manifests")).flatMap((each) => {
    const digest = textField(each, "digest");
    const type = textField(each, "artifactType");
    // A registry need not filter by type.
    if (!isDigest(digest) || (artifactType !== undefined && type !== artifactType)) return [];
    return [{ digest, artifactType: type, annotations: asTextMap(field(each, "annotations")) }];
  });
}

/** The media type that the registry names for an answer. */
function typeOf({ headers }: Content): string {
  return headers.get("content-type")?.split(";")[0]?.trim() ?? "";
}

/** How registries answer that have no referrers API. */
const unsupported: readonly (number | undefined)[] = [400, 404, 406];

/**
 * Whether an answer shows that the registry has no referrers API: some send a page for every path. Kyverno parity: the
 * statuses of go-containerregistry. Pinned by "for referrers, the tag of the digest lists them".
 */
function hasNoReferrers(content: Content | RegistryFault): boolean {
  return isFault(content) ? unsupported.includes(content.status) : typeOf(content) !== indexType;
}

/** The path of the page after that of `path` (RFC 8288), if it is of the same repository. */
function nextPage(
  headers: Headers,
  { path, access: { reference } }: { readonly path: string; readonly access: RegistryAccess },
): string | undefined {
  const target = /<([^<>]+)>\s*;\s*rel="?next"?/.exec(headers.get("link") ?? "")?.[1];
  const base = `/v2/${reference.repository}/`, page = `https://registry${base}${path}`;
  if (target === undefined || !URL.canParse(target, page)) return undefined;
  const { pathname, search } = new URL(target, page);
  return pathname.startsWith(`${base}referrers/`) ? pathname.slice(base.length) + search : undefined;
}

/** Parses JSON if the query has room for its value. */
function valueIn({ memory }: RegistryAccess, text: string): Json | undefined | RegistryFault {
  return memory.take(heapSizeOfText(text))
    ? parseJson(text)
    : new RegistryFault("the content of the registry takes too much memory");
}

function objectIn(access: RegistryAccess, text: string, path: string): JsonObject | RegistryFault {
  const value = valueIn(access, text);
  return isFault(value) || isObject(value) ? value : noObject(path);
}

function mismatch(path: string, actual: string): RegistryFault {
  return refused(`${path}: the content does not match its digest: got ${actual}`);
}

function noObject(path: string): RegistryFault {
  return refused(`${path}: the content is no JSON object`);
}

function refused(why: string): RegistryFault {
  return new RegistryFault(why, { reached: true });
}
