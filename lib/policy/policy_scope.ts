import { asString, dig, type Json, textField } from "../json/mod.ts";
import { policyObjectKinds } from "./policy_object_kinds.ts";

/** The namespace of policies that hold in all namespaces. */
export const everywhere = "";

const namespacedKinds: ReadonlySet<string> = new Set(
  policyObjectKinds.filter(({ namespaced }) => namespaced).map(({ kind }) => kind),
);

/** The namespace in which the policies of a document hold. A list may have some of any kind. */
export function scopeOf(document: Json): string {
  const kind = textField(document, "kind");
  if (!namespacedKinds.has(kind)) return everywhere;
  return asString(dig(document, "metadata", "namespace")) ?? "default";
}
