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
  const reader = new ContextReader(texts);
  const values = reader.checked("values", checkValues), user = reader.checked("user", checkUser);
  const answers = reader.single("answers").value ?? {};
  const list = (name: string): readonly JsonObject[] => asList(answers[name]).filter(isObject);
  return {
    context: {
      objects: manifestObjects(reader.documents("cluster")),
      values: values === undefined ? noValues : readValues(values),
      hasValues: values !== undefined,
      user: user === undefined ? undefined : readUser(user),
      apiCallResponses: list("apiCallResponses"),
      globalContextEntries: list("globalContextEntries"),
      images: list("images"),
    },
    diagnostics: reader.diagnostics,
  };
}

/** Reads texts as YAML, and collects their problems. */
class ContextReader {
  readonly diagnostics: Diagnostic[] = [];
  readonly #texts: SimulationTexts;

  constructor(texts: SimulationTexts) {
    this.#texts = texts;
  }

  /** The documents of a text. */
  documents(name: TextName): readonly YamlDocument[] {
    const { documents, diagnostics } = parseDocuments(this.#texts[name], name);
    this.diagnostics.push(...diagnostics);
    return documents;
  }

  /** The object of a text that should have one document; `undefined` when the text is empty or no object. */
  single(name: TextName): { readonly value: JsonObject | undefined; readonly locate: Locate } {
    const [first, second] = this.documents(name);
    if (second !== undefined) {
      this.diagnostics.push({
        severity: "warning",
        code: "more-documents",
        message: "Only the first document counts here",
        position: second.positionOf([]),
      });
    }
    if (first !== undefined && !isObject(first.value)) {
      this.diagnostics.push({
        severity: "error",
        code: "wrong-type",
        message: "This must be one YAML document with fields",
        position: first.positionOf([]),
      });
    }
    return { value: asObject(first?.value), locate: (path) => first?.positionOf(path) };
  }

  /** The object of a text after a check; `undefined` when the text is empty or the check refuses it. */
  checked(name: TextName, check: typeof checkValues): Json | undefined {
    const { value, locate } = this.single(name);
    if (value === undefined) return undefined;
    const given = check(value, locate);
    this.diagnostics.push(...given.diagnostics);
    return given.value;
  }
}
