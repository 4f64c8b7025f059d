import { type PathDiagnostic, withPosition } from "../diagnostics/mod.ts";
import { asString, type DocumentPath, field, isGiven, isObject, type Json } from "../json/mod.ts";
import { dnsSubdomainProblems, labelKeyProblem, labelValueProblem } from "../kube/mod.ts";
import type { ClassicPolicy } from "../policy/mod.ts";
import { refusal } from "./refusal.ts";

/** The parts of a policy's metadata that the API server refuses in every object: its name, labels and annotations. */
export function metadataRefusals({ document, locate, name: policy }: ClassicPolicy): PathDiagnostic[] {
  const metadata = document["metadata"];
  const name = asString(field(metadata, "name")) ?? "";
  const problems = name === "" ? [] : dnsSubdomainProblems(name);
  const found = [
    ...problems.map((problem) => refusal(["metadata", "name"], `"${name}": ${problem}`)),
    ...inTexts(field(metadata, "labels"), ["metadata", "labels"], {
      key: labelKeyProblem,
      value: labelValueProblem,
    }),
    ...inTexts(field(metadata, "annotations"), ["metadata", "annotations"], annotations),
  ];
  return found.map((each) => ({ ...withPosition(each, locate), path: each.path, policy }));
}

/** The syntax of the keys and values of a map: the reason why a text is wrong. */
interface Syntax {
  key(text: string): string | undefined;
  value(text: string): string | undefined;
}

/** Keys of annotations are like those of labels, with capitals in their prefixes; their values are free. */
const annotations: Syntax = { key: (text) => labelKeyProblem(text.toLowerCase()), value: () => undefined };

function inTexts(texts: Json | undefined, path: DocumentPath, syntax: Syntax): PathDiagnostic[] {
  if (!isGiven(texts)) return [];
  if (!isObject(texts)) return [refusal(path, "it is no map of texts")];
  return Object.entries(texts).flatMap(([key, value]) => {
    const below = [...path, key];
    const ofKey = syntax.key(key);
    if (ofKey !== undefined) return [refusal(below, `"${key}": ${ofKey}`)];
    if (!isGiven(value)) return [];
    const text = asString(value);
    if (text === undefined) return [refusal(below, "its value is no text", "write it in quotes")];
    const problem = syntax.value(text);
    return problem === undefined ? [] : [refusal(below, `"${text}": ${problem}`)];
  });
}
