import { readingEffort } from "../effort.ts";
import { stringType } from "../types/mod.ts";
import { parsing } from "./cost.ts";
import { type Library, overload } from "./library.ts";

/** `jsonpatch.escapeKey(text)`: a key in the form of a JSON patch's path. Only mutating policies have it. */
export const jsonPatchLibrary: Library = {
  name: "kubernetes.jsonpatch",
  functions: [
    {
      name: "jsonpatch.escapeKey",
      overloads: [
        overload({
          id: "string_jsonpatch_escapeKey_string",
          takes: [stringType],
          gives: stringType,
          call: (key) => key.replaceAll("~", "~0").replaceAll("/", "~1"),
          cost: parsing,
          effort: readingEffort(80),
        }),
      ],
    },
  ],
};
