import { comprehensionMacro } from "../syntax/mod.ts";
import type { Library } from "./library.ts";

/** Comprehensions with two variables: index and element of a list, key and value of a map. */
export const comprehensionsLibrary: Library = {
  name: "comprehensions",
  functions: [],
  macros: [
    comprehensionMacro({ name: "all", fold: "all", variables: 2 }),
    comprehensionMacro({ name: "exists", fold: "exists", variables: 2 }),
    comprehensionMacro({ name: "existsOne", fold: "existsOne", variables: 2 }),
    comprehensionMacro({ name: "exists_one", fold: "existsOne", variables: 2 }),
    comprehensionMacro({ name: "transformList", fold: "list", variables: 2 }),
    comprehensionMacro({ name: "transformList", fold: "list", variables: 2, filtered: true }),
    comprehensionMacro({ name: "transformMap", fold: "map", variables: 2 }),
    comprehensionMacro({ name: "transformMap", fold: "map", variables: 2, filtered: true }),
    comprehensionMacro({ name: "transformMapEntry", fold: "mapEntry", variables: 2 }),
    comprehensionMacro({ name: "transformMapEntry", fold: "mapEntry", variables: 2, filtered: true }),
  ],
};
