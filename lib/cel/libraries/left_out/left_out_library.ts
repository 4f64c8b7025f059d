import type { Library } from "../library.ts";

/** Stands in for a library of which no policy of a bundle names a function: expressions do not have its functions. */
export function leftOutLibrary(name: string): Library {
  return { name, functions: [] };
}
