import { operatorNotes } from "../../lib/condition/mod.ts";
import { code, codeIn, type Page, table } from "./page.ts";

/** Every operator of conditions, with examples that tests evaluate. */
export function operatorPage(): Page {
  const parts = Object.entries(operatorNotes).map(([name, { about, examples }]) => {
    const rows = examples.map(([key, value, holds]) => [
      code(JSON.stringify(key)),
      code(JSON.stringify(value)),
      holds ? "holds" : "does not hold",
    ]);
    return [`## ${name}`, codeIn(about), table(["key", "value", ""], rows)].join("\n\n");
  });
  return {
    path: "reference/operators.md",
    section: "Reference",
    title: "Operators",
    text: [
      "# Operators of conditions",
      "Preconditions, deny conditions, attestations and exceptions have these. Write their names as they stand here.",
      ...parts,
    ].join("\n\n") + "\n",
  };
}
