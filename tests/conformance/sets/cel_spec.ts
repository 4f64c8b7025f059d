import type { ConformanceSet, Row } from "../set.ts";
import { type SpecCase, specCases } from "../../cel/spec_cases.ts";

/** The specification's own conformance tests, from the npm package that carries them: no corpus is needed. */
export const celSpec: ConformanceSet = {
  name: "cel-spec",
  goals: { result: 0.99 },
  *rows(): Iterable<Row> {
    for (const test of specCases()) yield row(test);
  },
};

function row(test: SpecCase): Row {
  return { id: test.id, input: test.text, check: () => [{ aspect: "result", ...test.run() }] };
}
