import { type DigestAlgorithm, hexDigest } from "../../bytes/mod.ts";
import { readingEffort } from "../effort.ts";
import { stringType } from "../types/mod.ts";
import { type FunctionDeclaration, type Library, overload } from "./library.ts";

/** The nanoseconds of beginning and printing a digest. */
const workOfDigest = 1_800;

function digest(algorithm: DigestAlgorithm): FunctionDeclaration[] {
  const overloads = [
    overload({
      id: `${algorithm}_string`,
      takes: [stringType],
      gives: stringType,
      call: (text) => hexDigest(algorithm, text),
      effort: readingEffort(40, 0, workOfDigest),
    }),
  ];
  return [{ name: algorithm, overloads }, { name: `hash.${algorithm}`, overloads }];
}

/** Digests of texts in hexadecimal digits: `hash.sha256`, `hash.sha1`, `hash.md5`, also without `hash.`. */
export const hashLibrary: Library = {
  name: "kyverno.hash",
  functions: [...digest("sha1"), ...digest("sha256"), ...digest("md5")],
};
