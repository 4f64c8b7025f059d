import { isList, type Json, type JsonObject, setField, type StepBudget } from "../json/mod.ts";
import { DraftList } from "./draft_list.ts";
import { isLong } from "./identity.ts";
import type { NormalizedMap } from "./merge_schema.ts";

/**
 * A document that several changes modify in turn, while nothing else reads it. A change may write into the containers
 * that an earlier change made: of 1,000 patches that each set a field of an element of one list, the first copies the
 * list and the others write into the copy. The original document is never modified.
 *
 * The draft may write into a container only if it may write into all containers around it.
 */
export class Draft<T extends Json = JsonObject> {
  /** The document after the changes so far. Arrays of {@link listOf} in it may be out of date. */
  root: T;
  /** The last map that a merge left normalized. */
  normalized: NormalizedMap | undefined;
  #writable: Set<Json> | undefined;
  /** The lists by their arrays; `undefined` for an array that was noted once, whose list the next search makes. */
  #lists: Map<readonly Json[], DraftList | undefined> | undefined;

  constructor(resource: T) {
    this.root = resource;
  }

  /** The document after the changes so far, which the caller may modify. Lists and the normalized map are dropped. */
  get resource(): T {
    this.update();
    this.#lists = this.normalized = undefined;
    return this.root;
  }

  set resource(resource: T) {
    this.root = resource;
  }

  /** The same for callers that only read it: lists and the normalized map are kept. */
  get shown(): T {
    this.update();
    return this.root;
  }

  /** Writes the elements of all lists into their arrays in the document. */
  update(): void {
    if (this.#lists === undefined) return;
    for (const list of this.#lists.values()) list?.update();
  }

  /**
   * Returns the elements of an array by these keys; `undefined` unless it is long, was {@link noteList noted}, and all
   * its elements differ in the keys. After a change of the list the caller notes its new array.
   */
  listOf(array: readonly Json[], keys: readonly string[]): DraftList | undefined {
    const list = this.#lists?.get(array);
    if (list !== undefined) return list.isBy(keys) ? list : undefined;
    if (!this.#lists?.has(array)) return undefined;
    const found = DraftList.of(array, keys);
    if (found !== undefined) this.#lists.set(array, found);
    return found;
  }

  /** Whether a search by keys pays: the array is long, or has a list already. */
  findsElementsOf(array: readonly Json[]): boolean {
    return isLong(array) || this.#lists?.get(array) !== undefined;
  }

  /** Returns the first element of an array of the document. */
  firstOf(array: readonly Json[]): Json | undefined {
    const list = this.#lists?.get(array);
    return list === undefined ? array[0] : list.first;
  }

  /** Updates an array of the document and returns it. */
  elementsOf(array: readonly Json[]): readonly Json[] {
    this.#lists?.get(array)?.update();
    return array;
  }

  /** Notes an array in which a caller looked for elements, or which holds the elements of a list. */
  noteList(array: readonly Json[], list?: DraftList): void {
    if (!isLong(array) && list === undefined) return;
    this.#lists ??= new Map();
    if (list !== undefined || !this.#lists.has(array)) this.#lists.set(array, list);
  }

  /** Updates an array and drops its list, because another merge follows. */
  forgetList(array: readonly Json[]): void {
    this.elementsOf(array);
    this.#lists?.delete(array);
  }

  /** Returns a map that the caller may modify: the given one if the draft made it, otherwise a copy. */
  writable(map: JsonObject, steps?: StepBudget): { [name: string]: Json } {
    if (this.#writable?.has(map)) return map as { [name: string]: Json };
    return this.#writableCopy(copyOf(map, steps));
  }

  /** As {@link writable}, for a list. */
  writableList(list: readonly Json[]): Json[] {
    return this.#writable?.has(list) ? list as Json[] : this.#writableCopy(list.slice());
  }

  /** Returns another draft of the same document. Neither draft sees later changes of the other. */
  fork(): Draft<T> {
    this.publish();
    return new Draft(this.resource);
  }

  /** Publishes the draft: others may keep its objects from now on, so later changes copy them first. */
  publish(): void {
    this.update();
    this.#lists = this.#writable = undefined;
  }

  /** As {@link publish}, for one value of the document and everything inside it. */
  share(value: Json): void {
    if (this.#writable === undefined || !this.#writable.delete(value)) return;
    if (isList(value)) { for (const element of value) this.share(element); }
    else for (const name in value as JsonObject) this.share((value as JsonObject)[name]!);
  }

  #writableCopy<C extends Json>(copy: C): C {
    (this.#writable ??= new Set()).add(copy);
    return copy;
  }
}

/** The most fields of a map that is copied at once. */
const fewFields = 1_000;

/** The steps of copying a field of a map that has many: such a map is a table of hashes. */
const stepsOfField = 12;

/**
 * Copies a map. A map with many fields is copied field by field, which takes steps: copying hundreds of thousands of
 * fields at once takes more than twice the time.
 */
export function copyOf(
  map: JsonObject,
  steps: StepBudget = { left: Infinity },
): { [name: string]: Json } {
  let count = 0;
  for (const _ in map) if (++count > fewFields) return copyOfMany(map, steps);
  return { ...map };
}

function copyOfMany(map: JsonObject, steps: StepBudget): { [name: string]: Json } {
  const copy: { [name: string]: Json } = {};
  for (const name in map) {
    // A rule that has used up its steps is an error: nobody reads the copy.
    if ((steps.left -= stepsOfField) < 0) break;
    setField(copy, name, map[name]!);
  }
  return copy;
}
