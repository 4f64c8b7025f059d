import {
  type GivenUser,
  manifestObjects,
  noValues,
  readUser,
  readValues,
  type Values,
} from "../apply/mod.ts";
import type { Diagnostic } from "../diagnostics/mod.ts";
import { asList, asObject, isObject, type JsonObject } from "../json/mod.ts";
import { parseDocuments, type YamlDocument } from "../yaml/mod.ts";
import type { SimulationTexts, TextName } from "./texts.ts";

/** The given objects, values and answers that replace a cluster, its users and the services that policies call. */
export interface GivenContext {
  /** Objects of the cluster. */
  readonly objects: readonly JsonObject[];
  readonly values: Values;
  /** Whether a Values document exists. */
  readonly hasValues: boolean;
  readonly user: GivenUser | undefined;
  readonly apiCallResponses: readonly JsonObject[];
  readonly globalContextEntries: readonly JsonObject[];
  readonly images: readonly JsonObject[];
}

/** Reads the texts of the context. A problem of a text is a diagnostic with the text's name as its file. */
export function readContext(
  texts: SimulationTexts,
): { readonly context: GivenContext; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const documentsOf = (name: TextName): readonly YamlDocument[] => {
    const parsed = parseDocuments(texts[name], name);
    diagnostics.push(...parsed.diagnostics);
    return parsed.documents;
  };
  const single = (name: TextName): JsonObject | undefined => {
    const [first, second] = documentsOf(name);
    if (second !== undefined) {
      const message = "Only the first document counts here";
      diagnostics.push({
        severity: "warning",
        code: "more-documents",
        message,
        position: second.positionOf([]),
      });
    }
    if (first === undefined || isObject(first.value)) return asObject(first?.value);
    const message = "This must be one YAML document with fields";
    diagnostics.push({ severity: "error", code: "wrong-type", message, position: first.positionOf([]) });
    return undefined;
  };
  const values = single("values");
  const user = single("user");
  const answers = single("answers") ?? {};
  const list = (name: string): readonly JsonObject[] => asList(answers[name]).filter(isObject);
  return {
    context: {
      objects: manifestObjects(documentsOf("cluster")),
      values: values === undefined ? noValues : readValues(values),
      hasValues: values !== undefined,
      user: user === undefined ? undefined : readUser(user),
      apiCallResponses: list("apiCallResponses"),
      globalContextEntries: list("globalContextEntries"),
      images: list("images"),
    },
    diagnostics,
  };
}
