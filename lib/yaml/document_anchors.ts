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

  /** Notes that the node with this anchor is being built: an alias in it would be recursive. */
  reserve(offsets: AnchorOffsets): void {
    if (offsets.anchorStart >= 0) this.#anchored.set(this.#nameOf(offsets), undefined);
  }

  /** Keeps a node that was built, if it has an anchor. */
  remember(offsets: AnchorOffsets, anchored: Anchored): void {
    if (offsets.anchorStart >= 0) this.#anchored.set(this.#nameOf(offsets), anchored);
  }

  /** The node that an alias stands for, or why there is none. */
  resolve(alias: AnchorOffsets): Anchored | { readonly problem: string } {
    const name = this.#nameOf(alias), anchored = this.#anchored.get(name);
    if (anchored !== undefined) return anchored;
    return {
      problem: this.#anchored.has(name)
        ? `anchor '${name}' value contains itself`
        : `unknown anchor '${name}' referenced`,
    };
  }

  /** Counts the nodes of an alias; false when aliases stand for too many of the `nodes` of the document. */
  count({ size }: Anchored, nodes: number): boolean {
    this.#aliased += size;
    return this.#aliased <= 100 || nodes <= 1000 || this.#aliased / nodes <= allowedShare(nodes);
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
