import type { Checked } from "./check/mod.ts";
import type { Overload } from "./libraries/library.ts";
import type { Comprehension, Expression, Fold } from "./syntax/mod.ts";
import type { CelType } from "./types/mod.ts";
import { costSize, Sized } from "./values/mod.ts";

/** The least and the most of something that is known only at evaluation; `max` may be Infinity. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

/** What is known about the values that expressions will see. */
export interface EstimateOptions {
  /** The largest size of a text, list or map that comes from a variable. Default: any. */
  readonly largest?: number;
}

/** What an expression may cost, and how large its value and the elements of that may be. */
interface Estimate {
  readonly cost: Range;
  readonly size: Range;
  readonly element: Range;
}

const free: Range = { min: 0, max: 0 };
const one: Range = { min: 1, max: 1 };

/**
 * Estimates what an expression will cost, before there are values: an expression whose `max` stays within the budget
 * cannot be stopped by it. Loops over what comes from variables are bounded only when `largest` says how. `min` is what
 * an evaluation costs that does not end in an error.
 */
export function estimateCost(expression: Expression, checked: Checked, options: EstimateOptions = {}): Range {
  return new Estimator(checked, options).estimate(expression).cost;
}

class Estimator {
  readonly #checked: Checked;
  readonly #unknown: Range;
  readonly #locals = new Map<string, Estimate[]>();

  constructor(checked: Checked, { largest = Infinity }: EstimateOptions) {
    this.#checked = checked;
    this.#unknown = { min: 0, max: largest };
  }

  estimate(expression: Expression): Estimate {
    switch (expression.kind) {
      case "literal":
        return this.#of(free, fixed(costSize(expression.value)));
      case "ident": {
        const local = this.#locals.get(expression.name)?.at(-1);
        return local === undefined ? this.#of(one, this.#sizeOf(expression)) : { ...local, cost: one };
      }
      case "select": {
        if (this.#checked.names.has(expression)) return this.#of(one, this.#sizeOf(expression));
        const { cost, element } = this.estimate(expression.operand);
        const mayEnd = expression.mode === "optional" ||
          this.#checked.typeOf(expression.operand).kind === "opaque";
        const looked = expression.mode === "presence"
          ? { min: Math.max(0, cost.min - 1), max: cost.max }
          : cost;
        const step = { min: mayEnd ? 0 : 1, max: 1 };
        return this.#of(plus(looked, step), union(this.#sizeOf(expression), element));
      }
      case "index": {
        const operand = this.estimate(expression.operand), index = this.estimate(expression.index);
        return this.#of(
          plus(operand.cost, index.cost, { min: 0, max: 2 }),
          union(this.#sizeOf(expression), operand.element),
        );
      }
      case "logic": {
        const [first, ...rest] = expression.terms.map((term) => this.estimate(term).cost);
        return this.#of({ min: first!.min, max: plus(first!, ...rest).max }, one);
      }
      case "call":
        return this.#call(expression);
      case "list": {
        const items = expression.elements.map(({ value }) => this.estimate(value));
        const optional = expression.elements.filter((element) => element.optional).length;
        const size = { min: items.length - optional, max: items.length };
        return { ...this.#made(items, 10), size, element: union(...items.map((item) => item.size)) };
      }
      case "map": {
        const items = expression.entries.flatMap((
          { key, value },
        ) => [this.estimate(key), this.estimate(value)]);
        const values = items.filter((_, index) => index % 2 === 1).map((item) => item.size);
        const size = { min: Math.min(1, expression.entries.length), max: expression.entries.length };
        return { ...this.#made(items, 30), size, element: union(...values) };
      }
      case "struct":
        return this.#made(expression.fields.map(({ value }) => this.estimate(value)), 40);
      case "comprehension":
        return this.#comprehension(expression);
      case "bind": {
        const value = this.estimate(expression.value);
        const body = this.#within([[expression.name, value]], () => this.estimate(expression.body));
        // The value is computed at most once, and only when it is used.
        return { ...body, cost: { min: body.cost.min, max: plus(value.cost, body.cost).max } };
      }
      case "broken":
        return this.#of(free, this.#unknown);
    }
  }

  #of(cost: Range, size: Range): Estimate {
    return { cost, size, element: this.#unknown };
  }

  /** A literal of lists, maps or objects: free when it is constant. */
  #made(parts: readonly Estimate[], cost: number): Estimate {
    const sum = plus(free, ...parts.map((part) => part.cost));
    return this.#of({ min: sum.min, max: sum.max + cost }, this.#unknown);
  }

  #sizeOf(expression: Expression): Range {
    return isScalar(this.#checked.typeOf(expression)) ? one : this.#unknown;
  }

  #within<T>(variables: readonly (readonly [string, Estimate])[], body: () => T): T {
    for (const [name, estimate] of variables) {
      this.#locals.set(name, [...this.#locals.get(name) ?? [], estimate]);
    }
    const result = body();
    for (const [name] of variables) this.#locals.get(name)!.pop();
    return result;
  }

  #call(call: Expression & { readonly kind: "call" }): Estimate {
    const reference = this.#checked.calls.get(call);
    if (reference === undefined) return this.#of(free, this.#unknown);
    const args = reference.args.map((arg) => this.estimate(arg));
    if (reference.name === "_?_:_") {
      const [condition, yes, no] = args as [Estimate, Estimate, Estimate];
      const branch = union(yes.cost, no.cost);
      return {
        cost: plus(condition.cost, { min: Math.max(0, branch.min - 1), max: branch.max }),
        size: union(yes.size, no.size),
        element: union(yes.element, no.element),
      };
    }
    const evaluated = plus(free, ...args.map(({ cost }) => cost));
    // An error ends a call early, and constants may have been computed at load.
    const cost = {
      min: 0,
      max: evaluated.max + Math.max(1, ...reference.overloads.map((one) => callCost(one, args))),
    };
    const sum = reference.overloads.length === 1 && reference.overloads[0]!.id.startsWith("add_");
    const size = sum ? plus(...args.map((arg) => arg.size)) : this.#sizeOf(call);
    return { cost, size, element: sum ? union(...args.map(({ element }) => element)) : this.#unknown };
  }

  #comprehension({ fold, range, variables, filter, body }: Comprehension): Estimate {
    const over = this.estimate(range);
    const first = this.#of(one, union(over.element, one)), second = this.#of(one, over.element);
    const scope = variables.map((name, index) => [name, index === 0 ? first : second] as const);
    const [kept, made] = this.#within(scope, () => [
      filter === undefined ? free : this.estimate(filter).cost,
      this.estimate(body),
    ]);
    const { min, max } = rounds[fold];
    const round = plus(kept, { min: filter === undefined ? made.cost.min : 0, max: made.cost.max });
    const ends = fold === "all" || fold === "exists";
    const cost = {
      min: over.cost.min + (ends ? Math.min(1, over.size.min) : over.size.min) * (round.min + min),
      max: over.cost.max + times(over.size.max, round.max + max) + 5,
    };
    const size = fold === "list" && filter === undefined ? over.size : { min: 0, max: over.size.max };
    if (fold === "all" || fold === "exists" || fold === "existsOne") return this.#of(cost, one);
    return { cost, size, element: fold === "filter" ? over.element : made.size };
  }
}

/** What a round of each fold costs beside its parts. */
const rounds: Readonly<Record<Fold, Range>> = {
  all: { min: 0, max: 3 },
  exists: { min: 0, max: 4 },
  existsOne: { min: 0, max: 2 },
  list: { min: 0, max: 12 },
  filter: { min: 0, max: 13 },
  map: { min: 0, max: 3 },
  mapEntry: { min: 0, max: 2 },
};

/** The most that a call of an overload may cost, for arguments of the sizes that are estimated. */
function callCost({ cost }: Overload, args: readonly Estimate[]): number {
  if (cost === undefined) return 1;
  const most = cost(args.map(({ size }) => new Sized(size.max)), new Sized(Infinity));
  return Number.isNaN(most) ? Infinity : most;
}

function isScalar({ kind, name, parameters }: CelType): boolean {
  if (kind === "opaque") return name === "optional_type" && isScalar(parameters[0]!);
  return ["null", "bool", "int", "uint", "double", "timestamp", "duration", "type"].includes(kind);
}

function fixed(size: number): Range {
  return { min: size, max: size };
}

function plus(...ranges: readonly Range[]): Range {
  return ranges.reduce((sum, { min, max }) => ({ min: sum.min + min, max: sum.max + max }), free);
}

function union(...ranges: readonly Range[]): Range {
  const [first = free, ...rest] = ranges;
  return rest.reduce(
    (all, { min, max }) => ({ min: Math.min(all.min, min), max: Math.max(all.max, max) }),
    first,
  );
}

/** A product in which nothing of anything is nothing. */
function times(count: number, each: number): number {
  return count === 0 || each === 0 ? 0 : count * each;
}
