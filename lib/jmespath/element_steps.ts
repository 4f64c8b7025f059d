/**
 * The steps for each element that an expression is applied to: one, and one for each eight of its parts. Expressions
 * can hold text of a request, so their length is no constant. Each part is counted once, although filters nest.
 */
export class ElementSteps {
  readonly #parts = new WeakMap<object, number>();

  of(expression: object): number {
    return 1 + (this.#partsOf(expression) >> 3);
  }

  #partsOf(part: unknown): number {
    if (typeof part !== "object" || part === null) return 0;
    if (Array.isArray(part)) return part.reduce((sum: number, inner) => sum + this.#partsOf(inner), 0);
    if (!("kind" in part) && !("value" in part)) return 0;
    const counted = this.#parts.get(part);
    if (counted !== undefined) return counted;
    let parts = 1;
    for (const [name, inner] of Object.entries(part)) {
      if (name !== "value" || !("kind" in part && part.kind === "literal")) parts += this.#partsOf(inner);
    }
    this.#parts.set(part, parts);
    return parts;
  }
}
