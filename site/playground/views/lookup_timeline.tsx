/** What policies looked up, one after the other. */
import type { JSX } from "preact";
import type { ObservedLookup } from "../../../lib/simulation/mod.ts";

/** Look-ups on a line of time. */
export function LookupTimeline({ lookups }: { readonly lookups: readonly ObservedLookup[] }): JSX.Element {
  const end = Math.max(...lookups.map(({ begin, milliseconds }) => begin + milliseconds), 0.001);
  return (
    <ol class="timeline">
      {lookups.map(({ source, what, begin, milliseconds, answer, failure }, index) => (
        <li key={index} class={failure === undefined ? "lookup" : "lookup lookup-failed"}>
          <div class="lookup-head">
            <span class="lookup-source">{source}</span>
            <code>{what}</code>
            <span class="lookup-time">{begin.toFixed(1)} ms</span>
          </div>
          <div class="lookup-bar" aria-hidden="true">
            <span
              style={{
                left: `${100 * begin / end}%`,
                width: `${Math.max(1, 100 * milliseconds / end)}%`,
              }}
            />
          </div>
          {failure !== undefined ? <p class="lookup-failure">{failure}</p> : (
            <details>
              <summary>Answer</summary>
              <pre tabIndex={0}>{JSON.stringify(answer, null, 2)}</pre>
            </details>
          )}
        </li>
      ))}
    </ol>
  );
}
