import { policySchemas } from "../../lib/documents/mod.ts";
import { typeText, valuesOf } from "../playground/editor/schema.ts";
import type { Schema } from "../playground/editor/schema.ts";
import { code, type Page, table } from "./page.ts";

/** The kinds that have a page; others have the fields of one of these. */
const described: readonly (readonly [kind: string, also: string])[] = [
  ["ClusterPolicy", "Policy has the same fields."],
  ["PolicyException", ""],
  [
    "ValidatingPolicy",
    "MutatingPolicy, GeneratingPolicy, DeletingPolicy and their namespaced kinds share these fields; each reads those that " +
    "it has a use for.",
  ],
  ["ImageValidatingPolicy", "NamespacedImageValidatingPolicy has the same fields."],
];

/** Fields whose own fields are those of another, by the end of their paths. */
const likeOthers: readonly (readonly [end: RegExp, like: string])[] = [
  [/(match|exclude)\.all$/, "any"],
  [/rules\.exclude$/, "match"],
  [/foreach\.foreach$/, "foreach"],
  [/entries\.attestor$/, "a set of attestors"],
  [/attestations\.attestors$/, "attestors"],
];

/** Pages with every field of policies, made of the schemas that `postern schema` prints. */
export function fieldPages(): Page[] {
  return described.map(([kind, also]) => {
    const { properties } = policySchemas().get(kind) as unknown as Schema;
    const rows = [...rowsOf(properties!["spec"]!, ["spec"])];
    const text = [
      `# ${kind}`,
      `Every field of \`spec\`. \`postern schema ${kind}\` prints it as a JSON Schema, for editors. ${also}`
        .trim(),
      table(["field", "type", "what it means"], rows),
    ];
    return {
      path: `reference/fields/${kind.toLowerCase()}.md`,
      section: "Reference" as const,
      title: `Fields of ${kind}`,
      text: text.join("\n\n") + "\n",
    };
  });
}

function* rowsOf(schema: Schema, path: readonly string[]): Generator<string[]> {
  const properties = schema.properties ?? schema.items?.properties ?? {};
  for (const [name, field] of Object.entries(properties)) {
    const fieldPath = [...path, field.items === undefined ? name : `${name}[]`];
    const values = valuesOf(field).filter((value) => value !== "true" && value !== "false");
    const like = likeOthers.find(([end]) => end.test(fieldPath.join(".").replaceAll("[]", "")))?.[1];
    const notes = [
      field.description ?? "",
      values.length === 0 ? "" : `One of ${values.join(", ")}.`,
      like === undefined ? "" : `Fields as those of ${like}.`,
    ];
    yield [code(fieldPath.join(".")), typeText(field), plain(notes.filter(Boolean).join(" "))];
    if (like === undefined) yield* rowsOf(field, fieldPath);
  }
}

/** Text between backticks as code; braces of variables are no templates of the page. */
function plain(text: string): string {
  return text.replace(/`([^`]*)`/g, (_, inner: string) => code(inner));
}
