import { join } from "node:path";
import { goJson, isFault, type Json } from "../../../lib/json/mod.ts";
import { parseJsonPatch } from "../../../lib/patch/mod.ts";
import { checkText, type ConformanceSet, jsonLines } from "../set.ts";

interface JsonPatchRow {
  readonly patch: string;
  readonly resource: Json;
  readonly result?: Json;
  readonly error?: string;
}

/** `mutate.patchesJson6902`; `error` compares the whole text of errors. */
export const json6902: ConformanceSet = {
  name: "matrix/json6902",
  goals: { result: 0.995, error: 0.995 },
  *rows(corpus) {
    for (const { line, row } of jsonLines<JsonPatchRow>(join(corpus, "matrix/json6902.jsonl"))) {
      yield {
        id: String(line),
        input: `${JSON.stringify(row.patch)} on ${JSON.stringify(row.resource)}`,
        check: () => {
          const patch = parseJsonPatch(row.patch);
          const result = isFault(patch) ? patch : patch.apply(row.resource);
          const actual = isFault(result) ? "error" : goJson(result);
          const checks = [
            checkText("result", row.error === undefined ? goJson(row.result!) : "error", actual),
          ];
          if (row.error !== undefined && isFault(result)) {
            checks.push(checkText("error", row.error, result.message));
          }
          return checks;
        },
      };
    }
  },
};
