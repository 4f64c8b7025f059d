/** A path in a document: object keys and list indexes from its root. */
export type DocumentPath = readonly (string | number)[];

/** The path as text: `spec.rules[0].name`; empty for the document itself. */
export function documentPathText(path: DocumentPath): string {
  let text = "";
  for (const step of path) text += typeof step === "number" ? `[${step}]` : text === "" ? step : `.${step}`;
  return text;
}
