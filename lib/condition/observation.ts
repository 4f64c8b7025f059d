import type { Fault, Json } from "../json/mod.ts";
import type { DocumentPath } from "../template/mod.ts";

/** One condition as it was evaluated, for explanations. */
export interface ObservedCondition {
  /** The place in the compiled conditions: `["all", 0]`. */
  readonly path: DocumentPath;
  readonly operator: string;
  /** Key and value with their variables replaced; absent when a fault came before. */
  readonly key?: Json;
  readonly value?: Json;
  /** Why a variable in key or value has no value, where an empty text stands for it: in the classic dialect. */
  readonly unresolved?: readonly string[];
  readonly message: string;
  /** What it came to. */
  readonly result: boolean | Fault;
}

/** Is told of each condition that is evaluated, in order. Those that need not be evaluated are not reported. */
export type Observe = (condition: ObservedCondition) => void;
