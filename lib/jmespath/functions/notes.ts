import { arithmeticNotes } from "./arithmetic.ts";
import { certificateNotes } from "./certificates.ts";
import { digestNotes } from "./digests.ts";
import { encodingNotes } from "./encodings.ts";
import { kubernetesNotes } from "./kubernetes.ts";
import { listNotes } from "./lists.ts";
import { locationNotes } from "./locations.ts";
import { numberNotes } from "./numbers.ts";
import { objectNotes } from "./objects.ts";
import { randomNotes } from "./randoms.ts";
import type { FunctionNotes } from "./record.ts";
import { regexNotes } from "./regexes.ts";
import { stringNotes } from "./strings.ts";
import { timeNotes } from "./times.ts";
import { typeNotes } from "./types.ts";
import { versionNotes } from "./versions.ts";
import { yamlTextNotes } from "./yaml_texts.ts";

/** The notes of all functions of Kyverno's dialect. */
export function kyvernoFunctionNotes(): FunctionNotes {
  return {
    ...arithmeticNotes,
    ...certificateNotes,
    ...digestNotes,
    ...encodingNotes,
    ...kubernetesNotes,
    ...listNotes,
    ...locationNotes,
    ...numberNotes,
    ...objectNotes,
    ...randomNotes,
    ...regexNotes,
    ...stringNotes,
    ...timeNotes,
    ...typeNotes,
    ...versionNotes,
    ...yamlTextNotes,
  };
}
