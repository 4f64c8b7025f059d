import { isList, type Json, type JsonObject } from "../json/mod.ts";
import { DraftList } from "./draft_list.ts";
import { isLong } from "./identity.ts";
import type { NormalizedMap } from "./merge_schema.ts";

/**
 * A document that several changes modify in turn, while nothing else reads it. A change may write into the containers that
 * an earlier change made: of 1,000 patches that each set a field of an element of one list, the first copies the list and
 * the others write into the copy. The original document is never modified.
 *
 * A container belongs to the draft only if all containers around it do.
 */
export class Draft<T extends Json = JsonObject> {
  /** The document after the changes so far; the arrays of {@link listOf} may be out of date in it. */
  root: T;
  /** The last map that a merge left normalized. */
  normalized: NormalizedMap | undefined;
  #writable: Set<Json> | undefined;
  /** By the array that stands for it in the document. `undefined`: it was merged once. */
  #lists: Map<readonly Json[], DraftList | undefined> | undefined;

  constructor(resource: T) {
    this.root = resource;
  }

  /** The document after the changes so far. Whoever reads it may also write, so the draft looks at all of it again. */
  get resource(): T {
    this.update();
    this.#lists = this.normalized = undefined;
    return this.root;
  }

  set resource(resource: T) {
    this.root = resource;
  }

  /** The document after the changes so far, for those who only read it: merges still know what they left normalized. */
  get shown(): T {
    this.update();
    return this.root;
  }

  /** Updates all arrays in the document. */
  update(): void {
    if (this.#lists === undefined) return;
    for (const list of this.#lists.values()) list?.update();
  }

  /**
   * The elements of an array by these keys, if the array is long, was {@link noteList noted} before, and all elements
   * differ in them. A change in it puts another array into the document, which is to be noted with it.
   */
  listOf(array: readonly Json[], keys: readonly string[]): DraftList | undefined {
    const list = this.#lists?.get(array);
    if (list !== undefined) return list.isBy(keys) ? list : undefined;
    if (!this.#lists?.has(array)) return undefined;
    const found = DraftList.of(array, keys);
    if (found !== undefined) this.#lists.set(array, found);
    return found;
  }

  /** Whether elements of an array are worth to be looked up. */
  findsElementsOf(array: readonly Json[]): boolean {
    return isLong(array) || this.#lists?.get(array) !== undefined;
  }

  /** The first element of an array of the document. */
  firstOf(array: readonly Json[]): Json | undefined {
    const list = this.#lists?.get(array);
    return list === undefined ? array[0] : list.first;
  }

  /** The elements of an array of the document, after it was updated. */
  elementsOf(array: readonly Json[]): readonly Json[] {
    this.#lists?.get(array)?.update();
    return array;
  }

  /** An array that elements were looked for in, or that holds the elements of a list. */
  noteList(array: readonly Json[], list?: DraftList): void {
    if (!isLong(array) && list === undefined) return;
    this.#lists ??= new Map();
    if (list !== undefined || !this.#lists.has(array)) this.#lists.set(array, list);
  }

  /** The array is merged otherwise than by its {@link listOf elements by keys}: it is updated. */
  forgetList(array: readonly Json[]): void {
    this.elementsOf(array);
    this.#lists?.delete(array);
  }

  /** A map that may be written to: the one given if the draft made it, otherwise a copy. */
  writable(map: JsonObject): { [name: string]: Json } {
    if (this.#writable?.has(map)) return map as { [name: string]: Json };
    return this.#writableCopy({ ...map });
  }

  /** As {@link writable}, for a list. */
  writableList(list: readonly Json[]): Json[] {
    return this.#writable?.has(list) ? list as Json[] : this.#writableCopy(list.slice());
  }

  /** Another draft of what this one has led to; neither sees what the other changes from now on. */
  fork(): Draft<T> {
    this.publish();
    return new Draft(this.resource);
  }

  /** Publishes the draft: others may keep its objects from now on, so later changes copy them first. */
  publish(): void {
    this.update();
    this.#lists = this.#writable = undefined;
  }

  /** As {@link publish}, for one value of the document and what is inside it. */
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
