import { asObject, asString, type JsonObject } from "../../json/mod.ts";
import { nameOf } from "../../kube/mod.ts";
import { toYaml } from "../../yaml/mod.ts";
import { definitions } from "../definitions/definitions.ts";
import { makeManifests } from "../manifests/manifests.ts";
import type { PackageFile, PackageFormat } from "./package.ts";

/**
 * A base for kustomize: a file for each object, and the policies as files from which a generator makes ConfigMaps, so
 * that overlays can add to them. `kustomize build` prints the output of `manifests`.
 */
export const kustomizeBase: PackageFormat = {
  name: "kustomize",
  use: "kubectl apply -k DIR",
  files({ snapshot, files, options }) {
    const { objects } = makeManifests(snapshot, files, options);
    const maps = objects.filter(({ kind }) => kind === "ConfigMap");
    const resources = objects.filter(({ kind }) => kind !== "ConfigMap").map(resourceFile);
    const defined = options.follows ? [definitionFile()] : [];
    const kustomization = {
      apiVersion: "kustomize.config.k8s.io/v1beta1",
      kind: "Kustomization",
      resources: [...resources, ...defined].map(({ path }) => path),
      ...(maps.length > 0 && { configMapGenerator: maps.map(generatorOf) }),
      // Webhook configurations stay first, because they must be deleted first.
      sortOptions: { order: "fifo" },
    };
    return [
      { path: "kustomization.yaml", text: toYaml(kustomization) },
      ...resources,
      ...defined,
      ...maps.flatMap(policyFiles),
    ];
  },
};

function resourceFile(object: JsonObject): PackageFile {
  const path = `${String(object["kind"]).toLowerCase()}-${nameOf(object)}.yaml`;
  return { path, text: toYaml(object) };
}

function definitionFile(): PackageFile {
  return { path: "definitions.yaml", text: definitions().map((each) => toYaml(each)).join("---\n") };
}

function generatorOf(map: JsonObject): JsonObject {
  const { namespace = "", labels = {} } = asObject(map["metadata"]) ?? {};
  return {
    name: nameOf(map),
    namespace,
    files: policyFiles(map).map(({ path }) => path),
    options: { disableNameSuffixHash: true, labels },
  };
}

/** The files of a ConfigMap, in a folder with its name. */
export function policyFiles(map: JsonObject): PackageFile[] {
  return Object.entries(asObject(map["data"]) ?? {}).map(([key, text]) => ({
    path: `${nameOf(map)}/${key}`,
    text: asString(text) ?? "",
  }));
}
