import { join } from "node:path";
import { goJson, isFault, type Json } from "../../../lib/json/mod.ts";
import { parseImage } from "../../../lib/kube/mod.ts";
import { checkText, type ConformanceSet, jsonLines } from "../set.ts";

interface ImageRow {
  readonly image: string;
  readonly result?: Json;
  readonly error?: string;
}

/** Image references. */
export const image: ConformanceSet = {
  name: "matrix/image",
  goals: {},
  *rows(corpus) {
    for (const { line, row } of jsonLines<ImageRow>(join(corpus, "matrix/image.jsonl"))) {
      const check = () => {
        const parsed = parseImage(row.image);
        const actual = isFault(parsed) ? parsed.message : goJson(parsed);
        return [checkText("result", row.error ?? goJson(row.result!), actual)];
      };
      yield { id: String(line), input: row.image, check };
    }
  },
};
