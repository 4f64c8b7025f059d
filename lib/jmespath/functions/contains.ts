import { type Json, TextSearch } from "../../json/mod.ts";
import type { Cost } from "../steps.ts";
import { type FunctionRecord, parameter } from "./record.ts";

/** `contains` of a list or a string, whose elements are compared by `isSame`. */
export function containsBy(isSame: (element: Json, search: Json) => boolean, cost: Cost): FunctionRecord {
  return {
    kind: "plain",
    name: "contains",
    parameters: [parameter("subject", "array", "string"), parameter("search", "any")],
    returns: ["boolean"],
    cost,
    apply: ([subject, search]) =>
      typeof subject === "string"
        ? typeof search === "string" && new TextSearch(search).positionIn(subject) >= 0
        : (subject as readonly Json[]).some((element) => isSame(element, search!)),
  };
}
