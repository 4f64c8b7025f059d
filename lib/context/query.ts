import { BoundedCache, type Fault, isFault, type Json, type Scope } from "../json/mod.ts";
import { type CompiledExpression, compileExpression, type Environment } from "../jmespath/mod.ts";

/** Texts that an entry keeps compiled. Most entries have one; a template makes more. */
const maxKept = 50;

/**
 * The queries of one context entry: of the context, or of a document that came from outside and may be of any type.
 * Their text may have been put together for the request. Each is compiled once as long as it comes again, so that a
 * query without variables costs a look into the cache.
 */
export class EntryQueries {
  readonly #root: "context" | "document";
  readonly #compiled = new BoundedCache<CompiledExpression | Fault>(maxKept);

  constructor(root: "context" | "document") {
    this.#root = root;
  }

  /** Applies a query. */
  apply(text: string, scope: Scope, environment: Environment): Json | Fault {
    const expression = this.#compiled.getOrMake(text, () => compileExpression(text, { root: this.#root }));
    return isFault(expression) ? expression : expression.evaluate(scope, environment);
  }
}
