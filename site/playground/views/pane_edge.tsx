/** The edge between two panes: it is dragged, or moved with arrow keys (the ARIA pattern of a window splitter). */
import type { JSX } from "preact";
import { boundsOf, type EdgeName, layout, moveEdge, usual } from "../state/layout.ts";

/** Which edge it is. */
export interface PaneEdgeProps {
  readonly edge: EdgeName;
  /** What screen readers call it. */
  readonly label: string;
  /** `vertical` edges move left and right. */
  readonly orientation: "vertical" | "horizontal";
}

/** Percent that an arrow key moves an edge. */
const step = 2;

/** An edge that can be moved. A double click puts it back. */
export function PaneEdge({ edge, label, orientation }: PaneEdgeProps): JSX.Element {
  const now = layout.value[edge];
  const [from, to] = boundsOf(edge);
  const isVertical = orientation === "vertical";
  const onKeyDown = (event: KeyboardEvent): void => {
    // Keys may follow each other faster than the page is rendered.
    const size = layout.peek()[edge];
    const sizes: Readonly<Record<string, number>> = {
      [isVertical ? "ArrowLeft" : "ArrowUp"]: size - step,
      [isVertical ? "ArrowRight" : "ArrowDown"]: size + step,
      Home: from,
      End: to,
      Enter: usual[edge],
    };
    const next = sizes[event.key];
    if (next === undefined) return;
    event.preventDefault();
    moveEdge(edge, next);
  };
  const onPointerMove = (event: PointerEvent): void => {
    const element = event.currentTarget as HTMLElement;
    if (!element.hasPointerCapture(event.pointerId)) return;
    const { left, top, width, height } = element.parentElement!.getBoundingClientRect();
    moveEdge(edge, isVertical ? (event.clientX - left) / width * 100 : (event.clientY - top) / height * 100);
  };
  return (
    <div
      class={`edge edge-${edge}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={orientation}
      aria-valuenow={now}
      aria-valuemin={from}
      aria-valuemax={to}
      onKeyDown={onKeyDown}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onPointerMove}
      onDblClick={() => moveEdge(edge, usual[edge])}
    />
  );
}
