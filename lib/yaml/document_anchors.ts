import type { Json } from "../json/mod.ts";

/** The offsets of a node's anchor in the source; negative for a node without one. */
export interface AnchorOffsets {
  readonly anchorStart: number;
  readonly anchorEnd: number;
}

/** The value of a node with an anchor, and the number of its nodes when aliases are written out. */
export interface Anchored {
  readonly value: Json;
  readonly size: number;
  /** The text of the value as a key, for a scalar that can be one. */
  readonly key?: string | undefined;
}

/** The anchors of a document, and how many of its nodes its aliases stand for. */
export class DocumentAnchors {
  readonly #source: string;
  /** `undefined` while the anchor's node is being built. */
  readonly #anchored = new Map<string, Anchored | undefined>();
  #aliased = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** Keeps a node, if it has an anchor; `undefined` while it is being built, as an alias in it would be recursive. */
  set(offsets: AnchorOffsets, anchored: Anchored | undefined): void {
    if (offsets.anchorStart >= 0) this.#anchored.set(this.#nameOf(offsets), anchored);
  }

  /** The node that an alias stands for, in a document of so many nodes before it. A text says why there is none. */
  resolve(alias: AnchorOffsets, nodes: number): Anchored | string {
    const name = this.#nameOf(alias), anchored = this.#anchored.get(name);
    if (anchored === undefined) {
      return this.#anchored.has(name)
        ? `anchor '${name}' value contains itself`
        : `unknown anchor '${name}' referenced`;
    }
    const { size } = anchored, all = nodes + size + 1;
    this.#aliased += size;
    const isExcessive = this.#aliased > 100 && all > 1000 && this.#aliased / all > allowedShare(all);
    return isExcessive ? "document contains excessive aliasing" : anchored;
  }

  #nameOf({ anchorStart, anchorEnd }: AnchorOffsets): string {
    return this.#source.slice(anchorStart, anchorEnd);
  }
}

/**
 * Returns the share of nodes that may come from aliases, as in yaml.v2: nearly all of a small document, a tenth
 * of a large one.
 */
function allowedShare(nodes: number): number {
  const low = 400_000, high = 4_000_000;
  if (nodes <= low) return 0.99;
  return nodes >= high ? 0.1 : 0.99 - 0.89 * (nodes - low) / (high - low);
}
