import { field, isList, type Json } from "./json.ts";

/** A path in a document: object keys and list indexes from its root. */
export type DocumentPath = readonly (string | number)[];

/** The path as text: `spec.rules[0].name`; empty for the document itself. */
export function documentPathText(path: DocumentPath): string {
  let text = "";
  for (const step of path) text += typeof step === "number" ? `[${step}]` : text === "" ? step : `.${step}`;
  return text;
}

/** The value at a path, whose indexes may be text, as those of a pointer are; `undefined` when there is none. */
export function valueAtPath(document: Json | undefined, path: DocumentPath): Json | undefined {
  let value = document;
  for (const step of path) {
    value = isList(value)
      ? /^\d+$/.test(String(step)) ? value[Number(step)] : undefined
      : field(value, String(step));
  }
  return value;
}
