import { join } from "node:path";
import { goJson, isFault, type Json } from "../../../lib/json/mod.ts";
import { parseYaml } from "../../../lib/yaml/mod.ts";
import { checkText, type ConformanceSet, jsonLines } from "../set.ts";

interface YamlRow {
  readonly yaml: string;
  readonly json?: string;
  readonly error?: string;
}

/** YAML to JSON. Both sides are compared as doubles: JSON here has no integers beyond 2^53. */
export const yaml: ConformanceSet = {
  name: "matrix/yaml",
  goals: { json: 0.995 },
  *rows(corpus) {
    for (const { line, row } of jsonLines<YamlRow>(join(corpus, "matrix/yaml.jsonl"))) {
      const check = () => {
        const value = parseYaml(row.yaml);
        const expected = row.json === undefined ? "error" : goJson(JSON.parse(row.json) as Json);
        return [checkText("json", expected, isFault(value) ? "error" : goJson(value))];
      };
      yield { id: String(line), input: JSON.stringify(row.yaml), check };
    }
  },
};
