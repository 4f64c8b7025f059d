import { type PathDiagnostic, withPosition } from "../../diagnostics/mod.ts";
import {
  asList,
  asString,
  type DocumentPath,
  field,
  isGiven,
  isObject,
  type Json,
  type JsonObject,
  textField,
} from "../../json/mod.ts";
import {
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelKeyProblem,
  labelValueProblem,
} from "../../kube/mod.ts";
import type { Policy } from "../../policy/mod.ts";
import { refusal } from "./refusal.ts";

/** Returns why the API server would refuse a policy's metadata, as it would any object's: capitals in a name. */
export function metadataRefusals(
  { document, locate, name: policy }: Pick<Policy, "document" | "locate" | "name">,
): PathDiagnostic[] {
  const metadata = document["metadata"];
  const found = [
    ...inName("name", { metadata, problems: dnsSubdomainProblems }),
    ...inName("namespace", { metadata, problems: dnsLabelProblems }),
    ...inTexts(field(metadata, "labels"), ["metadata", "labels"], {
      key: labelKeyProblem,
      value: labelValueProblem,
    }),
    ...inTexts(field(metadata, "annotations"), ["metadata", "annotations"], annotations),
    ...tooManyAnnotations(field(metadata, "annotations")),
    ...inFinalizers(field(metadata, "finalizers")),
    ...inOwners(field(metadata, "ownerReferences")),
  ];
  return found.map((each) => ({ ...withPosition(each, locate), path: each.path, policy }));
}

function inName(
  key: "name" | "namespace",
  { metadata, problems }: { metadata: Json | undefined; problems(text: string): readonly string[] },
): PathDiagnostic[] {
  const text = textField(metadata, key);
  return text === ""
    ? []
    : problems(text).map((problem) => refusal(["metadata", key], `"${text}": ${problem}`));
}

/** The most bytes of all annotations of an object, as the API server counts them. */
const mostAnnotationBytes = 256 * 1024;

function tooManyAnnotations(texts: Json | undefined): PathDiagnostic[] {
  if (!isObject(texts ?? null)) return [];
  const encoder = new TextEncoder();
  let bytes = 0;
  for (const [key, value] of Object.entries(texts as JsonObject)) {
    bytes += encoder.encode(key).length + encoder.encode(asString(value) ?? "").length;
  }
  return bytes <= mostAnnotationBytes ? [] : [
    refusal(["metadata", "annotations"], `Too long: may not be more than ${mostAnnotationBytes} bytes`),
  ];
}

function inFinalizers(finalizers: Json | undefined): PathDiagnostic[] {
  return asList(finalizers).flatMap((each, index) => {
    const text = asString(each);
    const problem = text === undefined ? "it is no text" : labelKeyProblem(text);
    return problem === undefined
      ? []
      : [refusal(["metadata", "finalizers", index], `"${text ?? ""}": ${problem}`)];
  });
}

/** An owner has four texts, is no Event, and at most one of several is the controller. */
function inOwners(owners: Json | undefined): PathDiagnostic[] {
  const path: DocumentPath = ["metadata", "ownerReferences"];
  const controllers = asList(owners).filter((owner) => field(owner, "controller") === true);
  const found = asList(owners).flatMap((owner, index) => {
    const missing = ["apiVersion", "kind", "name", "uid"].filter((key) => textField(owner, key) === "");
    if (missing.length > 0) return [refusal([...path, index], `${missing.join(", ")} must not be empty`)];
    const isEvent = field(owner, "apiVersion") === "v1" && field(owner, "kind") === "Event";
    return isEvent ? [refusal([...path, index], "/v1, Kind=Event is disallowed from being an owner")] : [];
  });
  return controllers.length < 2
    ? found
    : [...found, refusal(path, "Only one reference can have Controller set to true")];
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
