/** An editor for one of the texts. */
import { effect } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { TextName } from "../../../lib/simulation/mod.ts";
import { type CodeEditor, createCodeEditor } from "../editor/code_editor.ts";
import { diagnostics, exampleTitle, failures, setText, texts } from "../state/store.ts";

/** The editors on the page, for those who want to show a position in one. */
const editors = new Map<TextName, CodeEditor>();

/** Shows a position in a text, when its editor is on the page. */
export function goToPosition(name: TextName, line: number, column: number): void {
  editors.get(name)?.goTo(line, column);
}

/** What is written into an empty editor. */
export interface EditorPaneProps {
  readonly name: TextName;
  readonly label: string;
  readonly hint: string;
}

/**
 * The editor of a text. Its marks are the engine's diagnostics; in the resources, also the positions at which rules
 * fail.
 */
export function EditorPane({ name, label, hint }: EditorPaneProps): JSX.Element {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const editor = createCodeEditor({
      parent: parent.current!,
      text: texts.peek()[name],
      label,
      placeholder: hint,
      suggests: name === "policies" || name === "exceptions",
      onChange: (text) => {
        exampleTitle.value = undefined;
        setText(name, text);
      },
    });
    editors.set(name, editor);
    const ends = [
      effect(() => editor.setText(texts.value[name])),
      effect(() => {
        editor.setDiagnostics(
          diagnostics.value.filter(({ position }) =>
            position === undefined ? name === "policies" : position.file === name
          ),
        );
      }),
      effect(() => {
        const failing = name === "resources" ? failures.value.map(({ position }) => position.line) : [];
        editor.setFailingLines(failing);
      }),
    ];
    return () => {
      for (const end of ends) end();
      editors.delete(name);
      editor.destroy();
    };
  }, [name]);
  return <div class="editor" ref={parent} />;
}
