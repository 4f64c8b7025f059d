/** A page of the documentation. */
export interface Page {
  /** Where it is in the site: `reference/metrics.md`. */
  readonly path: string;
  /**
   * The section of the side bar that lists it, in the order of {@link sections}; a page without one is only linked to.
   */
  readonly section?: Section;
  /** The title in the side bar. */
  readonly title: string;
  /** Markdown. */
  readonly text: string;
}

/** The sections of the side bar, in their order. */
export const sections = ["Guide", "Policies by example", "Reference", "Running it", "For builders"] as const;

export type Section = (typeof sections)[number];

/** A table in Markdown; cells are escaped. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(cell).join(" | ")} |`;
  return [line(heading), `|${" --- |".repeat(heading.length)}`, ...rows.map(line)].join("\n");
}

/** Text as code, which neither Markdown nor the page's templates read. */
export function code(text: string): string {
  return `<code v-pre>${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</code>`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("\n", " ");
}

/** Text between backticks as code. */
export function codeIn(text: string): string {
  return text.replaceAll("<", "&lt;").replace(/`([^`]*)`/g, (_, inner: string) => code(inner));
}
