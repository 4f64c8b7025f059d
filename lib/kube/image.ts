import { clipped, Fault } from "../json/mod.ts";

/** The parts of a container image reference; empty parts are absent. `images.containers.NAME` has this shape. */
export type Image = {
  /** `docker.io`, `localhost:5000` */
  readonly registry?: string;
  /** The last part of the path: `nginx` */
  readonly name: string;
  /** `library/nginx` */
  readonly path: string;
  readonly tag?: string;
  /** `sha256:…` */
  readonly digest?: string;
  /** The whole name with its digest, or with its tag if it has no digest. */
  readonly reference?: string;
  readonly referenceWithTag?: string;
};

/** The most characters of an image reference: a name has at most 255 characters, a tag and a digest 135 each. */
const longestImage = 4_096;

/** The handling of names without a registry. Kyverno's ConfigMap has both keys under the same names. */
export interface ImageOptions {
  /** The registry of names without a registry; `docker.io` by default. */
  readonly defaultRegistry?: string;
  /** Whether the result contains that registry; true when absent. */
  readonly enableDefaultRegistryMutation?: boolean;
}

/**
 * Splits an image reference into its parts. It does not add `library/`, and adds no tag beside a digest.
 *
 * ```ts
 * import { parseImage } from "./image.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(parseImage("ghcr.io/org/app:v1"), {
 *   registry: "ghcr.io",
 *   name: "app",
 *   path: "org/app",
 *   tag: "v1",
 *   reference: "ghcr.io/org/app:v1",
 *   referenceWithTag: "ghcr.io/org/app:v1",
 * });
 * ```
 */
export function parseImage(text: string, options: ImageOptions = {}): Image | Fault {
  if (text.length > longestImage) return new Fault(`bad image: ${clipped(text, 256)}: it is too long`);
  const { defaultRegistry = "docker.io", enableDefaultRegistryMutation = true } = options;
  const full = namesRegistry(text) ? text : `${defaultRegistry}/${text}`;
  const parts = split(full);
  if (typeof parts === "string") {
    const setting =
      `defaultRegistry: ${defaultRegistry}, enableDefaultRegistryMutation: ${enableDefaultRegistryMutation}`;
    return new Fault(`bad image: ${full}, ${setting}: ${parts}`);
  }
  const { path, digest } = parts;
  const tag = parts.tag === "" && digest === "" ? "latest" : parts.tag;
  const registry = full !== text && !enableDefaultRegistryMutation ? "" : parts.domain;
  const repository = registry === "" ? path : `${registry}/${path}`;
  const referenceWithTag = `${repository}:${tag}`;
  const reference = digest === "" ? referenceWithTag : `${repository}@${digest}`;
  const slash = path.indexOf("/");
  // If there is no registry, a first part of the path with an underscore counts as the registry.
  const moved = registry === "" && slash >= 0 && path.slice(0, slash).includes("_");
  const image: { -readonly [Key in keyof Image]: Image[Key] } = {
    name: path.slice(path.lastIndexOf("/") + 1),
    path: moved ? path.slice(slash + 1) : path,
    reference,
    referenceWithTag,
  };
  const finalRegistry = moved ? path.slice(0, slash) : registry;
  if (finalRegistry !== "") image.registry = finalRegistry;
  if (tag !== "") image.tag = tag;
  if (digest !== "") image.digest = digest;
  return image;
}

/**
 * Whether the first part of a name is a registry and not a path: it has a dot, a port or a capital, or is localhost.
 */
function namesRegistry(text: string): boolean {
  const slash = text.indexOf("/");
  if (slash < 0) return false;
  const first = text.slice(0, slash);
  return /[.:]/.test(first) || first === "localhost" || first.toLowerCase() !== first;
}

interface Parts {
  readonly domain: string;
  readonly path: string;
  readonly tag: string;
  readonly digest: string;
}

/** The parts by the grammar of `distribution/reference`, or the error message of that library. */
function split(text: string): Parts | string {
  const parts = splitByGrammar(text);
  if (parts === undefined) {
    return splitByGrammar(text.toLowerCase()) === undefined
      ? "invalid reference format"
      : "repository name must be lowercase";
  }
  if (parts.path.length > 255) return "repository name must not be more than 255 characters";
  return (parts.digest === "" ? undefined : digestProblem(parts.digest)) ?? parts;
}

/** Matches each part with a pattern that cannot backtrack far, because users choose the image names. */
function splitByGrammar(text: string): Parts | undefined {
  const at = text.indexOf("@");
  const digest = at < 0 ? "" : text.slice(at + 1);
  if (at >= 0 && !/^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9A-Fa-f]{32,}$/.test(digest)) {
    return undefined;
  }
  const named = at < 0 ? text : text.slice(0, at);
  const colon = named.indexOf(":", named.lastIndexOf("/") + 1);
  const tag = colon < 0 ? "" : named.slice(colon + 1);
  if (colon >= 0 && !/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(tag)) return undefined;
  const repository = colon < 0 ? named : named.slice(0, colon);
  const slash = repository.indexOf("/");
  if (slash >= 0 && isDomain(repository.slice(0, slash)) && isPath(repository.slice(slash + 1))) {
    return { domain: repository.slice(0, slash), path: repository.slice(slash + 1), tag, digest };
  }
  return isPath(repository) ? { domain: "", path: repository, tag, digest } : undefined;
}

function isPath(text: string): boolean {
  return text.split("/").every((part) => /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/.test(part));
}

function isDomain(text: string): boolean {
  const host = text.replace(/:[0-9]+$/, "");
  if (/^\[[0-9A-Fa-f:]+\]$/.test(host)) return true;
  return host.split(".").every((label) =>
    /^[A-Za-z0-9](?:[A-Za-z0-9-]*)$/.test(label) && !label.endsWith("-")
  );
}

const digestLengths: ReadonlyMap<string, number> = new Map([["sha256", 64], ["sha384", 96], ["sha512", 128]]);

function digestProblem(digest: string): string | undefined {
  const [algorithm, encoded] = digest.split(":") as [string, string];
  const length = digestLengths.get(algorithm);
  if (length === undefined) {
    return /^[a-z0-9]+(?:[.+_-][a-z0-9]+)*$/.test(algorithm)
      ? "unsupported digest algorithm"
      : "invalid checksum digest format";
  }
  if (encoded.length !== length) return "invalid checksum digest length";
  return /^[a-f0-9]+$/.test(encoded) ? undefined : "invalid checksum digest format";
}
