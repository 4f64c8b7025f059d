/** Tabs as the ARIA patterns describe them: arrow keys move between them, Tab goes into the panel. */
import type { ComponentChildren, JSX } from "preact";

/** One tab. */
export interface Tab<Name extends string> {
  readonly name: Name;
  readonly title: string;
  /** Beside the title: a number, or a mark that something is there. */
  readonly note?: string | undefined;
}

/** What a list of tabs shows. */
export interface TabListProps<Name extends string> {
  readonly label: string;
  /** Begins the ids of tabs and panels. */
  readonly id: string;
  readonly tabs: readonly Tab<Name>[];
  readonly selected: Name;
  readonly onSelect: (name: Name) => void;
  readonly class?: string;
}

/** A list of tabs. */
export function TabList<Name extends string>(
  { label, id, tabs, selected, onSelect, class: style = "" }: TabListProps<Name>,
): JSX.Element {
  const onKeyDown = (event: KeyboardEvent): void => {
    const now = tabs.findIndex(({ name }) => name === selected);
    const indexes: Readonly<Record<string, number>> = {
      ArrowRight: now + 1,
      ArrowLeft: now - 1,
      Home: 0,
      End: tabs.length - 1,
    };
    const next = indexes[event.key];
    if (next === undefined) return;
    event.preventDefault();
    const tab = tabs[(next + tabs.length) % tabs.length]!;
    onSelect(tab.name);
    document.getElementById(`${id}-tab-${tab.name}`)?.focus();
  };
  return (
    <div role="tablist" aria-label={label} class={`tabs ${style}`} onKeyDown={onKeyDown}>
      {tabs.map(({ name, title, note }) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`${id}-tab-${name}`}
          aria-controls={`${id}-panel`}
          aria-selected={name === selected}
          tabIndex={name === selected ? 0 : -1}
          onClick={() => onSelect(name)}
        >
          {title}
          {note !== undefined && <span class="tab-note">{note}</span>}
        </button>
      ))}
    </div>
  );
}

/** What a tab shows. */
export function TabPanel(
  { id, selected, children, class: style = "" }: {
    readonly id: string;
    readonly selected: string;
    readonly children: ComponentChildren;
    readonly class?: string;
  },
): JSX.Element {
  return (
    <div
      role="tabpanel"
      id={`${id}-panel`}
      aria-labelledby={`${id}-tab-${selected}`}
      class={style}
      tabIndex={0}
    >
      {children}
    </div>
  );
}
