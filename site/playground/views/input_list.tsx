/** The objects that were checked: as many as people can look at, and a search for the rest. */
import { computed, signal } from "@preact/signals";
import type { JSX } from "preact";
import type { InputSummary } from "../../../lib/simulation/mod.ts";
import { selected, summaries } from "../state/store.ts";
import { inputText } from "./values.tsx";

/** How many objects are shown at first, and by each further step. */
const step = 50;

const shownCount = signal(step);
const search = signal("");
const which = signal<"all" | "refused" | "changed">("all");

const found = computed(() =>
  summaries.value.filter((summary) =>
    (which.value === "all" || (which.value === "refused" ? !summary.allowed : summary.changed)) &&
    inputText(summary.input).toLowerCase().includes(search.value.toLowerCase())
  )
);

/** The list; nothing for a single object. */
export function InputList(): JSX.Element | null {
  const all = summaries.value;
  if (all.length < 2) return null;
  const shown = found.value.slice(0, shownCount.value);
  const more = found.value.length - shown.length;
  return (
    <section class="subjects" aria-label="Objects">
      {all.length > 8 && (
        <div class="subjects-filter">
          <input
            type="search"
            aria-label="Search objects"
            placeholder="Search objects"
            value={search.value}
            onInput={({ currentTarget }) => {
              search.value = currentTarget.value;
              shownCount.value = step;
            }}
          />
          <select
            aria-label="Which objects"
            value={which.value}
            onChange={({ currentTarget }) => which.value = currentTarget.value as typeof which.value}
          >
            <option value="all">All</option>
            <option value="refused">Refused</option>
            <option value="changed">Changed</option>
          </select>
        </div>
      )}
      <ul class="subjects-list">
        {shown.map((summary) => <InputRow key={summary.index} summary={summary} />)}
      </ul>
      {more > 0 && (
        <button type="button" class="link" onClick={() => shownCount.value += step * 4}>
          Show more ({more} left)
        </button>
      )}
    </section>
  );
}

function InputRow({ summary: { index, input, allowed, changed, counts } }: {
  readonly summary: InputSummary;
}): JSX.Element {
  const isSelected = selected.value === index;
  return (
    <li>
      <button
        type="button"
        class={`subject ${allowed ? "subject-admitted" : "subject-refused"}`}
        aria-pressed={isSelected}
        onClick={() => selected.value = index}
      >
        <span class="subject-verdict">{allowed ? "admitted" : "refused"}</span>
        <span class="subject-name">{inputText(input)}</span>
        <span class="subject-counts">
          {changed && <span>changed</span>}
          {counts.fail > 0 && <span class="count-fail">{counts.fail} fail</span>}
          {counts.error > 0 && <span class="count-fail">{counts.error} error</span>}
          {counts.pass > 0 && <span>{counts.pass} pass</span>}
          {counts.skip > 0 && <span>{counts.skip} skip</span>}
        </span>
      </button>
    </li>
  );
}
