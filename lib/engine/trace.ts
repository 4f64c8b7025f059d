import type { ObservedCondition } from "../condition/mod.ts";
import type {
  ConditionOwner,
  EntrySource,
  ObservedAttestor,
  ObservedElement,
  ObservedEntry,
  ObservedException,
  ObservedExpression,
  ObservedPattern,
  Observer,
} from "../context/mod.ts";
import { type Fault, isFault, type Json, type JsonObject, jsonSize } from "../json/mod.ts";
import type { ExplainedSelection } from "../match/mod.ts";
import { diff, type PatchOperation } from "../patch/mod.ts";
import type { Policy } from "../policy/mod.ts";
import { type Clock, elapsedOn } from "../ports.ts";
import { patchedObject, type RuleBody, type RuleType } from "../rules/mod.ts";
import type { CompiledRule } from "./compiled.ts";
import type { Decision, RuleResult } from "./decision.ts";
import type { RuleWatch } from "./rule_watch.ts";

/** A value that was loaded from outside, once for the request. */
export interface LoadTrace {
  /** The name of the load: `ConfigMap default/teams`, `GET /api/v1/namespaces`. */
  readonly key: string;
  readonly milliseconds: number;
  /** The size of the answer as JSON in UTF-8, in bytes; 0 for a failure. */
  readonly bytes: number;
  readonly failure: string | undefined;
}

/** A context entry that a rule read. */
export interface EntryTrace {
  readonly name: string;
  readonly source: EntrySource;
  /** `absent`: the source cannot be loaded here, so the name counts as not declared. */
  readonly state: "read" | "failed" | "absent";
  /** Why it failed. */
  readonly failure: string | undefined;
  readonly bytes: number;
  /** Milliseconds, including the loads that it waited for. */
  readonly milliseconds: number;
  readonly loads: readonly LoadTrace[];
}

/** One step of a rule's evaluation. */
export type TraceStep =
  | { readonly kind: "entry"; readonly entry: EntryTrace }
  | { readonly kind: "condition"; readonly owner: ConditionOwner; readonly condition: ObservedCondition }
  | { readonly kind: "expression"; readonly expression: ObservedExpression }
  | { readonly kind: "element"; readonly element: ObservedElement }
  | { readonly kind: "pattern"; readonly pattern: ObservedPattern }
  | { readonly kind: "exception"; readonly exception: ObservedException }
  | { readonly kind: "attestor"; readonly attestor: ObservedAttestor }
  /** The following steps are of the evaluation for the old object, which shows whether it violated the rule before. */
  | { readonly kind: "existing" };

/** The recorded evaluation of one rule. */
export interface RuleTrace {
  readonly policy: Policy<RuleBody>;
  readonly rule: string;
  readonly type: RuleType;
  /** The kind of its body: `pattern`, `deny`, `foreach` … */
  readonly body: string;
  /** The written rule from which an autogen rule was made. */
  readonly generatedFrom: string | undefined;
  /**
   * Why the rule was not evaluated: the policy is for another namespace, its match conditions do not hold, or an
   * earlier rule applied and the policy applies one.
   */
  readonly passedOverBy: "namespace" | "matchConditions" | "applyRules" | undefined;
  /** The selection by match and exclude; `undefined` when nothing could be matched, such as an empty object. */
  readonly selection: ExplainedSelection | undefined;
  /** The steps in order; for a rule that waited for values, those of its last, complete evaluation. */
  readonly steps: readonly TraceStep[];
  /** Empty for a rule that does not match. */
  readonly results: readonly RuleResult[];
  /** The changes of a mutation, compared with the object as the rule found it. */
  readonly changes: readonly PatchOperation[];
  /** Whether the rule denies the request. */
  readonly denies: boolean;
  /** The number of evaluations: one more for each round of loads that it waited for. */
  readonly attempts: number;
}

type Draft = { -readonly [name in keyof RuleTrace]: RuleTrace[name] } & { steps: TraceStep[] };

/**
 * The recorded evaluation of one request. Evaluation is synchronous between loads, so at most one rule is recorded at
 * a time.
 */
export class Trace implements Observer, RuleWatch {
  /** The rules in the order of evaluation. Rules that the index passed over come first. */
  readonly rules: RuleTrace[] = [];
  readonly loads: LoadTrace[] = [];
  readonly #clock: Clock;
  readonly #begun = new Map<string, number>();
  readonly #entries: { readonly since: number; readonly keys: string[] }[] = [];
  readonly #attempts = new Map<CompiledRule, number>();
  #current: Draft | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins the record of a rule. */
  begin(policy: Policy<RuleBody>, rule: CompiledRule): void {
    const attempts = (this.#attempts.get(rule) ?? 0) + 1;
    this.#attempts.set(rule, attempts);
    this.#current = { ...identity(policy, rule), attempts };
  }

  /** Notes that the rule waits for values, and will begin again. */
  postpone(): void {
    this.#current = undefined;
  }

  /** Ends the record of a rule with its results; `object` is the object that it was evaluated for. */
  finish(results: readonly RuleResult[], object: JsonObject | undefined): void {
    const patched = results.map(patchedObject).find((each) => each !== undefined);
    const changes = patched === undefined || object === undefined ? [] : diff(object, patched);
    if (this.#current !== undefined) this.rules.push({ ...this.#current, results, changes });
    this.#current = undefined;
  }

  /** Marks the rules that deny the request. */
  decide({ denying }: Pick<Decision, "denying">): void {
    for (const [index, trace] of this.rules.entries()) {
      const denies = denying.some(({ rule }) => trace.results.includes(rule));
      if (denies) this.rules[index] = { ...trace, denies };
    }
  }

  /** Records a rule that was not evaluated: the index or its whole policy passed it over. */
  passOver(
    policy: Policy<RuleBody>,
    rule: CompiledRule,
    reason: Pick<RuleTrace, "passedOverBy" | "selection">,
  ): void {
    this.rules.push({ ...identity(policy, rule), ...reason });
  }

  select(selection: ExplainedSelection): void {
    // The first selection is about the new object, which is why the rule applies; a later one is about the old
    // object.
    if (this.#current !== undefined) this.#current.selection ??= selection;
  }

  /** Notes that the rule is now evaluated for the old object. */
  turnToExisting(): void {
    this.#step({ kind: "existing" });
  }

  condition(owner: ConditionOwner, condition: ObservedCondition): void {
    this.#step({ kind: "condition", owner, condition });
  }

  expression(expression: ObservedExpression): void {
    this.#step({ kind: "expression", expression });
  }

  element(element: ObservedElement): void {
    this.#step({ kind: "element", element });
  }

  pattern(pattern: ObservedPattern): void {
    this.#step({ kind: "pattern", pattern });
  }

  exception(exception: ObservedException): void {
    this.#step({ kind: "exception", exception });
  }

  attestor(attestor: ObservedAttestor): void {
    this.#step({ kind: "attestor", attestor });
  }

  beginEntry(_entry: ObservedEntry): void {
    this.#entries.push({ since: elapsedOn(this.#clock), keys: [] });
  }

  finishEntry({ name, source }: ObservedEntry, value: Json | Fault | undefined): void {
    const { since, keys } = this.#entries.pop() ?? { since: elapsedOn(this.#clock), keys: [] };
    const loads = this.loads.filter(({ key }) => keys.includes(key));
    const waited = loads.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
    const failure = isFault(value) ? value.message : undefined;
    const state = value === undefined ? "absent" : failure === undefined ? "read" : "failed";
    const entry: EntryTrace = {
      name,
      source,
      state,
      failure,
      bytes: sizeOf(value),
      milliseconds: this.#sinceThen(since) + waited,
      loads,
    };
    // An absent entry is reported at each read; the trace records the first.
    const isRecorded = this.#current?.steps.some((step) =>
      step.kind === "entry" && step.entry.state === "absent" && step.entry.name === name
    );
    if (!isRecorded) this.#step({ kind: "entry", entry });
  }

  loading(key: string, state: "cached" | "under way" | "begins"): void {
    this.#entries.at(-1)?.keys.push(key);
    if (state === "begins") this.#begun.set(key, elapsedOn(this.#clock));
  }

  loaded(key: string, answer: Json | Fault): void {
    this.loads.push({
      key,
      milliseconds: this.#sinceThen(this.#begun.get(key)),
      bytes: sizeOf(answer),
      failure: isFault(answer) ? answer.message : undefined,
    });
  }

  /** Whole milliseconds since a time of the clock; 0 for none. */
  #sinceThen(time: number | undefined): number {
    return time === undefined ? 0 : Math.round(elapsedOn(this.#clock) - time);
  }

  #step(step: TraceStep): void {
    this.#current?.steps.push(step);
  }
}

function identity(policy: Policy<RuleBody>, { rule, type, kind }: CompiledRule): Draft {
  const source = rule.generatedFor === undefined
    ? undefined
    : rule.name.replace(/^autogen-(?:cronjob-)?/, "");
  return {
    policy,
    rule: rule.name,
    type,
    body: kind,
    generatedFrom: source,
    passedOverBy: undefined,
    selection: undefined,
    steps: [],
    results: [],
    changes: [],
    denies: false,
    attempts: 0,
  };
}

function sizeOf(value: Json | Fault | undefined): number {
  return value === undefined || isFault(value) ? 0 : jsonSize(value);
}
