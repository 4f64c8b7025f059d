import { type Automaton, before, begin } from "./automaton.ts";

/** Texts that may take long to search: a head, then a part any number of times. */
export interface Attack {
  readonly head: string;
  readonly pump: string;
}

/** Characters that stand for all that the atoms of an automaton distinguish: one for each set of atoms. */
export class Alphabet {
  readonly characters: readonly string[];
  /** Whether the character at an index matches the atom of a state. */
  readonly matches: readonly (readonly boolean[])[];

  constructor(automaton: Automaton, flags: string) {
    const tests = automaton.atoms.map((atom) => new RegExp(`^${atom}$`, flags.replace(/[gmy]/g, "")));
    const kinds = new Map<string, { character: string; matches: boolean[] }>();
    for (const character of candidates(automaton.atoms)) {
      const matches = tests.map((test) => test.test(character));
      const key = matches.join();
      if (!kinds.has(key)) kinds.set(key, { character, matches });
    }
    this.characters = [...kinds.values()].map(({ character }) => character);
    this.matches = [...kinds.values()].map(({ matches }) => matches);
  }
}

/** Characters of every kind, and those written in atoms with their neighbours. */
function candidates(atoms: readonly string[]): Set<string> {
  const all = new Set([..."ax0Z_ -!\"'\n\t\r\0é\u2028\ud800"]);
  for (const atom of new Set(atoms)) {
    const written = atom.replace(
      /\\(?:u\{([0-9a-fA-F]+)\}|[ux]([0-9a-fA-F]{2,4}))/g,
      (_, ...codes) => String.fromCodePoint(parseInt(codes[0] ?? codes[1], 16)),
    );
    for (const character of written) {
      const code = character.codePointAt(0)!;
      for (const near of [code - 1, code, code + 1]) {
        if (near >= 0 && near <= 0x10ffff) all.add(String.fromCodePoint(near));
      }
    }
  }
  return all;
}

/**
 * The attacks on an automaton. A search takes more than linear time only if some word leads from a state `p` to itself,
 * from `p` to another state `q`, and from `q` to itself, or by two ways from `p` to itself (Weber and Seidl, 1991).
 */
export function* attacksOn(automaton: Automaton, alphabet: Alphabet): Generator<Attack> {
  const { next } = automaton;
  const moves = next.map((follows, state) =>
    alphabet.characters.map((_, index) => [...follows.keys()].filter((to) => alphabet.matches[index]![to]))
      .map((targets) => state === begin ? [] : targets)
  );
  const reach = next.map((_, state) => reachable(state, next));
  const cyclic = next.map((_, state) => state).filter((state) => state !== begin && reach[state]!.has(state));
  const word = (indexes: readonly number[]): string =>
    indexes.map((index) => alphabet.characters[index]!).join("");
  const headOf = (state: number): string | undefined => {
    if (state === before) return "";
    const path = pathBetween(
      [begin],
      ([at]) =>
        alphabet.characters.flatMap((_, index) =>
          [...next[at!]!.keys()].filter((to) => alphabet.matches[index]![to]).map((to) => ({
            index,
            to: [to],
          }))
        ),
      [state],
    );
    return path && word(path);
  };
  for (const from of cyclic) {
    const head = headOf(from);
    if (head === undefined) continue;
    for (const [to, { isAmbiguous }] of next[from]!) {
      if (!isAmbiguous || !reach[to]!.has(from)) continue;
      const path = pathBetween([to], ([at]) => steps(moves, [at!]), [from]);
      const first = alphabet.matches.findIndex((matches) => matches[to]);
      if (path !== undefined && first >= 0) yield { head, pump: word([first, ...path]) };
    }
    for (const to of cyclic) {
      if (to === from || !reach[from]!.has(to)) continue;
      const within = (states: readonly number[]): boolean =>
        reach[states[0]!]!.has(from) && reach[states[1]!]!.has(to) && reach[to]!.has(states[2]!) &&
        reach[states[2]!]!.has(to);
      const path = pathBetween(
        [from, from, to],
        (states) => steps(moves, states).filter((step) => within(step.to)),
        [from, to, to],
      );
      if (path !== undefined) yield { head, pump: word(path) };
    }
  }
}

interface Step {
  readonly index: number;
  readonly to: readonly number[];
}

/** The steps of several states at once with the same character. */
function steps(moves: readonly (readonly (readonly number[])[])[], states: readonly number[]): Step[] {
  const found: Step[] = [];
  for (let index = 0; index < (moves[0]?.length ?? 0); index++) {
    let tuples: number[][] = [[]];
    for (const state of states) {
      tuples = tuples.flatMap((tuple) => moves[state]![index]!.map((to) => [...tuple, to]));
    }
    for (const to of tuples) found.push({ index, to });
  }
  return found;
}

const mostTuples = 50_000;

/** The characters of a shortest way that has at least one step. */
function pathBetween(
  from: readonly number[],
  stepsOf: (states: readonly number[]) => readonly Step[],
  to: readonly number[],
): number[] | undefined {
  const goal = to.join();
  const came = new Map<string, { index: number; from: string }>();
  const open = [from];
  for (let at = 0; at < open.length && open.length < mostTuples; at++) {
    const key = at === 0 ? "" : open[at]!.join();
    for (const step of stepsOf(open[at]!)) {
      const reached = step.to.join();
      if (came.has(reached)) continue;
      came.set(reached, { index: step.index, from: key });
      if (reached !== goal) {
        open.push(step.to);
        continue;
      }
      const path: number[] = [];
      for (let back = reached; back !== ""; back = came.get(back)!.from) path.unshift(came.get(back)!.index);
      return path;
    }
  }
  return undefined;
}

function reachable(
  from: number,
  next: readonly ReadonlyMap<number, unknown>[],
): Set<number> {
  const found = new Set<number>();
  const open = [from];
  for (let state = open.pop(); state !== undefined; state = open.pop()) {
    for (const to of next[state]!.keys()) {
      if (found.has(to)) continue;
      found.add(to);
      open.push(to);
    }
  }
  return found;
}
