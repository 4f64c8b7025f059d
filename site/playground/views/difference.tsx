/** Two texts side by side, with what differs. The component is loaded when it is first needed. */
import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** What is compared. */
export interface DifferenceProps {
  readonly before: string;
  readonly after: string;
  readonly label: string;
}

/** A comparison of two texts in YAML. */
export function Difference({ before, after, label }: DifferenceProps): JSX.Element {
  const parent = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let destroy: (() => void) | undefined, isGone = false;
    import("../editor/merge_view.ts").then(({ showDifference }) => {
      if (!isGone) destroy = showDifference(parent.current!, { before, after, label });
    });
    return () => {
      isGone = true;
      destroy?.();
    };
  }, [before, after]);
  return <div class="difference" ref={parent} />;
}
