import { Fault } from "../../json/mod.ts";

/** The parts of an image reference, as registry clients parse it. */
export interface RegistryReference {
  /** `index.docker.io` for Docker Hub, also when the text names `docker.io` or no registry. */
  readonly registry: string;
  /** `library/nginx` for the short names of Docker Hub. */
  readonly repository: string;
  /** `latest` when there is neither tag nor digest; empty beside a digest without a tag. */
  readonly tag: string;
  /** `sha256:…`, or empty. */
  readonly digest: string;
}

const dockerHub = "index.docker.io";

/**
 * Reads an image reference by the rules of go-containerregistry, which Kyverno uses: the first part is a registry
 * when it has a dot or a colon, or is `localhost`.
 *
 * ```ts
 * import { parseReference } from "./reference.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(parseReference("nginx"), {
 *   registry: "index.docker.io", repository: "library/nginx", tag: "latest", digest: "",
 * });
 * ```
 */
export function parseReference(text: string): RegistryReference | Fault {
  const wrong = (why: string) => new Fault(`could not parse reference: ${text}: ${why}`);
  if (text.length > 4_096) return new Fault("could not parse reference: it is too long");
  const at = text.indexOf("@");
  const digest = at < 0 ? "" : text.slice(at + 1);
  if (at >= 0 && !/^sha256:[0-9a-f]{64}$/.test(digest)) {
    return wrong("the digest must be sha256 and 64 digits");
  }
  const named = at < 0 ? text : text.slice(0, at);
  const colon = named.lastIndexOf(":");
  const hasTag = colon > named.lastIndexOf("/");
  const tag = hasTag ? named.slice(colon + 1) : "";
  if (hasTag && !/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(tag)) {
    return wrong("the tag has other characters");
  }
  const path = hasTag ? named.slice(0, colon) : named;
  const slash = path.indexOf("/");
  const first = slash < 0 ? "" : path.slice(0, slash);
  const hasRegistry = first === "localhost" || /[.:]/.test(first);
  const given = hasRegistry ? first : dockerHub;
  if (!isHost(given)) return wrong("the registry is no host name");
  const registry = given === "docker.io" ? dockerHub : given;
  const name = hasRegistry ? path.slice(slash + 1) : path;
  if (name.length < 2 || name.length > 255) return wrong("the repository must have 2 to 255 characters");
  if (!/^[a-z0-9_\-./]+$/.test(name) || !isPath(name)) {
    return wrong("the repository can only have the characters a-z, 0-9, _, -, . and /");
  }
  const repository = registry === dockerHub && !name.includes("/") ? `library/${name}` : name;
  return { registry, repository, tag: tag === "" && digest === "" ? "latest" : tag, digest };
}

function isPath(name: string): boolean {
  return name.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

function isHost(text: string): boolean {
  return /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252})|\[[0-9A-Fa-f:]{2,39}\])(?::\d{1,5})?$/.test(text);
}

/** The tag, the digest, or both (`TAG@DIGEST`): the part of a reference behind the repository. */
export function identifierOf({ tag, digest }: RegistryReference): string {
  return digest === "" ? tag : tag === "" ? digest : `${tag}@${digest}`;
}

/** The name by which a manifest is read: the digest, or else the tag. */
export function manifestName({ tag, digest }: RegistryReference): string {
  return digest === "" ? tag : digest;
}

/**
 * The schemes to try. Registries on this machine, in private networks and those marked as insecure may speak plain
 * HTTP. Kyverno parity: the same hosts as in go-containerregistry. Pinned by tests/registries/references_test.ts.
 */
export function schemesOf(registry: string, allowInsecure: "yes" | "no"): readonly ("https" | "http")[] {
  const host = registry.replace(/:\d+$/, "");
  const isLocal = host === "localhost" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host) ||
    /\.local(?:host)?$/.test(host);
  const isPrivate = /^(?:10\.\d+|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d+\.\d+$/.test(host);
  return allowInsecure === "yes" || isLocal || isPrivate ? ["https", "http"] : ["https"];
}
