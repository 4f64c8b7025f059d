import { BoundedCache, type Fault, isFault, type Json, type Scope } from "../json/mod.ts";
import { type CompiledExpression, compileExpression, type Environment } from "../jmespath/mod.ts";

/**
 * The characters of texts that an entry keeps compiled, half a megabyte at most. Most entries have one text; a template
 * makes more, and a request may make them long.
 */
const maxCached = 4_096;

/** The characters that a short text counts as, because of its compiled form. */
const charactersOfText = 32;

/**
 * The queries of one context entry: of the context, or of a document that came from outside and may be of any type.
 * Their text may have been put together for the request. Each is compiled once as long as it comes again, so that a
 * query without variables costs a look into the cache.
 */
export class EntryQueries {
  readonly #root: "context" | "document";
  readonly #compiled = new BoundedCache<CompiledExpression | Fault>(
    maxCached,
    (_, text) => charactersOfText + text.length,
  );

  constructor(root: "context" | "document") {
    this.#root = root;
  }

  /** Applies a query. */
  apply(text: string, scope: Scope, environment: Environment): Json | Fault {
    const expression = this.#compile(text);
    return isFault(expression) ? expression : expression.evaluate(scope, environment);
  }

  /** The text of a query's fault, which says whether the query is wrong, failed, or reads an entry that failed. */
  problem(text: string, fault: Fault, scope: Scope): string {
    const expression = this.#compile(text);
    if (isFault(expression)) return `incorrect query ${text}: ${fault.message}`;
    const isLoaded = fault.missing !== undefined ||
      expression.names.every((name) => scope.get(name) !== fault);
    return isLoaded ? `JMESPath query failed: ${fault.message}` : fault.message;
  }

  #compile(text: string): CompiledExpression | Fault {
    return this.#compiled.getOrMake(text, () => compileExpression(text, { root: this.#root }));
  }
}
