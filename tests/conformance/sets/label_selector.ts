import { join } from "node:path";
import { isFault, type Json, type JsonObject } from "../../../lib/json/mod.ts";
import { compileLabelSelector } from "../../../lib/kube/mod.ts";
import { checkText, type ConformanceSet, jsonLines } from "../set.ts";

interface SelectorRow {
  readonly selector: Json;
  readonly labels: JsonObject;
  readonly match?: boolean;
  readonly error?: string;
}

/** Label selectors of policies, with wildcards. */
export const labelSelector: ConformanceSet = {
  name: "matrix/labelselector",
  goals: {},
  *rows(corpus) {
    for (const { line, row } of jsonLines<SelectorRow>(join(corpus, "matrix/labelselector.jsonl"))) {
      const check = () => {
        const selects = compileLabelSelector(row.selector, { wildcards: true });
        const actual = isFault(selects) ? "error" : String(selects(row.labels));
        return [checkText("match", row.error === undefined ? String(row.match) : "error", actual)];
      };
      yield { id: String(line), input: JSON.stringify([row.selector, row.labels]), check };
    }
  },
};
