import { join } from "node:path";
import { goJson, isFault, type Json, type JsonObject } from "../../../lib/json/mod.ts";
import { planStrategicMerge } from "../../../lib/patch/mod.ts";
import { checkText, type ConformanceSet, jsonLines } from "../set.ts";

interface StrategicRow {
  readonly patch: Json;
  readonly resource: JsonObject;
  readonly result: Json;
  readonly unchanged?: boolean;
}

/** `mutate.patchStrategicMerge` after variables. */
export const strategic: ConformanceSet = {
  name: "matrix/strategic",
  goals: { result: 0.995, unchanged: 0.995 },
  *rows(corpus) {
    for (const { line, row } of jsonLines<StrategicRow>(join(corpus, "matrix/strategic.jsonl"))) {
      yield {
        id: String(line),
        input: `${JSON.stringify(row.patch)} on ${JSON.stringify(row.resource)}`,
        check: () => {
          const plan = planStrategicMerge(row.patch);
          const result = isFault(plan) ? plan : plan.apply(row.resource);
          const actual = isFault(result) ? `error: ${result.message}` : goJson(result);
          return [
            checkText("result", goJson(row.result), actual),
            checkText("unchanged", String(row.unchanged ?? false), String(result === row.resource)),
          ];
        },
      };
    }
  },
};
