import { CelFault, failure, firstFault, isCelFault, noSuchOverload } from "../fault.ts";
import type { Result } from "../libraries/library.ts";
import type { Fold } from "../syntax/mod.ts";
import {
  CelMap,
  fromJsonNumber,
  isListValue,
  isMapValue,
  mapEntries,
  mapGet,
  mapKeys,
  typeNameOf,
  type Value,
} from "../values/mod.ts";
import type { Evaluate, Frame } from "./frame.ts";

/** A comprehension whose parts are planned. */
export interface FoldPlan {
  readonly fold: Fold;
  readonly range: Evaluate;
  /** Where the variables are: one slot, or two. */
  readonly slots: readonly number[];
  readonly filter: Evaluate | undefined;
  readonly body: Evaluate;
}

/** Gathers the result of one fold. Costs are those of the accumulator that the reference writes macros out to. */
interface Gatherer {
  /** Takes the current element in; `true` ends the loop. */
  step(frame: Frame): boolean;
  /** What a round costs before its body; the round that finds the loop ended costs this too. */
  readonly condition: number;
  result(): Result;
  readonly resultCost: number;
}

/** Plans a comprehension: a loop over the range with the gatherer of its fold. */
export function planFold(plan: FoldPlan): Evaluate {
  const { range, slots } = plan;
  const first = slots[0]!, second = slots[1];
  const gatherer = gathererOf(plan);
  return (frame) => {
    const values = range(frame);
    if (isCelFault(values)) return values;
    const gather = gatherer(frame);
    let ended = false;
    const round = (): boolean => {
      frame.spend(gather.condition);
      if (ended) return false;
      ended = gather.step(frame);
      return true;
    };
    if (isListValue(values)) {
      for (let index = 0; index < values.length; index++) {
        const element = values[index]!;
        const value = typeof element === "number" ? fromJsonNumber(element) : element;
        if (second === undefined) frame.slots[first] = value;
        else {
          frame.slots[first] = index;
          frame.slots[second] = value;
        }
        if (!round()) break;
      }
    } else if (isMapValue(values)) {
      if (second === undefined) {
        for (const key of mapKeys(values)) {
          frame.slots[first] = key;
          if (!round()) break;
        }
      } else {
        for (const [key, value] of mapEntries(values)) {
          frame.slots[first] = key;
          frame.slots[second] = typeof value === "number" ? fromJsonNumber(value) : value;
          if (!round()) break;
        }
      }
    } else return failure(`got '${typeNameOf(values)}', expected iterable type`);
    frame.cost += gather.resultCost;
    return gather.result();
  };
}

function gathererOf(plan: FoldPlan): (frame: Frame) => Gatherer {
  switch (plan.fold) {
    case "all":
      return () => new Quantifier(plan.body, false);
    case "exists":
      return () => new Quantifier(plan.body, true);
    case "existsOne":
      return () => new Counter(plan.body);
    case "filter": {
      const slot = plan.slots[0]!;
      const element: Evaluate = (frame) => {
        frame.cost += 1;
        return frame.slots[slot]!;
      };
      return () => new ListBuilder(plan.body, element);
    }
    case "list":
      return () => new ListBuilder(plan.filter, plan.body);
    case "map": {
      const slot = plan.slots[0]!;
      const entry = (frame: Frame): readonly [Result, Result] => {
        frame.cost += 1;
        return [frame.slots[slot]!, plan.body(frame)];
      };
      return () => new MapBuilder(plan.filter, (frame) => [entry(frame)]);
    }
    case "mapEntry":
      return () =>
        new MapBuilder(plan.filter, (frame) => {
          const entries = plan.body(frame);
          if (isCelFault(entries)) return entries;
          return isMapValue(entries) ? [...mapEntries(entries)] : noSuchOverload("cel.@mapInsert");
        });
  }
}

/** `all` and `exists`: ends at the first body that decides, and lets that absorb errors. */
class Quantifier implements Gatherer {
  readonly #body: Evaluate;
  readonly #deciding: boolean;
  #decided = false;
  #fault: CelFault | undefined;
  readonly condition: number;
  readonly resultCost = 1;

  constructor(body: Evaluate, deciding: boolean) {
    this.#body = body;
    this.#deciding = deciding;
    this.condition = deciding ? 3 : 2;
  }

  step(frame: Frame): boolean {
    frame.cost += 1;
    const holds = this.#body(frame);
    if (holds === this.#deciding) return this.#decided = true;
    if (typeof holds !== "boolean") {
      this.#fault = firstFault(this.#fault, isCelFault(holds) ? holds : noSuchOverload());
    }
    return false;
  }

  result(): Result {
    return this.#decided ? this.#deciding : this.#fault ?? !this.#deciding;
  }
}

/** `exists_one`: counts, and an error of any element is the result. */
class Counter implements Gatherer {
  readonly #body: Evaluate;
  #count = 0;
  #fault: CelFault | undefined;
  readonly condition = 0;
  readonly resultCost = 2;

  constructor(body: Evaluate) {
    this.#body = body;
  }

  step(frame: Frame): boolean {
    const holds = this.#body(frame);
    if (holds === true) {
      frame.cost += 2;
      this.#count++;
    } else if (holds !== false) {
      this.#fault = firstFault(this.#fault, isCelFault(holds) ? holds : noSuchOverload());
    }
    return false;
  }

  result(): Result {
    return this.#fault ?? this.#count === 1;
  }
}

/** `map`, `filter` and `transformList`. Errors do not end the loop: what is left is evaluated and paid for. */
class ListBuilder implements Gatherer {
  readonly #filter: Evaluate | undefined;
  readonly #element: Evaluate;
  readonly #items: Value[] = [];
  #fault: CelFault | undefined;
  readonly condition = 0;
  readonly resultCost = 1;

  constructor(filter: Evaluate | undefined, element: Evaluate) {
    this.#filter = filter;
    this.#element = element;
  }

  step(frame: Frame): boolean {
    if (this.#filter !== undefined) {
      const keep = this.#filter(frame);
      if (keep === false) return false;
      if (keep !== true) {
        this.#fault = firstFault(this.#fault, isCelFault(keep) ? keep : noSuchOverload());
        return false;
      }
    }
    frame.cost += 1;
    const element = this.#element(frame);
    // A list of one (10), and the sum of two lists.
    frame.cost += 11;
    if (isCelFault(element)) this.#fault = firstFault(this.#fault, element);
    else this.#items.push(element);
    return false;
  }

  result(): Result {
    return this.#fault ?? this.#items;
  }
}

/** `transformMap` and `transformMapEntry`. */
class MapBuilder implements Gatherer {
  readonly #filter: Evaluate | undefined;
  readonly #entries: (frame: Frame) => CelFault | readonly (readonly [Result, Result])[];
  readonly #map = new CelMap();
  #fault: CelFault | undefined;
  readonly condition = 0;
  readonly resultCost = 1;

  constructor(
    filter: Evaluate | undefined,
    entries: (frame: Frame) => CelFault | readonly (readonly [Result, Result])[],
  ) {
    this.#filter = filter;
    this.#entries = entries;
  }

  step(frame: Frame): boolean {
    if (this.#filter !== undefined) {
      const keep = this.#filter(frame);
      if (keep === false) return false;
      if (keep !== true) {
        this.#fault = firstFault(this.#fault, isCelFault(keep) ? keep : noSuchOverload());
        return false;
      }
    }
    frame.cost += 1;
    const entries = this.#entries(frame);
    frame.cost += 1;
    const fault = isCelFault(entries) ? entries : this.#insert(entries);
    if (fault !== undefined) this.#fault = firstFault(this.#fault, fault);
    return false;
  }

  #insert(entries: readonly (readonly [Result, Result])[]): CelFault | undefined {
    for (const [key, value] of entries) {
      if (isCelFault(key)) return key;
      if (isCelFault(value)) return value;
      if (mapGet(this.#map, key) !== undefined) {
        return new CelFault("duplicate_key", `insert failed: key ${String(key)} already exists`);
      }
      if (!this.#map.set(key, value)) return failure(`unsupported key type: ${typeNameOf(key)}`);
    }
    return undefined;
  }

  result(): Result {
    return this.#fault ?? this.#map;
  }
}
