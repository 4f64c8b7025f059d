import { asString, dig, field, type Json } from "../json/mod.ts";

/** The namespace of policies that hold in all namespaces. */
export const everywhere = "";

const namespacedKinds: ReadonlySet<string> = new Set(["Policy", "PolicyException", "CleanupPolicy"]);

/** The namespace in which the policies of a document hold. A list may have some of any kind. */
export function scopeOf(document: Json): string {
  const kind = asString(field(document, "kind")) ?? "";
  if (!namespacedKinds.has(kind) && !kind.startsWith("Namespaced")) return everywhere;
  return asString(dig(document, "metadata", "namespace")) ?? "default";
}
