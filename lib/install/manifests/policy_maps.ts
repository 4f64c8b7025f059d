import type { JsonObject } from "../../json/mod.ts";
import { appName, metadata } from "./manifest_options.ts";

/** A file of policies for a ConfigMap. */
export interface PolicyFile {
  /** The path as given, from which its key is made. */
  readonly file: string;
  readonly text: string;
}

/**
 * The most bytes of one ConfigMap's JSON. The API server accepts 1 MiB, but `kubectl apply` keeps a copy in an
 * annotation, and annotations are limited to 256 KiB.
 */
const mostBytes = 200_000;

/** The policies in as few ConfigMaps as possible, in the given order. A file that is too large has a separate one. */
export function policyMaps(files: readonly PolicyFile[], namespace: string): JsonObject[] {
  const maps: { [key: string]: string }[] = [];
  const taken = new Set<string>();
  let bytes = 0;
  for (const { file, text } of files) {
    const size = new TextEncoder().encode(JSON.stringify(text)).length + file.length + 8;
    if (maps.length === 0 || bytes + size > mostBytes) {
      maps.push({});
      bytes = 0;
    }
    maps.at(-1)![freeKey(file, taken)] = text;
    bytes += size;
  }
  return maps.map((data, index) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: metadata(policyMapName(index), namespace),
    data,
  }));
}

/** The name of the n-th ConfigMap, from 0. */
export function policyMapName(index: number): string {
  return `${appName}-policies-${index}`;
}

/** A key that no other file has: the file's name, or its path, because all keys are mounted into one folder. */
function freeKey(file: string, taken: Set<string>): string {
  const path = keyText(file);
  const name = keyText(file.slice(file.lastIndexOf("/") + 1));
  for (let count = 1;; count++) {
    const numbered = path.replace(/(\.[a-z]+)$/i, `-${count}$1`);
    const free = [name, path, numbered].find((candidate) => !taken.has(candidate));
    if (free === undefined) continue;
    taken.add(free);
    return free;
  }
}

/** A text with the characters of ConfigMap keys, and with an extension by which the server recognises policy files. */
function keyText(text: string): string {
  const key = text.replace(/[^-._a-zA-Z0-9]+/g, "-").replace(/^[-.]+/, "").slice(-200);
  return /\.(?:yaml|yml|json)$/i.test(key) ? key : `${key || "policies"}.yaml`;
}
