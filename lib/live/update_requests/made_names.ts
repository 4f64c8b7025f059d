import { FailedTries } from "./retries.ts";

/** The names of the UpdateRequests that Postern made, by the request and policy whose effects they hold. */
export class MadeNames {
  readonly #names = new Map<string, string>();
  /** The rules that each of them holds, by name. */
  readonly #rules = new Map<string, string>();
  /** The keys of {@link #names}, by name. */
  readonly #keys = new Map<string, string>();
  readonly tries = new FailedTries();

  get size(): number {
    return this.#names.size;
  }

  /** The name of the UpdateRequest of a request and policy. */
  of(request: string, policy: string): string | undefined {
    return this.#names.get(keyOf(request, policy));
  }

  /** Whether Postern made the UpdateRequest of this name. */
  has(name: string): boolean {
    return this.#keys.has(name);
  }

  /** Notes the name of the UpdateRequest that was made for a request and policy. */
  set(request: string, policy: string, name: string): void {
    const key = keyOf(request, policy);
    this.#names.set(key, name);
    this.#keys.set(name, key);
  }

  /** Notes the rules that an UpdateRequest holds; false when it holds them already. */
  hold(name: string, rules: readonly string[]): boolean {
    const text = JSON.stringify(rules);
    if (this.#rules.get(name) === text) return false;
    this.#rules.set(name, text);
    return true;
  }

  /** Forgets an UpdateRequest that was deleted. */
  delete(name: string): void {
    this.#rules.delete(name);
    this.tries.forget(name);
    const key = this.#keys.get(name);
    if (key === undefined) return;
    this.#keys.delete(name);
    this.#names.delete(key);
  }

  /** The names of a request's UpdateRequests, of all policies. */
  ofRequest(request: string): string[] {
    return [...this.#names].filter(([key]) => key.startsWith(keyOf(request, ""))).map(([, name]) => name);
  }
}

function keyOf(request: string, policy: string): string {
  return `${request} ${policy}`;
}
