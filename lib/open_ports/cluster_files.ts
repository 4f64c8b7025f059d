import type { Diagnostic } from "../diagnostics/mod.ts";
import { asString, field, isObject, type Json } from "../json/mod.ts";
import { parseDocuments } from "../yaml/mod.ts";
import { EmbeddedCluster, type EmbeddedClusterOptions, systemObjects } from "../embedded/mod.ts";
import { readFiles } from "../adapters/mod.ts";

/** An embedded cluster made of files, and the problems found in them. */
export interface ClusterFromFiles {
  readonly cluster: EmbeddedCluster;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Makes an embedded cluster of the objects in files and folders (`--cluster PATH`) and of the system objects that every
 * cluster has. It reports documents that are no Kubernetes objects and leaves them out.
 */
export async function clusterFromFiles(
  paths: readonly string[],
  options: Omit<EmbeddedClusterOptions, "objects">,
): Promise<ClusterFromFiles> {
  const { files, diagnostics } = await readFiles(paths);
  const parsed = files.map(({ file, text }) => parseDocuments(text, file));
  const documents = parsed.flatMap((each) => each.documents);
  const others = documents.filter(({ value }) => !isKubernetesObject(value)).map((
    { positionOf },
  ): Diagnostic => ({
    severity: "error",
    code: "no-object",
    message: "The document is no Kubernetes object: it needs apiVersion, kind and metadata.name",
    position: positionOf([]),
  }));
  const objects = documents.map(({ value }) => value).filter(isKubernetesObject);
  return {
    cluster: new EmbeddedCluster({ ...options, objects: [...systemObjects(), ...objects] }),
    diagnostics: [...diagnostics, ...parsed.flatMap((each) => each.diagnostics), ...others],
  };
}

function isKubernetesObject(value: Json): boolean {
  if (!isObject(value) || (asString(value["apiVersion"]) ?? "") === "") return false;
  const kind = asString(value["kind"]) ?? "";
  if (kind.endsWith("List") && Array.isArray(value["items"])) return true;
  return kind !== "" && (asString(field(value["metadata"], "name")) ?? "") !== "";
}
