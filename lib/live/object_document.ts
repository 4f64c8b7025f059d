import type { JsonObject } from "../json/mod.ts";
import { nameOf, namespaceOf } from "../kube/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";

/** An object of the cluster as a document. Positions name the object, as there is no file. */
export function objectDocument(object: JsonObject): YamlDocument {
  const name = [namespaceOf(object), nameOf(object)].filter((part) => part !== "").join("/");
  const position = { file: `${object["kind"]}/${name}`, line: 1, column: 1 };
  return { value: object, positionOf: () => position };
}
