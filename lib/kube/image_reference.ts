import { Fault, isFault } from "../json/mod.ts";
import { hostOf, parseGoUrl } from "./go_url.ts";

/** An image reference as registry clients read it, with the full names of Docker Hub. */
export interface ImageReference {
  /** `index.docker.io` for Docker Hub. */
  readonly registry: string;
  /** `library/nginx` */
  readonly repository: string;
  /** `latest` when there is neither tag nor digest; empty beside a digest. */
  readonly tag: string;
  /** `sha256:…`, or empty. */
  readonly digest: string;
}

const dockerHub = "index.docker.io";

/**
 * Parses an image reference by the rules of go-containerregistry: the first part is a registry if it has a dot or a
 * colon, or is `localhost`. When there is a digest, the tag is dropped.
 *
 * ```ts
 * import { parseImageReference } from "./image_reference.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(parseImageReference("nginx"), {
 *   registry: "index.docker.io",
 *   repository: "library/nginx",
 *   tag: "latest",
 *   digest: "",
 * });
 * ```
 */
export function parseImageReference(text: string): ImageReference | Fault {
  const reference = text.length > 4_096 ? undefined : readTagged(text) ?? readDigested(text);
  return reference ?? new Fault(`could not parse reference: ${text.slice(0, 200)}`);
}

function readTagged(text: string): ImageReference | undefined {
  const colon = text.lastIndexOf(":");
  const hasTag = colon >= 0 && !text.slice(colon).includes("/");
  const tag = hasTag ? text.slice(colon + 1) : "latest";
  if (!/^[A-Za-z0-9_.-]{1,128}$/.test(tag)) return undefined;
  const name = readName(hasTag ? text.slice(0, colon) : text);
  return name && { ...name, tag, digest: "" };
}

function readDigested(text: string): ImageReference | undefined {
  const [base = "", digest = "", ...more] = text.split("@");
  if (more.length > 0 || !/^sha256:[0-9a-f]{64}$/.test(digest)) return undefined;
  const name = readTagged(base) ?? readName(base);
  return name && { registry: name.registry, repository: name.repository, tag: "", digest };
}

function readName(text: string): Pick<ImageReference, "registry" | "repository"> | undefined {
  const slash = text.indexOf("/");
  const first = slash < 0 ? "" : text.slice(0, slash);
  const hasRegistry = first === "localhost" || /[.:]/.test(first);
  const repository = hasRegistry ? text.slice(slash + 1) : text;
  if (!/^[a-z0-9_\-./]{2,255}$/.test(repository)) return undefined;
  if (hasRegistry && !isAuthority(first)) return undefined;
  const registry = !hasRegistry || first === "docker.io" ? dockerHub : first;
  const isShort = registry === dockerHub && !repository.includes("/");
  return { registry, repository: isShort ? `library/${repository}` : repository };
}

/** Whether a text is a valid host of a URL, with an optional port. */
function isAuthority(text: string): boolean {
  const url = parseGoUrl(`//${text}`, "reference");
  return !isFault(url) && hostOf(url) === text;
}
