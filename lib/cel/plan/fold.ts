import { CelFault, failure, firstFault, isCelFault, lastFault, noSuchOverload } from "../fault.ts";
import type { Result } from "../libraries/library.ts";
import type { Fold } from "../syntax/mod.ts";
import { CelMap, fromJsonNumber, isMapValue, mapEntries, typeNameOf, type Value } from "../values/mod.ts";
import type { EvaluateNode, EvaluationFrame } from "./frame.ts";
import { work } from "../work.ts";
import { rangeOf } from "./range.ts";

/** A comprehension with planned parts. */
export interface FoldPlan {
  readonly fold: Fold;
  readonly range: EvaluateNode;
  /** The slots of the variables: one or two. */
  readonly slots: readonly number[];
  readonly filter: EvaluateNode | undefined;
  readonly body: EvaluateNode;
  /** The cost of the one-element list that cel-go appends in each round: nothing when the element is constant. */
  readonly elementCost: 0 | 10;
}

/**
 * Plans a comprehension as one loop. Its costs are those of the accumulator to which cel-go expands macros. Each round
 * checks the budget first.
 */
export function planFold(plan: FoldPlan): EvaluateNode {
  const { fold, slots, body, filter } = plan;
  switch (fold) {
    case "all":
    case "exists":
      return planQuantifier(fold, plan);
    case "existsOne":
      return planCount(plan);
    case "filter": {
      const slot = slots[0]!;
      return planList({ ...plan, elementCost: 10 }, body, (frame) => {
        frame.cost += 1;
        return frame.slots[slot]!;
      });
    }
    case "list":
      return planList(plan, filter, body);
    case "map":
    case "mapEntry":
      return planMap(plan);
  }
}

/** `all` and `exists`: the first body that decides ends the loop, and earlier errors are then ignored. */
function planQuantifier(fold: "all" | "exists", { range, slots, body }: FoldPlan): EvaluateNode {
  const deciding = fold === "exists";
  // Before each round cel-go evaluates the condition on the accumulator.
  const look = deciding ? 3 : 2;
  const one = slots.length === 1 ? slots[0] : undefined;
  return (frame) => {
    const values = range(frame);
    if (isCelFault(values)) return values;
    let fault: CelFault | undefined;
    let decided = false;
    const round = (index: number, size: number): boolean => {
      const holds = body(frame);
      if (holds === deciding) {
        if (index + 1 < size) frame.cost += look;
        return true;
      }
      if (typeof holds !== "boolean") fault = firstFault(fault, isCelFault(holds) ? holds : noSuchOverload());
      return false;
    };
    if (one !== undefined && Array.isArray(values)) {
      for (let index = 0; index < values.length && !decided; index++) {
        frame.spend(look + 1);
        const element: Value = values[index];
        frame.slots[one] = typeof element === "number" ? fromJsonNumber(element) : element;
        decided = round(index, values.length);
      }
    } else {
      const rounds = rangeOf(frame, values, slots);
      if (isCelFault(rounds)) return rounds;
      for (let index = 0; index < rounds.size && !decided; index++) {
        frame.spend(look + 1);
        rounds.enter(index);
        decided = round(index, rounds.size);
      }
    }
    frame.cost += 1;
    return decided ? deciding : fault ?? !deciding;
  };
}

/** `exists_one`: counts, and an error of any element is the result. */
function planCount({ range, slots, body }: FoldPlan): EvaluateNode {
  return (frame) => {
    const values = range(frame);
    if (isCelFault(values)) return values;
    const rounds = rangeOf(frame, values, slots);
    if (isCelFault(rounds)) return rounds;
    let fault: CelFault | undefined;
    let count = 0;
    for (let index = 0; index < rounds.size; index++) {
      frame.spend(0);
      rounds.enter(index);
      const holds = body(frame);
      if (holds === true) {
        frame.cost += 2;
        count++;
      } else if (holds !== false) fault = lastFault(fault, isCelFault(holds) ? holds : noSuchOverload());
    }
    frame.cost += 2;
    return fault ?? count === 1;
  };
}

/** `map`, `filter` and `transformList`. Errors do not end the loop: the remaining rounds are evaluated and count. */
function planList(
  { range, slots, elementCost }: FoldPlan,
  filter: EvaluateNode | undefined,
  element: EvaluateNode,
): EvaluateNode {
  const one = slots.length === 1 ? slots[0] : undefined;
  // The cost of reading the accumulator, and of adding the new list to it.
  const cost = 2 + elementCost;
  return (frame) => {
    const values = range(frame);
    if (isCelFault(values)) return values;
    const items: Value[] = [];
    let fault: CelFault | undefined;
    const round = (): void => {
      if (filter !== undefined) {
        const keep = filter(frame);
        if (keep === false) return;
        if (keep !== true) {
          fault = lastFault(fault, isCelFault(keep) ? keep : noSuchOverload());
          return;
        }
      }
      const value = element(frame);
      frame.cost += cost;
      if (isCelFault(value)) fault = firstFault(fault, value);
      else items.push(value);
    };
    if (one !== undefined && Array.isArray(values)) {
      for (let index = 0; index < values.length; index++) {
        frame.spend(0);
        const value: Value = values[index];
        frame.slots[one] = typeof value === "number" ? fromJsonNumber(value) : value;
        round();
      }
    } else {
      const rounds = rangeOf(frame, values, slots);
      if (isCelFault(rounds)) return rounds;
      for (let index = 0; index < rounds.size; index++) {
        frame.spend(0);
        rounds.enter(index);
        round();
      }
    }
    frame.cost += 1;
    return fault ?? items;
  };
}

/** `transformMap` and `transformMapEntry`. */
function planMap({ fold, range, slots, filter, body }: FoldPlan): EvaluateNode {
  const insert = fold === "map" ? insertValue : insertEntries;
  return (frame) => {
    const values = range(frame);
    if (isCelFault(values)) return values;
    const rounds = rangeOf(frame, values, slots);
    if (isCelFault(rounds)) return rounds;
    const map = new CelMap();
    let fault: CelFault | undefined;
    for (let index = 0; index < rounds.size; index++) {
      frame.spend(0);
      rounds.enter(index);
      const keep = filter === undefined ? true : filter(frame);
      if (keep === false) continue;
      if (keep === true) {
        const mistake = insert(frame, { map, slot: slots[0]!, body, fault });
        if (mistake !== undefined) fault = firstFault(fault, mistake);
      } else fault = lastFault(fault, isCelFault(keep) ? keep : noSuchOverload());
    }
    frame.cost += 1;
    return fault ?? map;
  };
}

interface Insertion {
  readonly map: CelMap;
  readonly slot: number;
  readonly body: EvaluateNode;
  /** The fault of an earlier round. */
  readonly fault: CelFault | undefined;
}

/** One round of `transformMap`: the first variable is the key. After an error only the accumulator is read. */
function insertValue(frame: EvaluationFrame, { map, slot, body, fault }: Insertion): CelFault | undefined {
  if (fault !== undefined && fault.kind !== "pending") {
    frame.cost += 1;
    return fault;
  }
  const value = body(frame);
  frame.cost += 3;
  return isCelFault(value) ? value : insertNew(map, frame.slots[slot]!, value);
}

/** One round of `transformMapEntry`: the body is a map of added entries. */
function insertEntries(frame: EvaluationFrame, { map, body }: Insertion): CelFault | undefined {
  const entries = body(frame);
  frame.cost += 2;
  if (isCelFault(entries)) return entries;
  if (!isMapValue(entries)) return noSuchOverload("cel.@mapInsert");
  for (const [key, value] of mapEntries(entries)) {
    work(100);
    const fault = insertNew(map, key, value);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function insertNew(map: CelMap, key: Result, value: Value): CelFault | undefined {
  if (isCelFault(key)) return key;
  if (map.has(key)) return new CelFault("duplicate_key", `insert failed: key ${String(key)} already exists`);
  return map.set(key, value) ? undefined : failure(`unsupported key type: ${typeNameOf(key)}`);
}
