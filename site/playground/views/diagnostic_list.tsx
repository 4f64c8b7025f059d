/** What is wrong with the texts, as a list: for those who do not see the marks in the editors. */
import type { JSX } from "preact";
import type { Diagnostic } from "../../../lib/diagnostics/mod.ts";
import type { TextName } from "../../../lib/simulation/mod.ts";
import { contextText, pane } from "../state/store.ts";
import { goToPosition } from "./editor_pane.tsx";

/** Diagnostics, the severest first. */
export function DiagnosticList(
  { diagnostics }: { readonly diagnostics: readonly Diagnostic[] },
): JSX.Element | null {
  if (diagnostics.length === 0) return null;
  const order = ["error", "warning", "info"];
  const sorted = diagnostics.toSorted((left, right) =>
    order.indexOf(left.severity) - order.indexOf(right.severity)
  );
  return (
    <ul class="diagnostics" aria-label="Problems in the texts">
      {sorted.map((diagnostic, index) => <DiagnosticRow key={index} diagnostic={diagnostic} />)}
    </ul>
  );
}

function DiagnosticRow({ diagnostic }: { readonly diagnostic: Diagnostic }): JSX.Element {
  const { severity, code, message, hint, position } = diagnostic;
  return (
    <li class={`diagnostic diagnostic-${severity}`} data-code={code}>
      <span class="diagnostic-severity">{severity}</span>
      <div>
        {message}
        {hint !== undefined && <span class="aside">{hint}</span>}
      </div>
      {position !== undefined && (
        <button type="button" class="link" onClick={() => showPosition(position)}>
          {position.file}:{position.line}
        </button>
      )}
    </li>
  );
}

/** Shows a position in its editor, wherever that is. */
function showPosition({ file, line, column }: NonNullable<Diagnostic["position"]>): void {
  const name = file as TextName;
  if (name === "policies" || name === "resources") pane.value = name;
  else {
    pane.value = "context";
    contextText.value = name;
  }
  // The editor of another text is on the page only after the next rendering.
  setTimeout(() => goToPosition(name, line, column));
}
