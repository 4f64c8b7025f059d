import { join } from "node:path";
import { asObject, equal, Fault, isObject, type Json, type JsonObject } from "../json/mod.ts";
import { toYaml } from "../yaml/mod.ts";
import { lineDiff } from "./line_diff.ts";
import { loadDocuments } from "../sources/mod.ts";
import { identityOf, identityText, isSameObject, manifestObjects } from "../apply/mod.ts";

/** The comparison of an object with the expected one. */
export type ObjectMatch =
  | { readonly kind: "equal" }
  | { readonly kind: "different"; readonly diff: readonly string[] }
  /** The file cannot be read. */
  | { readonly kind: "unreadable"; readonly message: string }
  /** The file does not contain the object. */
  | { readonly kind: "absent"; readonly message: string };

/** Compares objects with those in a test's files. Each file is read once. */
export class ExpectedObjects {
  readonly #folder: string;
  readonly #files = new Map<string, Promise<readonly JsonObject[] | Fault>>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Compares an object with the one of its kind and name in a file. */
  async match(file: string, object: JsonObject): Promise<ObjectMatch> {
    const identity = identityOf(object);
    const objects = await this.#read(file);
    if (objects instanceof Fault) return { kind: "unreadable", message: objects.message };
    const expected = objects.find((candidate) => isSameObject(identityOf(candidate), identity));
    if (expected === undefined) {
      return { kind: "absent", message: `${file} does not hold ${identityText(identity)}` };
    }
    const [wanted, found] = [comparable(expected), comparable(object)];
    return equal(wanted, found)
      ? { kind: "equal" }
      : { kind: "different", diff: lineDiff(toYaml(wanted).trimEnd(), toYaml(found).trimEnd()) };
  }

  #read(file: string): Promise<readonly JsonObject[] | Fault> {
    const earlier = this.#files.get(file);
    if (earlier !== undefined) return earlier;
    const reading = loadDocuments([join(this.#folder, file)]).then(({ documents, diagnostics }) => {
      const [problem] = diagnostics.filter(({ severity }) => severity === "error");
      return problem === undefined ? manifestObjects(documents) : new Fault(`${file}: ${problem.message}`);
    });
    this.#files.set(file, reading);
    return reading;
  }
}

/**
 * The form in which an object is compared. Kyverno parity: empty maps, empty lists and nulls do not count, nor do the
 * labels of generated objects; every object counts as managed by Kyverno unless its label says otherwise. Pinned by
 * "empty maps, lists and nulls, the labels of generated objects and the label of Kyverno do not count".
 */
function comparable(object: JsonObject): Json {
  const metadata = asObject(object["metadata"]) ?? {};
  const labels = Object.entries(asObject(metadata["labels"]) ?? {}).filter(([name]) =>
    !name.startsWith("generate.kyverno.io/")
  );
  const managed = { "app.kubernetes.io/managed-by": "kyverno", ...Object.fromEntries(labels) };
  return withoutEmpty({ ...object, metadata: { ...metadata, labels: managed } }) ?? {};
}

function withoutEmpty(value: Json): Json | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, inner]): [string, Json][] => {
    const kept = withoutEmpty(inner);
    return kept === undefined ? [] : [[key, kept]];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
