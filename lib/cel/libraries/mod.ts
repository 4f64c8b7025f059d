/** The libraries of functions, one a file; see `library.ts` for how to add one. */
import type { Library } from "./library.ts";
import { optionalLibrary } from "./optional.ts";

export * from "./library.ts";

/** Every library beside the standard one, by name. */
export const libraries: Readonly<Record<string, Library>> = {
  optional: optionalLibrary,
};
