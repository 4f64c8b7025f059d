import type { Phase, PolicyRequest, RuleWatch } from "../engine/mod.ts";
import type { Ports } from "../ports.ts";

/** Makes the spans of evaluations, when traces are on. */
export interface Tracing {
  /** Begins the span of an evaluation: of a review, or of audit rules after the answer. */
  begin(evaluation: TracedEvaluation): EvaluationSpans;
}

/** The evaluation that a trace describes. */
export interface TracedEvaluation {
  readonly request: PolicyRequest;
  readonly phase: Phase;
  readonly rules: "admission" | "audit";
  readonly ports: Ports;
  /** When the request arrived, on the clock of `performance.now()`. */
  readonly started: number;
}

/** The spans of one evaluation: of its rules, and of its calls through ports. */
export interface EvaluationSpans extends RuleWatch {
  readonly ports: Ports;
  /** Ends the evaluation's span, with a failure when it threw. */
  end(outcome: { readonly allowed: boolean } | { readonly failure: string }): void;
}

/** A watch that calls both watches. */
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
