import { existsSync } from "node:fs";
import { join } from "node:path";
import { isFault } from "../../../lib/json/mod.ts";
import { goYaml, parseYaml } from "../../../lib/yaml/mod.ts";
import { checkText, type ConformanceSet, jsonLines } from "../set.ts";

interface AdmissionCase {
  readonly response: { readonly status?: { readonly message?: string } };
}

const marker = "was blocked due to the following policies \n\n";

/** The YAML in messages about blocked requests: read and printed again, it is the same text. */
export const goyaml: ConformanceSet = {
  name: "goyaml",
  goals: {},
  *rows(corpus) {
    const admission = join(corpus, "admission");
    for (const { name } of [...Deno.readDirSync(admission)].sort((a, b) => a.name < b.name ? -1 : 1)) {
      const cases = join(admission, name, "cases.jsonl");
      if (!existsSync(cases)) continue;
      for (const { line, row } of jsonLines<AdmissionCase>(cases)) {
        const message = row.response.status?.message ?? "";
        const start = message.indexOf(marker);
        if (start < 0) continue;
        const text = message.slice(start + marker.length);
        const check = () => {
          const value = parseYaml(text);
          return [checkText("text", text, isFault(value) ? value.message : goYaml(value))];
        };
        yield { id: `${name}:${line}`, input: text.slice(0, 80), check };
      }
    }
  },
};
