/** The side-by-side comparison of two texts. */
import { yaml } from "@codemirror/lang-yaml";
import { MergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { editorTheme } from "./theme.ts";

/** Shows a comparison in an element, and returns what takes it away. */
export function showDifference(
  parent: HTMLElement,
  { before, after, label }: { readonly before: string; readonly after: string; readonly label: string },
): () => void {
  const extensions = (side: string): Extension => [
    lineNumbers(),
    yaml(),
    EditorState.readOnly.of(true),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": `${label}, ${side}` }),
    editorTheme,
  ];
  const view = new MergeView({
    parent,
    a: { doc: before, extensions: extensions("before") },
    b: { doc: after, extensions: extensions("after") },
    collapseUnchanged: { margin: 3, minSize: 6 },
  });
  return () => view.destroy();
}
