import { type Fault, isFault, type Json } from "../json/mod.ts";
import { isBlank } from "./cell.ts";
import { isDirected } from "./directive.ts";
import type { DistinctLists } from "./distinct_list.ts";
import { distinctIdentities, keysInUse } from "./identity.ts";
import { comparedAs, plainWord } from "../pattern/mod.ts";

/** An entry of a linked list. Ranks ascend from the first element to the last. */
interface Entry {
  element: Json;
  rank: number;
  before: Entry | undefined;
  after: Entry | undefined;
}

/**
 * A list of a draft that merges by keys. It finds elements by identity, so a patch of one element costs the
 * same for a list of any length. The array in the document is out of date until {@link update}.
 */
export class DraftList {
  /** The array in the document. */
  array: readonly Json[];
  readonly #schemaKeys: readonly string[];
  readonly #keys: readonly string[];
  readonly #entries: Map<string, Entry>;
  /** The identities by values that {@link accepted} compares, such as `1k` and `1000`; the first search makes it. */
  #byValue: Map<string, Set<string>> | undefined;
  #first: Entry | undefined;
  #isOutOfDate = false;
  /** Whether this list made the array, and may fill it again. */
  #isArrayNew = false;

  private constructor(array: readonly Json[], schemaKeys: readonly string[], { keys, found }: Identified) {
    this.array = array;
    this.#schemaKeys = schemaKeys;
    this.#keys = keys;
    this.#entries = new Map();
    let before: Entry | undefined;
    array.forEach((element, rank) => {
      const entry: Entry = { element, rank, before, after: undefined };
      if (before === undefined) this.#first = entry;
      else before.after = entry;
      this.#entries.set(found[rank]!, entry);
      before = entry;
    });
  }

  /** Makes the list of an array; `undefined` when an element lacks a key or repeats one. */
  static of(array: readonly Json[], schemaKeys: readonly string[]): DraftList | undefined {
    const keys = keysInUse(schemaKeys, array, []), found = distinctIdentities(array, keys);
    return found && new DraftList(array, schemaKeys, { keys, found });
  }

  /**
   * Merges a list of a patch, for normalized elements as `mergeDistinctLists`. Returns whether it added, removed or
   * moved elements; `undefined` for an empty list, and when an element of the patch has a directive, lacks or repeats
   * a key, or uses another key.
   */
  merge(patch: readonly Json[], mergeElement: DistinctLists["mergeElement"]): boolean | undefined | Fault {
    const found = this.#identitiesOf(patch);
    if (found === undefined || this.#first === undefined || patch.some(isDirected)) return undefined;
    const keepsOrder = this.#keys.length > 1, values: (Json | undefined)[] = [];
    let next: Entry | undefined = this.#first, rearranged = false;
    for (let index = 0; index < patch.length; index++) {
      const entry = this.#entries.get(found[index]!);
      const merged = mergeElement(entry?.element, patch[index]);
      if (isFault(merged)) return merged;
      const value = merged === undefined || isBlank(merged) ? undefined : merged;
      if (value === undefined || entry === undefined || !keepsOrder && entry !== next) rearranged = true;
      else next = entry.after;
      values.push(value);
    }
    for (let index = patch.length - 1; index >= 0; index--) {
      this.#put(found[index]!, values[index], rearranged && !keepsOrder);
    }
    return rearranged;
  }

  /** Whether the list finds elements by these keys of its schema. */
  isBy(keys: readonly string[]): boolean {
    return keys.length === this.#schemaKeys.length &&
      keys.every((key, index) => key === this.#schemaKeys[index]);
  }

  /**
   * Returns the elements whose key a pattern accepts, and maybe others; `undefined` when the pattern has operators or
   * wildcards. The list must have one key.
   */
  accepted(pattern: string): readonly Json[] | undefined {
    const word = plainWord(pattern);
    if (word === undefined) return undefined;
    const identities = new Set([pattern, word.text]);
    for (const value of word.values) {
      for (const identity of this.#values().get(value) ?? []) identities.add(identity);
    }
    return [...identities].flatMap((identity) => this.#entries.get(identity) ?? [])
      .sort((left, right) => left.rank - right.rank).map(({ element }) => element);
  }

  /** The first element. */
  get first(): Json | undefined {
    return this.#first?.element;
  }

  /** Writes the elements into the array in the document. */
  update(): void {
    if (!this.#isOutOfDate) return;
    this.#isOutOfDate = false;
    const array = this.array as Json[]; // Only an array that this list made is out of date.
    array.length = 0;
    for (let entry = this.#first; entry !== undefined; entry = entry.after) array.push(entry.element);
  }

  /** The identities of a patch's elements; `undefined` when one lacks or repeats a key, or uses another. */
  #identitiesOf(patch: readonly Json[]): string[] | undefined {
    if (this.#schemaKeys.length > 1) {
      const keys = keysInUse(this.#schemaKeys, patch, []);
      if (keys.some((key) => !this.#keys.includes(key))) return undefined;
    }
    return distinctIdentities(patch, this.#keys);
  }

  #put(identity: string, value: Json | undefined, moves: boolean): void {
    const entry = this.#entries.get(identity);
    if (entry === undefined) {
      if (value !== undefined) this.#add(identity, value);
    } else if (value === undefined) {
      this.#change();
      this.#entries.delete(identity);
      this.#unlink(entry);
    } else {
      if (value !== entry.element) {
        this.#change();
        entry.element = value;
      }
      if (!moves || entry === this.#first) return;
      this.#change();
      this.#unlink(entry);
      this.#linkFirst(entry);
    }
  }

  #add(identity: string, element: Json): void {
    this.#change();
    const entry: Entry = { element, rank: 0, before: undefined, after: undefined };
    this.#entries.set(identity, entry);
    this.#linkFirst(entry);
    if (this.#byValue !== undefined) note(this.#byValue, identity);
  }

  #linkFirst(entry: Entry): void {
    const second = this.#first;
    entry.rank = (second?.rank ?? 0) - 1;
    entry.before = undefined;
    entry.after = second;
    if (second !== undefined) second.before = entry;
    this.#first = entry;
  }

  #unlink({ before, after }: Entry): void {
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after !== undefined) after.before = before;
  }

  #change(): void {
    this.#isOutOfDate = true;
    if (this.#isArrayNew) return;
    this.#isArrayNew = true;
    this.array = [];
  }

  #values(): ReadonlyMap<string, ReadonlySet<string>> {
    if (this.#byValue === undefined) {
      this.#byValue = new Map();
      for (const identity of this.#entries.keys()) note(this.#byValue, identity);
    }
    return this.#byValue;
  }
}

interface Identified {
  readonly keys: readonly string[];
  readonly found: readonly string[];
}

function note(byValue: Map<string, Set<string>>, identity: string): void {
  for (const value of comparedAs(identity)) {
    const same = byValue.get(value);
    if (same === undefined) byValue.set(value, new Set([identity]));
    else same.add(identity);
  }
}
