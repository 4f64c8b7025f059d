import { CelFault, failure, isCelFault } from "../fault.ts";
import type { CelDialect, Result } from "../libraries/library.ts";
import { CelMap, isFloat, isListValue, Optional, typeNameOf, type Value } from "../values/mod.ts";
import { constantFrame, constantPlan, type EvaluateNode, type PlannedExpression } from "./frame.ts";

/** An element of a list; an `optional` one is left out when it is absent. */
export interface PlannedElement extends PlannedExpression {
  readonly optional: boolean;
}

/** An entry of a map. */
export interface PlannedEntry {
  readonly key: PlannedExpression;
  readonly value: PlannedExpression;
  readonly optional: boolean;
}

/** A field of an object. */
export interface PlannedField {
  readonly name: string;
  readonly run: EvaluateNode;
  readonly optional: boolean;
}

/** Plans `[a, ?b]`; a list of constants is a constant. */
export function planList(parts: readonly PlannedElement[]): PlannedExpression {
  const constants = parts.map(({ constant }) => constant);
  if (isListValue(constants) && !constants.some((value) => value === undefined || isCelFault(value))) {
    return constantPlan(constants);
  }
  return {
    run: (frame) => {
      const items: Value[] = [];
      let fault: CelFault | undefined;
      for (const { run, optional } of parts) {
        let value = run(frame);
        if (optional && !isCelFault(value)) value = opened(value, "list element") ?? skipped;
        if (value === skipped) continue;
        if (isCelFault(value)) {
          fault = value;
          break;
        }
        items.push(value);
      }
      frame.cost += 10;
      return fault ?? items;
    },
  };
}

/** Plans `{key: value}`; a map of constants is a constant. */
export function planMap(parts: readonly PlannedEntry[], dialect: CelDialect): PlannedExpression {
  // In Kubernetes, the last of several entries with the same key wins.
  const strict = dialect === "specification";
  const build: EvaluateNode = (frame) => {
    const map = new CelMap();
    for (const { key, value, optional } of parts) {
      const name = key.run(frame);
      if (isCelFault(name)) return name;
      let item = value.run(frame);
      if (optional && !isCelFault(item)) item = opened(item, "entry") ?? skipped;
      if (item === skipped) {
        map.delete(name);
        continue;
      }
      if (isCelFault(item)) return item;
      if (strict && map.has(name)) {
        return new CelFault("duplicate_key", `Failed with repeated key: ${String(name)}`);
      }
      if ((strict && isFloat(name)) || !map.set(name, item)) {
        return failure(`unsupported key type: ${typeNameOf(name)}`);
      }
    }
    return map;
  };
  if (parts.every(({ key, value }) => isValue(key.constant) && isValue(value.constant))) {
    return constantPlan(build(constantFrame()));
  }
  return {
    run: (frame) => {
      const map = build(frame);
      frame.cost += 30;
      return map;
    },
  };
}

/** Plans `Type{field: value}`. */
export function planStruct(parts: readonly PlannedField[]): EvaluateNode {
  return (frame) => {
    const object: { [key: string]: Value } = {};
    let fault: CelFault | undefined;
    for (const { name, run, optional } of parts) {
      let value = run(frame);
      if (optional && !isCelFault(value)) value = opened(value, "entry") ?? skipped;
      if (value === skipped) continue;
      if (isCelFault(value)) {
        fault = value;
        break;
      }
      Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
    }
    frame.cost += 40;
    return fault ?? object;
  };
}

/** Marks an absent optional element, which the list or map leaves out. */
const skipped = new CelFault("other", "skipped");

/** The value of an optional element, `undefined` when it has none, or the error when it is not an optional. */
function opened(value: Value, what: string): Result | undefined {
  if (value instanceof Optional) return value.value;
  return failure(`cannot initialize optional ${what} from non-optional value`);
}

function isValue(constant: Result | undefined): boolean {
  return constant !== undefined && !isCelFault(constant);
}
