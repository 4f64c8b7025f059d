import {
  asObject,
  asString,
  asTexts,
  field,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import type { GivenUser } from "./resource_request.ts";

/** Parses a UserInfo document of cli.kyverno.io. */
export function readUser(document: Json): GivenUser {
  const userInfo = asObject(field(document, "userInfo")) ?? {};
  return {
    userInfo,
    requester: {
      username: asString(userInfo["username"]) ?? "",
      groups: asTexts(userInfo["groups"]),
      roles: asTexts(field(document, "roles")),
      clusterRoles: asTexts(field(document, "clusterRoles")),
    },
  };
}

/** The objects of a document: the items of a list and of the lists in it, or the document itself. */
export function openList(value: Json): JsonObject[] {
  if (!isObject(value)) return [];
  return itemsOf(value)?.flatMap(openList) ?? [value];
}

/** The items of a list of objects, which may be lists again; `undefined` for another value. */
export function itemsOf(value: Json): readonly Json[] | undefined {
  if (!isObject(value) || !(asString(value["kind"]) ?? "").endsWith("List")) return undefined;
  const items = value["items"] ?? null;
  return isList(items) ? items : undefined;
}
