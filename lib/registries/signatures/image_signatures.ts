import { isFault } from "../../json/mod.ts";
import {
  type Answer,
  type Clock,
  type Cluster,
  type DigestAnswer,
  elapsedOn,
  type ReferrerQuery,
  type RegistryCredentials,
  type SignatureAnswer,
  type SignatureQuery,
  type Signatures,
  type SignedTextAnswer,
  type SignedTextQuery,
} from "../../ports.ts";
import { RenewedClient, TaskTurns, unlessAborted } from "../../adapters/mod.ts";
import { AuthorityCertificates } from "./authority_certificates.ts";
import { IdentityPatterns } from "./identity.ts";
import { ContentMemory, type ContentMemoryOptions, type QueryMemory } from "../registry/content_memory.ts";
import { CachedContent } from "../registry/cached_content.ts";
import { type AddressRule, everywhere } from "../registry/addresses.ts";
import type { RegistryAccess } from "../registry/registry_reader.ts";
import { RegistryContent, type RegistryContentOptions } from "../registry/content.ts";
import { manifestName, parseReference, type RegistryReference } from "../registry/reference.ts";
import type { RegistryLogins } from "../registry/token.ts";
import { BundleChecker } from "./bundle_checker.ts";
import type { CheckPorts } from "./cosign_signature.ts";
import { type Inquiry, refusedBy, unverified, type Verdict } from "./inquiry.ts";
import { searchLog } from "./log_search.ts";
import { refusedImage, verifyImage } from "./layouts.ts";
import { readReferrer } from "./referrer.ts";
import { withSecretKey } from "./secret_key.ts";
import { signatureRepository } from "./signature_repository.ts";
import { verifySignedText } from "./signed_text.ts";
import { TrustedRoots, type TrustedRootText } from "./trusted_roots.ts";
import { VerdictCache } from "./verdict_cache.ts";

/** The ports and bounds of {@link ImageSignatures}. */
export interface ImageSignaturesOptions
  extends RegistryContentOptions, Pick<ContentMemoryOptions, "beforeMore"> {
  /** Finds the login for a registry; when absent, Postern reads anonymously. */
  readonly login?: RegistryLogins;
  /** The cluster with the Secrets of keys (`k8s://NAMESPACE/NAME`); when absent, such keys cannot be read. */
  readonly cluster?: Cluster;
  /** The trusted root in sigstore's JSON, the installation's or that of a TUF mirror; none when absent. */
  readonly trustedRoot?: TrustedRootText;
  /** Whether to search the policy's log for the entry of a signature that carries none; `never` when absent. */
  readonly logSearch?: "never" | "allowed";
  /** The most bytes of all cached content and verdicts: 16,000,000. */
  readonly cacheBytes?: number;
}

/** The time limit of a verification, also for callers that would wait longer. */
const maxMilliseconds = 10_000;
const checksAtATime = 4;
/** Bytes of content and heap of all images that are being verified. */
const mostBytes = 24_000_000;

/**
 * Verifies signatures of images in registries: Cosign's tags, sigstore bundles and Notary Project signatures. It checks
 * the content of a registry against its digest. It caches verdicts by digest and query. Equal queries at the same time
 * share one verification.
 */
export class ImageSignatures implements Signatures {
  readonly #clock: Clock;
  readonly #login: RegistryLogins;
  readonly #cluster: Cluster | undefined;
  readonly #roots: TrustedRoots;
  readonly #content: CachedContent;
  readonly #memory: ContentMemory;
  readonly #verdicts: VerdictCache;
  readonly #bundles = new BundleChecker();
  readonly #patterns = new IdentityPatterns();
  readonly #authorities = new AuthorityCertificates();
  readonly #checks = new TaskTurns(checksAtATime);
  readonly #logSearch: "never" | "allowed";
  readonly #client: RenewedClient;
  readonly #allows: AddressRule;

  constructor(options: ImageSignaturesOptions) {
    const { clock, beforeMore, cacheBytes = 16_000_000 } = options;
    this.#memory = new ContentMemory({ most: mostBytes, beforeMore });
    this.#clock = clock;
    this.#login = options.login ?? (() => Promise.resolve(undefined));
    this.#cluster = options.cluster;
    this.#roots = new TrustedRoots(options.trustedRoot);
    this.#logSearch = options.logSearch ?? "never";
    this.#client = options.client ?? RenewedClient.ofRuntime();
    this.#allows = options.allows ?? everywhere;
    this.#content = new CachedContent(new RegistryContent({ ...options, client: this.#client }), {
      clock,
      maxBytes: cacheBytes * 3 / 4,
    });
    this.#verdicts = new VerdictCache({ clock, maxBytes: cacheBytes / 4 });
  }

  /** Ends the thread for bundles, if it was started, and the connections that were made. */
  async close(): Promise<void> {
    this.#client.close();
    await this.#bundles.close();
  }

  async verify(query: SignatureQuery, signal?: AbortSignal): Promise<SignatureAnswer> {
    const reference = parseReference(query.image);
    const late = this.#late(isFault(reference) ? query.image : registriesOf(reference, query));
    const answered = isFault(reference)
      ? Promise.resolve(answerOf(unverified(reference.message), { digest: undefined, cached: false }))
      : this.#memory.query((memory) => this.#verify(query, reference, memory));
    return await unlessAborted(answered, late, signal);
  }

  async verifyText(query: SignedTextQuery, signal?: AbortSignal): Promise<SignedTextAnswer> {
    const by = await withSecretKey(query.by, this.#cluster);
    if (isFault(by)) return { ok: false, message: by.message };
    const answered = this.#checks.run(() =>
      verifySignedText({ ...query, by }, {
        root: this.#roots.source(query.log),
        ports: this.#ports(this.#end()),
      })
    );
    return await unlessAborted(answered, { ok: false, message: "the request's deadline passed" }, signal);
  }

  async digest(
    image: string,
    credentials: RegistryCredentials,
    signal?: AbortSignal,
  ): Promise<DigestAnswer> {
    const reference = parseReference(image);
    if (isFault(reference)) return { ok: false, why: "refused", message: reference.message };
    const read = async (memory: QueryMemory): Promise<DigestAnswer> => {
      const access = await this.#access(reference, credentials, memory);
      const manifest = await this.#content.image(access, manifestName(reference), this.#end());
      if (!isFault(manifest)) return { ok: true, digest: manifest.digest };
      const { why, message } = refusedBy(manifest) as Extract<Verdict, { ok: false }>;
      return { ok: false, why: why === "no connection" ? why : "refused", message };
    };
    const { message } = this.#late(reference.registry);
    const answered = this.#memory.query(read);
    return await unlessAborted(answered, { ok: false, why: "no connection", message }, signal);
  }

  async referrer(query: ReferrerQuery, signal?: AbortSignal): Promise<Answer> {
    const reference = parseReference(query.image);
    if (isFault(reference)) return { ok: false, status: undefined, message: reference.message };
    const read = async (memory: QueryMemory): Promise<Answer> => {
      const access = await this.#access(reference, query.credentials, memory);
      return await readReferrer(query, { access, content: this.#content, until: this.#end() });
    };
    const { message } = this.#late(reference.registry);
    const answered = this.#memory.query(read);
    return await unlessAborted(answered, { ok: false, status: undefined, message }, signal);
  }

  async #verify(
    query: SignatureQuery,
    reference: RegistryReference,
    memory: QueryMemory,
  ): Promise<SignatureAnswer> {
    const none = { digest: undefined, cached: false };
    const by = await withSecretKey(query.by, this.#cluster);
    if (isFault(by)) return answerOf(unverified(by.message), none);
    const access = await this.#access(reference, query.credentials, memory);
    const location = query.repository === "" ? reference : signatureRepository(query.repository);
    if (isFault(location)) return answerOf(unverified(location.message), none);
    const until = this.#end();
    let digest = reference.digest;
    if (digest === "" || query.layout === "notary") {
      const manifest = await this.#content.image(access, manifestName(reference), until);
      if (isFault(manifest)) return answerOf(refusedImage(query, manifest, access), none);
      digest = manifest.digest;
    }
    const inquiry: Inquiry = {
      query: { ...query, by },
      digest,
      access,
      signatureAccess: location === reference
        ? access
        : await this.#access(location, query.credentials, memory),
      content: this.#content,
      root: this.#roots.source(query.log),
      ports: this.#ports(until),
      bundles: this.#bundles,
      checks: this.#checks,
      until,
    };
    let cached = query.useCache;
    const check = async (): Promise<Verdict> => {
      cached = false;
      return await verifyImage(inquiry);
    };
    const verdict = query.useCache ? await this.#verdicts.get(inquiry, check) : await check();
    return answerOf(verdict, { digest, cached });
  }

  #end(): number {
    return elapsedOn(this.#clock) + maxMilliseconds;
  }

  async #access(
    reference: RegistryReference,
    credentials: RegistryCredentials,
    memory: QueryMemory,
  ): Promise<RegistryAccess> {
    const login = await this.#login(reference.registry, credentials);
    const allowInsecure = credentials.allowInsecureRegistry === true ? "yes" : "no";
    return { reference, login, allowInsecure, memory };
  }

  #ports(until: number): CheckPorts {
    return {
      now: () => this.#clock.now(),
      patterns: this.#patterns,
      authorities: this.#authorities,
      findEntry: async (url, search) => {
        if (this.#logSearch === "never") {
          return "no log entry found on signature: looking entries up in the log is switched off";
        }
        const timeout = Math.max(1, until - elapsedOn(this.#clock));
        return await searchLog(url, search, { timeout, client: this.#client, allows: this.#allows });
      },
    };
  }

  #late(registry: string): Extract<SignatureAnswer, { ok: false }> {
    return {
      ok: false,
      why: "no connection",
      message: `the request's deadline passed during a call of ${registry}`,
      digest: undefined,
      tried: [],
      cached: false,
    };
  }
}

function answerOf(
  verdict: Verdict,
  { digest, cached }: { readonly digest: string | undefined; readonly cached: boolean },
): SignatureAnswer {
  if (!verdict.ok) {
    const { why, message, tried } = verdict;
    return { ok: false, why, message, digest, tried, cached };
  }
  return { ok: true, digest: digest ?? "", statements: verdict.statements, tried: verdict.tried, cached };
}

/** The registries that a query reads: the image's, and that of its signatures if it is another one. */
function registriesOf({ registry }: RegistryReference, { repository }: SignatureQuery): string {
  const location = repository === "" ? undefined : signatureRepository(repository);
  return location === undefined || isFault(location) || location.registry === registry
    ? registry
    : `${registry} or ${location.registry}`;
}
