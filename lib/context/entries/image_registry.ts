import type { RegistryCredentials } from "../../ports.ts";
import { asTexts, Fault, isFault, isObject, type Json, scopeOf } from "../../json/mod.ts";
import { compileTemplate } from "../../template/mod.ts";
import type { FieldNotes } from "../../shape/mod.ts";
import type { Context, ContextEntry } from "../context.ts";
import type { ContextEntryKind } from "../entry_kind.ts";
import type { EntryOptions } from "../entry_options.ts";
import { EntryQueries } from "../query.ts";
import { renderText } from "../text.ts";
import { checkQuery, checkReference } from "./entry_checks.ts";
import { text } from "./written.ts";

/** `imageRegistry`: the manifest and configuration of an image. */
export interface ImageRegistryEntry {
  readonly kind: "imageRegistry";
  readonly name: string;
  readonly reference: string;
  readonly jmesPath: string;
  readonly credentials: RegistryCredentials | undefined;
}

/** The descriptions of `imageRegistry` and of its fields. */
export const imageRegistryNotes: FieldNotes = {
  "imageRegistry": "The manifest and configuration of an image, from its registry.",
  "imageRegistry.reference": "The image; it may have variables.",
  "imageRegistryCredentials": "How registries are logged in to.",
};

/** `imageRegistry: {reference, jmesPath, imageRegistryCredentials}`: manifest and configuration of an image. */
export const imageRegistryKind: ContextEntryKind<ImageRegistryEntry> = {
  kind: "imageRegistry",
  shape: { reference: "text", jmesPath: "text", imageRegistryCredentials: "open" },
  read: (name, written) => ({
    kind: "imageRegistry",
    name,
    reference: text(written["reference"]),
    jmesPath: text(written["jmesPath"]),
    credentials: parseRegistryCredentials(written["imageRegistryCredentials"]),
  }),
  compile: compileImageRegistry,
  isServed: ({ images }) => images,
};

/** Parses `imageRegistryCredentials`. */
export function parseRegistryCredentials(written: Json | undefined): RegistryCredentials | undefined {
  return isObject(written)
    ? {
      allowInsecureRegistry: written["allowInsecureRegistry"] === true,
      providers: asTexts(written["providers"]),
      secrets: asTexts(written["secrets"]),
    }
    : undefined;
}

function compileImageRegistry(entry: ImageRegistryEntry, options: EntryOptions): ContextEntry {
  const reference = compileTemplate(entry.reference);
  const path = compileTemplate(entry.jmesPath);
  const { credentials } = entry;
  options.variables(reference.uses, ["imageRegistry", "reference"]);
  options.variables(path.uses, ["imageRegistry", "jmesPath"]);
  checkQuery("imageRegistry", entry.jmesPath, options);
  checkReference(["imageRegistry", "reference"], entry.reference, options);
  options.need({ kind: "registry" });
  const queries = new EntryQueries("document");
  return { name: entry.name, source: "imageRegistry", load };

  function load(view: Context): Json | Fault {
    const image = renderText(reference, view);
    if (isFault(image)) return problem(image.message);
    const { tracker } = view;
    const record = tracker.load(`image ${image}`, async () => {
      const answer = await tracker.ports.registry.image(image, credentials, tracker.signal);
      return answer.ok ? answer.body : problem(answer.message);
    }, JSON.stringify(credentials));
    const query = renderText(path, view);
    if (isFault(query)) return problem(query.message);
    if (isFault(record) || query === "") return record;
    const result = queries.apply(query, scopeOf(record), view.environment);
    return isFault(result) ? problem(`failed to apply JMESPath (${query}): ${result.message}`) : result;
  }

  function problem(cause: string): Fault {
    return new Fault(`failed to fetch image data for context entry ${entry.name}: ${cause}`);
  }
}
