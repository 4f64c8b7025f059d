/** An editor for YAML: one view, whose text and marks are set from outside. */
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension, StateEffect, StateField } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import type { Diagnostic } from "../../../lib/diagnostics/mod.ts";
import { completePolicy } from "./completion.ts";
import { markOf } from "./diagnostics.ts";
import { hoverNotes } from "./hover.ts";
import { editorTheme } from "./theme.ts";

/** The options of an editor. */
export interface CodeEditorOptions {
  readonly parent: HTMLElement;
  readonly text: string;
  /** The name that screen readers read aloud. */
  readonly label: string;
  readonly placeholder?: string;
  /** Whether fields and functions of policies are suggested and explained. */
  readonly suggests: boolean;
  readonly isReadOnly?: boolean;
  readonly onChange: (text: string) => void;
}

/** An editor on the page. */
export interface CodeEditor {
  setText(text: string): void;
  setDiagnostics(diagnostics: readonly Diagnostic[]): void;
  /** Marks lines, from 1, as the ones at which rules fail. */
  setFailingLines(lines: readonly number[]): void;
  /** Puts the cursor at a line and column, from 1, and shows it. */
  goTo(line: number, column: number): void;
  destroy(): void;
}

/** Makes an editor in an element. Tab indents; Escape, then Tab, leaves it. */
export function createCodeEditor(options: CodeEditorOptions): CodeEditor {
  let isQuiet = false;
  const view = new EditorView({
    parent: options.parent,
    state: EditorState.create({ doc: options.text, extensions: extensionsOf(options, () => isQuiet) }),
  });
  return {
    setText(text) {
      if (text === view.state.doc.toString()) return;
      isQuiet = true;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor: 0 },
      });
      isQuiet = false;
    },
    setDiagnostics(diagnostics) {
      const marks = diagnostics.map((diagnostic) => markOf(diagnostic, view.state.doc));
      view.dispatch(setDiagnostics(view.state, marks.sort((left, right) => left.from - right.from)));
    },
    setFailingLines(lines) {
      const shown = [...new Set(lines)].filter((line) => line >= 1 && line <= view.state.doc.lines);
      view.dispatch({ effects: failingLines.of(shown.sort((left, right) => left - right)) });
    },
    goTo(line, column) {
      const found = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
      const anchor = found.from + Math.min(column - 1, found.length);
      view.dispatch({
        selection: { anchor },
        effects: EditorView.scrollIntoView(anchor, { y: "center" }),
      });
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}

const failingLines = StateEffect.define<readonly number[]>();
const failingLine = Decoration.line({ class: "cm-failing" });

const failing = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { changes, effects, state }) {
    const set = effects.find((effect) => effect.is(failingLines));
    if (set === undefined) return marks.map(changes);
    const lines = set.value as readonly number[];
    return Decoration.set(lines.map((line) => failingLine.range(state.doc.line(line).from)));
  },
  provide: (field) => EditorView.decorations.from(field),
});

function extensionsOf(
  { label, placeholder: hint = "", suggests, isReadOnly = false, onChange }: CodeEditorOptions,
  isQuiet: () => boolean,
): Extension {
  const editing = isReadOnly ? [EditorState.readOnly.of(true)] : [
    history(),
    closeBrackets(),
    indentOnInput(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    autocompletion(suggests ? { override: [completePolicy], icons: false } : { override: [], icons: false }),
    lintGutter(),
    placeholder(hint),
  ];
  return [
    lineNumbers(),
    foldGutter({ openText: "⌄", closedText: "›" }),
    drawSelection(),
    bracketMatching(),
    highlightSelectionMatches(),
    yaml(),
    indentUnit.of("  "),
    EditorView.contentAttributes.of({
      "aria-label": label,
      "aria-description": "Tab indents. Press Escape, then Tab, to leave the editor.",
      spellcheck: "false",
      autocapitalize: "off",
      tabindex: "0",
    }),
    editorTheme,
    failing,
    ...(suggests ? [hoverNotes] : []),
    ...editing,
    keymap.of([
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...completionKeymap,
      ...lintKeymap,
      indentWithTab,
    ]),
    EditorView.updateListener.of((update) => {
      if (update.docChanged && !isQuiet()) onChange(update.state.doc.toString());
    }),
  ];
}
