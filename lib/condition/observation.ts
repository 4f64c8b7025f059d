import type { DocumentPath, Fault, Json } from "../json/mod.ts";

/** One condition as it was evaluated, for explanations. */
export interface ObservedCondition {
  /** The path in the compiled conditions: `["all", 0]`. */
  readonly path: DocumentPath;
  readonly operator: string;
  /** The condition as the policy has it; in an autogen rule, as that has it. */
  readonly written: Json;
  /** Key and value with their variables replaced; absent when a fault came before. */
  readonly key?: Json;
  readonly value?: Json;
  /** In the classic dialect, where a variable without a value is an empty string: why variables have no value. */
  readonly unresolved?: readonly string[];
  readonly message: string;
  /** The result of the condition. */
  readonly result: boolean | Fault;
}

/** Receives each condition that is evaluated, in order. */
export type Observe = (condition: ObservedCondition) => void;
