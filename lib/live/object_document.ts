import type { JsonObject } from "../json/mod.ts";
import { objectText } from "../kube/mod.ts";
import { plainDocument, type YamlDocument } from "../yaml/mod.ts";

/** An object of the cluster as a document. Positions name the object, because there is no file. */
export function objectDocument(object: JsonObject): YamlDocument {
  return plainDocument(object, objectText(object));
}

/**
 * The documents of objects. An object keeps its document as long as its contents stay, so that its policy keeps its
 * compiled form.
 */
export class ObjectDocuments {
  readonly #documents = new WeakMap<JsonObject, YamlDocument>();

  /** The document of an object. */
  of(object: JsonObject): YamlDocument {
    const found = this.#documents.get(object) ?? objectDocument(object);
    this.#documents.set(object, found);
    return found;
  }

  /** Keeps the document of the former version for a version with the same contents. */
  keep(object: JsonObject, former: JsonObject): void {
    const found = this.#documents.get(former);
    if (found !== undefined) this.#documents.set(object, found);
  }
}
