import type { Json, JsonObject } from "../json/mod.ts";

/**
 * A resource on its way through several merges, during which nobody else looks at it. What the merges made themselves
 * they may change: of ten that set a field of a Pod's spec, one copies the spec and nine write into the copy. The resource
 * that the draft began with is never modified.
 */
export class Draft {
  /** As the merges so far have left it. */
  resource: JsonObject;
  readonly #own = new Set<JsonObject>();

  constructor(resource: JsonObject) {
    this.resource = resource;
  }

  /** A map that may be written to: the one given if a merge made it, otherwise a copy. */
  writable(map: JsonObject): { [name: string]: Json } {
    if (this.#own.has(map)) return map as { [name: string]: Json };
    const copy = { ...map };
    this.#own.add(copy);
    return copy;
  }
}
