import { join } from "node:path";
import { compileWildcard } from "../../../lib/kube/mod.ts";
import { checkText, type ConformanceSet, jsonLines } from "../set.ts";

interface WildcardRow {
  readonly pattern: string;
  readonly text: string;
  readonly match: boolean;
}

/** Wildcard patterns over whole texts. */
export const wildcard: ConformanceSet = {
  name: "matrix/wildcard",
  goals: {},
  *rows(corpus) {
    for (const { line, row } of jsonLines<WildcardRow>(join(corpus, "matrix/wildcard.jsonl"))) {
      const { pattern, text, match } = row;
      const check = () => [checkText("match", String(match), String(compileWildcard(pattern)(text)))];
      yield { id: String(line), input: `${pattern} ${text}`, check };
    }
  },
};
