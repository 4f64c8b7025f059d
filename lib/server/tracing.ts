import type { Phase, PolicyRequest, RuleWatch } from "../engine/mod.ts";
import type { Ports } from "../ports.ts";

/** Makes spans of evaluations, where traces are switched on. */
export interface Tracing {
  /** An evaluation begins: of a review, or of the rules that only audit, after the answer. */
  begin(evaluation: TracedEvaluation): EvaluationSpans;
}

/** The evaluation that a trace describes. */
export interface TracedEvaluation {
  readonly request: PolicyRequest;
  readonly phase: Phase;
  readonly rules: "admission" | "audit";
  readonly ports: Ports;
  /** When the request came, on the clock of `performance.now()`. */
  readonly started: number;
}

/** The spans of one evaluation: of its rules, and of the calls that it makes through its ports. */
export interface EvaluationSpans extends RuleWatch {
  readonly ports: Ports;
  /** The evaluation is over; `failure` when it broke. */
  end(outcome: { readonly allowed: boolean } | { readonly failure: string }): void;
}

/** Calls both watches. */
export function joinedWatch(one: RuleWatch | undefined, other: RuleWatch | undefined): RuleWatch | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return {
    begin(policy, rule) {
      one.begin(policy, rule);
      other.begin(policy, rule);
    },
    postpone() {
      one.postpone();
      other.postpone();
    },
    finish(results, object) {
      one.finish(results, object);
      other.finish(results, object);
    },
  };
}
