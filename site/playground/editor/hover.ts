/** Shows the description of the field or function under the pointer. */
import { hoverTooltip, type Tooltip } from "@codemirror/view";
import { languageNotes } from "./language_notes.ts";
import { schemaAt, typeText, valuesOf } from "./schema.ts";
import { yamlPositionAt } from "./yaml_path.ts";

/** Explains the field or function under the pointer. */
export const hoverNotes = hoverTooltip((view, position): Tooltip | null => {
  const line = view.state.doc.lineAt(position);
  const column = position - line.from;
  const from = column - /(?<![\w.-])[\w.-]*$/.exec(line.text.slice(0, column))![0].length;
  const word = /^[\w.-]*/.exec(line.text.slice(from))![0];
  if (word === "") return null;
  const note = functionNote(line.text, from, word) ??
    fieldNote(view.state.doc.toString(), line.number - 1, { text: line.text, from, word });
  if (note === undefined) return null;
  return {
    pos: line.from + from,
    end: line.from + from + word.length,
    above: true,
    create: () => ({ dom: note }),
  };
});

function functionNote(line: string, from: number, word: string): HTMLElement | undefined {
  const isCall = line.slice(from + word.length).startsWith("(");
  const found = isCall ? languageNotes().functions.find(({ name }) => name === word) : undefined;
  return found && noteOf(found.signature, [found.summary, found.example && `Example: ${found.example}`]);
}

function fieldNote(
  text: string,
  number: number,
  { text: line, from, word }: { readonly text: string; readonly from: number; readonly word: string },
): HTMLElement | undefined {
  if (!/^["']?\s*:/.test(line.slice(from + word.length)) || /:\s/.test(line.slice(0, from))) return undefined;
  const { path, kind } = yamlPositionAt(text, number, from);
  const schema = schemaAt(languageNotes().schemas[kind], [...path, word]);
  if (schema === undefined) return undefined;
  const values = valuesOf(schema);
  const name = [...path, word].join(".").replaceAll(".[]", "[]");
  return noteOf(`${name}: ${typeText(schema)}`, [
    schema.description ?? "",
    values.length === 0 ? "" : `One of ${values.join(", ")}`,
  ]);
}

function noteOf(title: string, lines: readonly string[]): HTMLElement {
  const dom = document.createElement("div");
  dom.className = "note";
  const heading = document.createElement("code");
  heading.textContent = title;
  dom.append(heading);
  for (const line of lines.filter(Boolean)) {
    const paragraph = document.createElement("p");
    paragraph.textContent = line;
    dom.append(paragraph);
  }
  return dom;
}
