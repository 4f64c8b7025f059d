import {
  checkUser,
  checkValues,
  type GivenUser,
  manifestObjects,
  noValues,
  readUser,
  readValues,
  type Values,
} from "../apply/mod.ts";
import type { Diagnostic, Locate } from "../diagnostics/mod.ts";
import { asList, asObject, isObject, type Json, type JsonObject } from "../json/mod.ts";
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
  const single = (name: TextName): { readonly value: JsonObject | undefined; readonly locate: Locate } => {
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
    const locate: Locate = (path) => first?.positionOf(path);
    if (first === undefined || isObject(first.value)) return { value: asObject(first?.value), locate };
    const message = "This must be one YAML document with fields";
    diagnostics.push({ severity: "error", code: "wrong-type", message, position: first.positionOf([]) });
    return { value: undefined, locate };
  };
  const checked = (name: TextName, check: typeof checkValues): Json | undefined => {
    const { value, locate } = single(name);
    if (value === undefined) return undefined;
    const given = check(value, locate);
    diagnostics.push(...given.diagnostics);
    return given.value;
  };
  const values = checked("values", checkValues);
  const user = checked("user", checkUser);
  const answers = single("answers").value ?? {};
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
