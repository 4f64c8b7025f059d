import { kindNeed, type Need } from "../context/mod.ts";
import type { ObjectType } from "./rule_kind.ts";

/** The rights to make objects of some types, to keep them in step and to take them away. */
export function downstreamNeeds(types: readonly ObjectType[]): readonly Need[] {
  return types.filter(({ kind }) => kind !== "").map((type) =>
    hasVariables(type.apiVersion + type.kind)
      ? { kind: "unknown", what: "what kind of objects it generates" }
      : kindNeed(type, ["create", "delete", "get", "list", "patch", "update"])
  );
}

/** Whether a text of a policy holds variables. */
export function hasVariables(text: string): boolean {
  return text.includes("{{") || text.includes("$(");
}
