import type { PolicyRequest } from "../engine/mod.ts";
import { dig } from "../json/mod.ts";
import { cloneSourceLabel, ownerOf } from "../rules/mod.ts";
import type { Change } from "./synchronize.ts";

/**
 * The change of a generated object, or of a source of clones, that a request makes; `undefined` for other requests.
 * The old object decides, so that removing its labels does not hide a change.
 */
export function changeOf({ operation, oldObject, subresource }: PolicyRequest): Change | undefined {
  if (oldObject === undefined || subresource !== "") return undefined;
  const isFollowed = ownerOf(oldObject) !== undefined ||
    dig(oldObject, "metadata", "labels", cloneSourceLabel) === "";
  if (!isFollowed || (operation !== "UPDATE" && operation !== "DELETE")) return undefined;
  return { object: oldObject, state: operation === "DELETE" ? "deleted" : "present" };
}
