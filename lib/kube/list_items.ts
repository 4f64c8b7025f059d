import { asString, field, isList, type Json } from "../json/mod.ts";

/**
 * The objects of a list answer; `undefined` when the answer is not a list, such as the page of a proxy before the API
 * server: a caller that takes it for an empty list removes everything. An empty list may come without items, or with
 * null.
 */
export function itemsOf(list: Json): readonly Json[] | undefined {
  const items = field(list, "items") ?? null;
  if (isList(items)) return items;
  return items === null && asString(field(list, "kind"))?.endsWith("List") === true ? [] : undefined;
}
