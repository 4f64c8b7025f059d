import type { Json, JsonObject } from "../json/mod.ts";
import type { PatchOperation } from "../patch/mod.ts";
import type { ObservedLookup } from "./lookups.ts";
import type { RuleReport } from "./rule_report.ts";
import type { InputName } from "./input.ts";

/** An object that a rule changes besides its trigger. */
export interface ChangedTarget {
  /** The object in the cluster; `undefined` when there is none. */
  readonly before: JsonObject | undefined;
  readonly after: JsonObject;
}

/** The results of all policies for one object, with their explanation, as plain data. */
export interface InputOutcome {
  readonly input: InputName;
  readonly inputKind: "object" | "review" | "payload";
  readonly allowed: boolean;
  /** In the order of evaluation. */
  readonly rules: readonly RuleReport[];
  /** The object before all mutations; `null` when a request has none. */
  readonly object: Json;
  /** The object after all mutations; `null` when there is none. */
  readonly mutated: Json;
  /** The patch from the given object to the mutated one. */
  readonly patch: readonly PatchOperation[];
  /** Objects that generate rules make. */
  readonly generated: readonly JsonObject[];
  readonly targets: readonly ChangedTarget[];
  readonly lookups: readonly ObservedLookup[];
  /** The AdmissionReview that answers the request; absent for JSON that is no Kubernetes object. */
  readonly response?: JsonObject;
  /** The text that `kubectl` prints; absent for JSON that is no Kubernetes object. */
  readonly kubectl?: string;
}

/** The number of rules by outcome; rules that do not apply are not counted. */
export type OutcomeCounts = Readonly<Record<"pass" | "fail" | "error" | "skip", number>>;

/** The outcome of one input in one line. */
export interface InputSummary {
  /** The index among the inputs. */
  readonly index: number;
  readonly input: InputName;
  readonly allowed: boolean;
  /** Whether mutations change the object. */
  readonly changed: boolean;
  readonly counts: OutcomeCounts;
}

/** The line for an outcome. */
export function summaryOf(
  { input, allowed, rules, patch }: InputOutcome,
  index: number,
): InputSummary {
  const counts = { pass: 0, fail: 0, error: 0, skip: 0 };
  for (const { outcome } of rules) if (outcome !== "not applied") counts[outcome]++;
  return { index, input, allowed, changed: patch.length > 0, counts };
}
