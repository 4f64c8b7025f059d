import { kindNeed, type Need } from "../context/mod.ts";
import { hasVariables } from "../template/mod.ts";
import type { ObjectType } from "./rule_kind.ts";

/** The rights to create, update and delete objects of some types. */
export function downstreamNeeds(types: readonly ObjectType[]): readonly Need[] {
  return types.filter(({ kind }) => kind !== "").map((type) =>
    hasVariables(type.apiVersion + type.kind)
      ? { kind: "unknown", what: "what kind of objects it generates" }
      : kindNeed(type, ["create", "delete", "get", "list", "patch", "update"])
  );
}
