/** Diagnostics of the engine as marks in an editor, with what their hints propose as a fix. */
import type { Action, Diagnostic as Mark } from "@codemirror/lint";
import type { Text } from "@codemirror/state";
import type { Diagnostic } from "../../../lib/diagnostics/mod.ts";

/** The mark of a diagnostic in a text. */
export function markOf(diagnostic: Diagnostic, text: Text): Mark {
  const { severity, code, message, hint, position } = diagnostic;
  const line = text.line(Math.min(Math.max(position?.line ?? 1, 1), text.lines));
  const column = Math.min((position?.column ?? 1) - 1, line.length);
  const rest = line.text.slice(column);
  const length = /^(?:"[^"]*"|'[^']*'|[^\s:#,\]}]+)/.exec(rest)?.[0].length ?? rest.length;
  const from = line.from + column;
  const fix = fixOf(diagnostic, { text, from: line.from });
  return {
    from,
    to: Math.max(from + length, Math.min(from + 1, text.length)),
    severity,
    source: code,
    message: hint === undefined ? message : `${message}\n${hint}`,
    ...(fix !== undefined && { actions: [fix] }),
  };
}

/** Replaces the written text by the meant one, when it is still there. */
function fixOf(
  { replacement }: Diagnostic,
  { text, from }: { readonly text: Text; readonly from: number },
): Action | undefined {
  if (replacement === undefined) return undefined;
  const { written, meant } = replacement;
  if (find(text, from, written) === undefined) return undefined;
  return {
    name: `Replace by ${meant}`,
    apply: (view) => {
      // The text may have changed since: look again where it is now.
      const now = find(view.state.doc, Math.min(from, view.state.doc.length), written);
      if (now === undefined) return;
      view.dispatch({
        changes: { from: now, to: now + written.length, insert: meant },
        userEvent: "input.fix",
      });
      view.focus();
    },
  };
}

/** The index of a text, at a position or after it. */
function find(text: Text, from: number, written: string): number | undefined {
  const at = text.sliceString(from, Math.min(from + 4_000, text.length)).indexOf(written);
  return at < 0 ? undefined : from + at;
}
