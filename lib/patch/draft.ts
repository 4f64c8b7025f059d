import { isList, type Json, type JsonObject } from "../json/mod.ts";

/**
 * A document that several changes modify in turn, while nothing else reads it. A change may write into the containers that
 * an earlier change made: of 1,000 patches that each set a field of an element of one list, the first copies the list and
 * the others write into the copy. The original document is never modified.
 *
 * A container belongs to the draft only if all containers around it do.
 */
export class Draft<T extends Json = JsonObject> {
  /** The document after the changes so far. */
  resource: T;
  #writable: Set<Json> | undefined;

  constructor(resource: T) {
    this.resource = resource;
  }

  /** A map that may be written to: the one given if the draft made it, otherwise a copy. */
  writable(map: JsonObject): { [name: string]: Json } {
    if (this.#writable?.has(map)) return map as { [name: string]: Json };
    return this.#owned({ ...map });
  }

  /** As {@link writable}, for a list. */
  writableList(list: readonly Json[]): Json[] {
    return this.#writable?.has(list) ? list as Json[] : this.#owned(list.slice());
  }

  /** Another draft of what this one has led to; neither sees what the other changes from now on. */
  fork(): Draft<T> {
    this.publish();
    return new Draft(this.resource);
  }

  /** Publishes the draft: others may keep its objects from now on, so later changes copy them first. */
  publish(): void {
    this.#writable = undefined;
  }

  /** As {@link publish}, for one value of the document and what is inside it. */
  share(value: Json): void {
    if (this.#writable === undefined || !this.#writable.delete(value)) return;
    if (isList(value)) { for (const element of value) this.share(element); }
    else for (const name in value as JsonObject) this.share((value as JsonObject)[name]!);
  }

  #owned<C extends Json>(copy: C): C {
    (this.#writable ??= new Set()).add(copy);
    return copy;
  }
}
