/** A registry on the loopback address that holds what a test puts into it. */
import type { Json, JsonObject } from "../../../lib/json/mod.ts";
import { type FakeServer, fakeServer, type ReceivedRequest } from "../../adapters/fake_server.ts";
import { sha256 } from "./certificates.ts";

const indexType = "application/vnd.oci.image.index.v1+json";
const manifestType = "application/vnd.oci.image.manifest.v1+json";

/** A layer to be put. */
export interface Layer {
  readonly mediaType?: string;
  readonly content: Uint8Array | string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A manifest to be put. */
export interface ManifestFields {
  readonly layers?: readonly Layer[];
  readonly artifactType?: string;
  /** The digest that it refers to. */
  readonly subject?: string;
}

export function digestOf(content: Uint8Array | string): string {
  return `sha256:${sha256(bytes(content)).toHex()}`;
}

function bytes(content: Uint8Array | string): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

/** Answers a request instead of the registry; `undefined` leaves it to the registry. */
export type Interception = (received: ReceivedRequest) => Response | Promise<Response> | undefined;

export class TestRegistry {
  readonly #server: FakeServer;
  readonly #content = new Map<string, Uint8Array>();
  readonly #tags = new Map<string, string>();
  readonly #referrers = new Map<string, JsonObject[]>();
  #intercept: Interception = () => undefined;

  constructor() {
    this.#server = fakeServer((received) => this.#intercept(received) ?? this.#answer(received));
  }

  get host(): string {
    return this.#server.address.replace("http://", "");
  }

  get received(): readonly ReceivedRequest[] {
    return this.#server.received;
  }

  intercept(interception: Interception): void {
    this.#intercept = interception;
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  /** Puts an image that nobody signed; its digest. */
  image(name: string): string {
    return this.manifest(name, { layers: [{ content: `layer of ${name}` }] });
  }

  /** Puts a manifest under `REPOSITORY:TAG`, or as a referrer without a tag; its digest. */
  manifest(name: string, { layers = [], artifactType, subject }: ManifestFields): string {
    const config = this.blob("{}");
    const value: JsonObject = {
      schemaVersion: 2,
      mediaType: manifestType,
      ...(artifactType !== undefined && { artifactType }),
      config: { mediaType: "application/vnd.oci.image.config.v1+json", digest: config, size: 2 },
      layers: layers.map(({ mediaType = "application/octet-stream", content, annotations = {} }) => ({
        mediaType,
        digest: this.blob(content),
        size: bytes(content).length,
        annotations,
      })),
      ...(subject !== undefined && { subject: { mediaType: manifestType, digest: subject, size: 2 } }),
    };
    const text = JSON.stringify(value);
    const digest = this.blob(text);
    if (subject === undefined) this.#tags.set(name, digest);
    else {
      const list = this.#referrers.get(subject) ?? [];
      list.push({ mediaType: manifestType, digest, size: text.length, artifactType: artifactType ?? "" });
      this.#referrers.set(subject, list);
    }
    return digest;
  }

  /** Lists what refers to a digest under the tag that stands in for the referrers API. */
  tagReferrers(repository: string, digest: string): void {
    this.#tags.set(
      `${repository}:${digest.replace(":", "-")}`,
      this.blob(JSON.stringify(this.#listed(digest))),
    );
  }

  #listed(digest: string, type: string | null = null): Json {
    const manifests = (this.#referrers.get(digest) ?? []).filter((each) =>
      type === null || each["artifactType"] === type
    );
    return { schemaVersion: 2, mediaType: indexType, manifests };
  }

  blob(content: Uint8Array | string): string {
    const digest = digestOf(content);
    this.#content.set(digest, bytes(content));
    return digest;
  }

  /** The text of what was put. */
  text(digest: string): string {
    return new TextDecoder().decode(this.#content.get(digest));
  }

  #answer({ path }: ReceivedRequest): Response {
    // Kyverno asks first whether this is a registry.
    if (path === "/v2/") return Response.json({});
    const [, repository = "", kind = "", name = ""] =
      /^\/v2\/(.+)\/(manifests|blobs|referrers)\/([^/?]+)/.exec(path) ?? [];
    if (kind === "referrers") {
      const type = new URLSearchParams(path.split("?")[1]).get("artifactType");
      return Response.json(this.#listed(name, type), { headers: { "content-type": indexType } });
    }
    const digest = kind === "manifests" ? this.#tags.get(`${repository}:${name}`) ?? name : name;
    const content = this.#content.get(digest);
    if (content === undefined) {
      const [code, message] = kind === "manifests"
        ? ["MANIFEST_UNKNOWN", "manifest unknown"]
        : ["BLOB_UNKNOWN", "Unknown blob"];
      return Response.json({ errors: [{ code, message }] }, { status: 404 });
    }
    return new Response(new Uint8Array(content), {
      headers: { "content-type": kind === "manifests" ? manifestType : "application/octet-stream" },
    });
  }
}
