import { documentObjects } from "../apply/mod.ts";
import type { Diagnostic, Position } from "../diagnostics/mod.ts";
import { asString, dig, field, isObject, type Json, type JsonObject, textField } from "../json/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";

/** An input that the simulation applies policies to. */
export type SimulatedInput =
  | { readonly kind: "object"; readonly value: JsonObject; readonly positionOf: PositionOf }
  | { readonly kind: "review"; readonly value: JsonObject; readonly positionOf: PositionOf }
  /** JSON that is no Kubernetes object. */
  | { readonly kind: "payload"; readonly value: Json; readonly positionOf: PositionOf };

/** Returns the position of a part of an input in the text of the resources. */
export type PositionOf = (path: readonly (string | number)[]) => Position;

/** The name of an input in lists. */
export interface InputName {
  /** Empty for JSON that is no Kubernetes object. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly operation: string;
}

/** The inputs in documents, and a diagnostic for each part of a document that is not one. */
export function inputsOf(
  documents: readonly YamlDocument[],
): { readonly inputs: readonly SimulatedInput[]; readonly diagnostics: readonly Diagnostic[] } {
  const diagnostics: Diagnostic[] = [];
  const inputs = documents.flatMap((document): readonly SimulatedInput[] => {
    const { value, positionOf } = document;
    const kind = textField(value, "kind");
    if (!isObject(value) || kind === "") {
      return [{ kind: "payload", value, positionOf: (path) => positionOf(path) }];
    }
    if (kind === "AdmissionReview") {
      const below = ["request", field(value["request"], "object") ? "object" : "oldObject"];
      return [{ kind: "review", value, positionOf: (path) => positionOf([...below, ...path]) }];
    }
    const found = documentObjects(document);
    diagnostics.push(...found.diagnostics);
    return found.objects.map(({ object, positionOf: inner }): SimulatedInput => ({
      kind: "object",
      value: object,
      positionOf: inner ?? ((path) => positionOf(path)),
    }));
  });
  return { inputs, diagnostics };
}

/** The name of an input: its metadata, or its number for JSON that is not an object. */
export function nameOfInput({ kind, value }: SimulatedInput, index: number): InputName {
  const request = kind === "review" ? field(value, "request") : undefined;
  const object = request === undefined
    ? value
    : field(request, "object") ?? field(request, "oldObject") ?? null;
  const text = (...path: string[]): string => asString(dig(object, ...path)) ?? "";
  if (kind === "payload") return { kind: "", namespace: "", name: `document ${index + 1}`, operation: "" };
  return {
    kind: text("kind") || (asString(dig(request ?? null, "kind", "kind")) ?? ""),
    namespace: text("metadata", "namespace") || textField(request, "namespace"),
    name: text("metadata", "name") || `${text("metadata", "generateName")}…`,
    operation: asString(field(request, "operation")) ?? "CREATE",
  };
}
