import {
  asList,
  asObject,
  asString,
  asTexts,
  field,
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

/** The objects of a document: a list's items, or the document itself. */
export function openList(value: Json): JsonObject[] {
  if (!isObject(value)) return [];
  const items = field(value, "items");
  const isListKind = (asString(value["kind"]) ?? "").endsWith("List");
  return isListKind && Array.isArray(items) ? asList(items).filter(isObject) : [value];
}
