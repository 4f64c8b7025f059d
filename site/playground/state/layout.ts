/** How wide and high the panes are, as shares of the page; people drag them, or move them with arrow keys. */
import { signal } from "@preact/signals";

/** The edges between panes: after the policies, after the resources (both from the left), and below the resources. */
export type EdgeName = "policies" | "resources" | "context";

export type Layout = Readonly<Record<EdgeName, number>>;

const key = "postern-panes";

/** Percent of the page's width or height at which each edge is. */
export const usual: Layout = { policies: 33, resources: 64, context: 55 };

/** Least percent that a pane keeps. */
const least = 12;

export const layout = signal<Layout>(stored());

/** Where an edge may be, in percent: panes on both sides keep some room. */
export function boundsOf(edge: EdgeName): readonly [from: number, to: number] {
  const { policies, resources } = layout.value;
  return [
    edge === "resources" ? policies + least : least,
    edge === "policies" ? resources - least : 100 - least,
  ];
}

/** Moves an edge, within its bounds. */
export function moveEdge(edge: EdgeName, percent: number): void {
  const [from, to] = boundsOf(edge);
  layout.value = { ...layout.value, [edge]: Math.round(Math.min(Math.max(percent, from), to)) };
  try {
    localStorage.setItem(key, JSON.stringify(layout.value));
  } catch {
    // Without storage it holds until the page is closed.
  }
}

/** The layout of the last visit; the usual one when it cannot be read or leaves no room. */
function stored(): Layout {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? "null");
    if (typeof value !== "object" || value === null) return usual;
    const { policies, resources, context } = value as Record<string, unknown>;
    const isRoom = (percent: unknown): percent is number =>
      typeof percent === "number" && percent >= least && percent <= 100 - least;
    const isWhole = isRoom(policies) && isRoom(resources) && isRoom(context) && resources - policies >= least;
    return isWhole ? { policies, resources, context } : usual;
  } catch {
    return usual;
  }
}
