import { Fault, isFault, type Json, scopeOf } from "../json/mod.ts";
import type { ImageRegistryEntry } from "../policy/mod.ts";
import { compileTemplate } from "../template/mod.ts";
import type { Context, ContextEntry } from "./context.ts";
import type { ContextEntryKind } from "./entry_kind.ts";
import type { EntryOptions } from "./entry_options.ts";
import { EntryQueries } from "./query.ts";
import { renderText } from "./text.ts";

/** `imageRegistry: {reference, jmesPath, imageRegistryCredentials}`: manifest and configuration of an image. */
export const imageRegistryKind: ContextEntryKind<ImageRegistryEntry> = {
  compile: compileImageRegistry,
  isServed: ({ images }) => images,
};

function compileImageRegistry(entry: ImageRegistryEntry, options: EntryOptions): ContextEntry {
  const reference = compileTemplate(entry.reference);
  const path = compileTemplate(entry.jmesPath);
  const { credentials } = entry;
  options.variables(reference.uses, ["imageRegistry", "reference"]);
  options.variables(path.uses, ["imageRegistry", "jmesPath"]);
  options.need({ kind: "registry" });
  const queries = new EntryQueries("document");
  return { name: entry.name, source: "imageRegistry", load };

  function load(view: Context): Json | Fault {
    const image = renderText(reference, view);
    if (isFault(image)) return problem(image.message);
    const { store } = view;
    const record = store.load(`image ${image}`, async () => {
      const answer = await store.ports.registry.image(image, credentials, store.signal);
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
