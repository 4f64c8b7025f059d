import type { ImageOptions } from "../../kube/mod.ts";
import { arithmetic } from "./arithmetic.ts";
import { certificates } from "./certificates.ts";
import { digests } from "./digests.ts";
import { encodings } from "./encodings.ts";
import { kubernetes } from "./kubernetes.ts";
import { lists } from "./lists.ts";
import { locations } from "./locations.ts";
import { numbers } from "./numbers.ts";
import { objects } from "./objects.ts";
import { randoms } from "./randoms.ts";
import { type FunctionRecord, type FunctionTable, functionTable } from "./record.ts";
import { regexes } from "./regexes.ts";
import { strings } from "./strings.ts";
import { times } from "./times.ts";
import { types } from "./types.ts";
import { versions } from "./versions.ts";
import { yamlTexts } from "./yaml_texts.ts";

/** The options of some functions besides their arguments, fixed at load. */
export interface FunctionOptions {
  /** How image names without a registry are read. */
  readonly images?: ImageOptions;
}

/** The functions of Kyverno's dialect, by the names of their files. */
export const functionFamilies = {
  numbers,
  lists,
  objects,
  types,
  strings,
  regexes,
  arithmetic,
  encodings,
  yaml_texts: yamlTexts,
  digests,
  times,
  randoms,
  certificates,
  locations,
  versions,
} as const satisfies Readonly<Record<string, readonly FunctionRecord[]>>;

/** All functions of Kyverno's dialect. */
export function kyvernoFunctions(options: FunctionOptions = {}): FunctionTable {
  return functionTable(...Object.values(functionFamilies), kubernetes(options.images ?? {}));
}
