/** How text looks in editors; the colours are those of the page's style sheet. */
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--code-key)" },
  { tag: [tags.string, tags.content], color: "var(--code-text)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword, tags.atom], color: "var(--code-value)" },
  { tag: [tags.comment, tags.lineComment], color: "var(--code-comment)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.separator, tags.meta], color: "var(--code-mark)" },
  { tag: [tags.typeName, tags.labelName], color: "var(--code-value)" },
]);

const layout = EditorView.theme({
  "&": { height: "100%", fontSize: "var(--code-size)", color: "var(--ink)", backgroundColor: "transparent" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflow: "auto" },
  ".cm-content": { padding: "0.6rem 0 3rem", caretColor: "var(--accent)" },
  ".cm-gutters": { backgroundColor: "transparent", border: "none", color: "var(--faint)" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2.4em", padding: "0 0.5em 0 0.3em" },
  ".cm-activeLine": { backgroundColor: "var(--line-now)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--quiet)" },
  "&.cm-focused": { outline: "none" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "var(--selection)",
  },
  ".cm-failing": { backgroundColor: "var(--fail-wash)", boxShadow: "inset 3px 0 var(--fail)" },
  ".cm-tooltip": {
    backgroundColor: "var(--raised)",
    color: "var(--ink)",
    border: "1px solid var(--edge)",
    borderRadius: "6px",
    boxShadow: "var(--shadow)",
    fontFamily: "var(--sans)",
    fontSize: "0.82rem",
    maxWidth: "34rem",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", maxHeight: "16em" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "0.15rem 0.6rem" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--accent)",
    color: "var(--on-accent)",
  },
  ".cm-completionDetail": { color: "inherit", opacity: "0.75", fontStyle: "normal", marginLeft: "0.8em" },
  ".cm-diagnostic": { padding: "0.4rem 0.7rem", whiteSpace: "pre-wrap", borderLeftWidth: "3px" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--fail)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--warn)" },
  ".cm-diagnostic-info": { borderLeftColor: "var(--skip)" },
  ".cm-diagnosticAction": {
    backgroundColor: "var(--accent)",
    color: "var(--on-accent)",
    borderRadius: "4px",
    padding: "0.15rem 0.5rem",
    marginLeft: "0.6rem",
    font: "inherit",
  },
  ".cm-panels": { backgroundColor: "var(--raised)", color: "var(--ink)" },
  ".cm-panels-bottom": { borderTop: "1px solid var(--edge)" },
  ".cm-panel.cm-panel-lint ul [aria-selected]": { backgroundColor: "var(--line-now)", color: "var(--ink)" },
  ".cm-placeholder": { color: "var(--quiet)" },
  ".cm-foldPlaceholder": { backgroundColor: "var(--line-now)", border: "none", color: "var(--quiet)" },
});

/** The look of all editors. */
export const editorTheme = [layout, syntaxHighlighting(colours)];
