import type { Pattern } from "./pattern.ts";

/**
 * An automaton without empty steps: a state is an atom of the pattern that has just matched a character. State 0 is
 * the begin of the text, state 1 stands for characters before a match, where the search may begin.
 */
export interface Automaton {
  /** The source of each state's atom. */
  readonly atoms: readonly string[];
  /** The states that may follow each state, and whether several ways lead there without a character. */
  readonly next: readonly ReadonlyMap<number, { readonly isAmbiguous: boolean }>[];
}

/** A point between atoms, with what can follow without a character. */
interface Point {
  readonly steps: { readonly to: Point; readonly isAtBegin: boolean }[];
  /** The atom that is read here, and the point behind it. */
  atom?: { readonly state: number; readonly behind: Point };
}

export const begin = 0;
export const before = 1;

/** More copies of a bounded repetition do not make a search slower than linear. */
const mostCopies = 100;

/** Makes the automaton of searches for a pattern. */
export function makeAutomaton(pattern: Pattern): Automaton {
  const points = new Points();
  const start = points.add();
  points.connect(pattern, start, points.add());
  const begins = points.following(start, true), later = points.following(start, false);
  for (const follows of [begins, later]) follows.set(before, { isAmbiguous: false });
  return {
    atoms: ["[^]", "[^]", ...points.atoms.map(({ source }) => source)],
    next: [begins, later, ...points.atoms.map(({ behind }) => points.following(behind, false))],
  };
}

/** Leads from one point to another without a character, anywhere in the text. */
function step(from: Point, to: Point): void {
  from.steps.push({ to, isAtBegin: false });
}

class Points {
  readonly atoms: { readonly source: string; readonly behind: Point }[] = [];

  add(): Point {
    return { steps: [] };
  }

  /** Writes a pattern between two points. */
  connect(pattern: Pattern, from: Point, to: Point): void {
    if (pattern.kind === "begin") from.steps.push({ to, isAtBegin: true });
    else if (pattern.kind === "atom") {
      const state = this.atoms.push({ source: pattern.source, behind: to }) + before;
      const reads = this.add();
      reads.atom = { state, behind: to };
      step(from, reads);
    } else if (pattern.kind === "choice") {
      for (const option of pattern.options) this.connect(option, from, to);
    } else if (pattern.kind === "sequence") {
      const last = pattern.items.reduce((at, item) => {
        const behind = this.add();
        this.connect(item, at, behind);
        return behind;
      }, from);
      step(last, to);
    } else if (pattern.kind === "look") {
      // It reads characters that the rest reads again, and leads nowhere.
      this.connect(pattern.body, from, this.add());
      step(from, to);
    } else this.#repeat(pattern, from, to);
  }

  #repeat({ body, min, max }: Pattern & { kind: "repeat" }, from: Point, to: Point): void {
    let at = from;
    for (let copy = 0; copy < Math.min(min, mostCopies); copy++) {
      const behind = this.add();
      this.connect(body, at, behind);
      at = behind;
    }
    for (let copy = min; copy < Math.min(max, min + mostCopies) && max !== Infinity; copy++) {
      const behind = this.add();
      step(at, to);
      this.connect(body, at, behind);
      at = behind;
    }
    if (max === Infinity) {
      const again = this.add();
      step(at, again);
      this.connect(body, again, again);
      at = again;
    }
    step(at, to);
  }

  /** The states that can come next, from a point on. */
  following(from: Point, isAtBegin: boolean): Map<number, { isAmbiguous: boolean }> {
    const found = new Map<number, { isAmbiguous: boolean }>();
    const path = new Set<Point>();
    let steps = 0;
    const visit = (point: Point): void => {
      if (path.has(point) || steps++ > 20_000) return;
      if (point.atom !== undefined) {
        found.set(point.atom.state, { isAmbiguous: found.has(point.atom.state) });
      }
      path.add(point);
      for (const { to, isAtBegin: needsBegin } of point.steps) if (isAtBegin || !needsBegin) visit(to);
      path.delete(point);
    };
    visit(from);
    return found;
  }
}
