/** The examples, to choose from. */
import { signal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { type Example, examples } from "../state/examples.ts";
import { announcement, load } from "../state/store.ts";

/** Whether the dialog is open. */
export const isChoosing = signal(false);

const loadedExamples = signal<readonly Example[]>([]);
const search = signal("");

/** Loads an example. */
export function openExample({ id, title, state }: Example): void {
  load(state, title, id);
  history.replaceState(null, "", `#e=${id}`);
  announcement.value = `Example ${title} is loaded`;
}

/** The dialog. */
export function ExamplesDialog(): JSX.Element {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (!isChoosing.value) return dialog.current?.close();
    dialog.current?.showModal();
    examples().then((all) => loadedExamples.value = all);
  }, [isChoosing.value]);
  const words = search.value.toLowerCase().split(/\s+/);
  const found = loadedExamples.value.filter(({ title, summary, section }) =>
    words.every((word) => `${section} ${title} ${summary}`.toLowerCase().includes(word))
  );
  const sections = [...new Set(found.map(({ section }) => section))];
  return (
    <dialog
      ref={dialog}
      class="examples"
      aria-labelledby="examples-title"
      onClose={() => isChoosing.value = false}
      onClick={({ target, currentTarget }) => target === currentTarget && (isChoosing.value = false)}
    >
      <header class="examples-head">
        <h2 id="examples-title">Examples</h2>
        <input
          type="search"
          aria-label="Search examples"
          placeholder="Search"
          value={search.value}
          onInput={({ currentTarget }) => search.value = currentTarget.value}
        />
        <button type="button" class="button" onClick={() => isChoosing.value = false}>Close</button>
      </header>
      <div class="examples-list" tabIndex={0} role="region" aria-label="All examples">
        {sections.map((section) => (
          <section key={section}>
            <h3>{section}</h3>
            <ul>
              {found.filter((example) => example.section === section).map((example) => (
                <li key={example.id}>
                  <button
                    type="button"
                    class="example"
                    data-example={example.id}
                    onClick={() => {
                      openExample(example);
                      isChoosing.value = false;
                    }}
                  >
                    <b>{example.title}</b>
                    <span>{example.summary}</span>
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
        {found.length === 0 && <p class="empty">No example has these words.</p>}
      </div>
    </dialog>
  );
}
