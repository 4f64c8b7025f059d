import type { CompiledPolicy, CompiledRule, Snapshot } from "../engine/mod.ts";
import { asList, asObject, asString, field, goJson, type Json, type JsonObject } from "../json/mod.ts";
import { changesOthers } from "../rules/mod.ts";

/** The digests of a rule: of its identity, of the fields that select objects, and of the whole rule. */
interface RuleDigests {
  readonly key: string;
  readonly selection: string;
  readonly whole: string;
}

/** The remembered state of a rule. */
interface Remembered extends Pick<RuleDigests, "selection" | "whole"> {
  /** Milliseconds since 1970, by the API server's clock, when the rule began to select objects as it does now. */
  readonly since: number;
}

/** A rule that changes other objects, with its history. */
export interface RuleInForce {
  /** The identity of the rule in the memory. */
  readonly key: string;
  readonly policy: CompiledPolicy["policy"];
  readonly rule: CompiledRule;
  /** Objects created since then were admitted under the rule. */
  readonly since: number;
  /** Whether the rule is new, or differs from the remembered one, or is {@link resumed}. */
  readonly changed: boolean;
  /** Whether existing objects were being evaluated for the rule, and for some of them it may not have been. */
  readonly resumed: boolean;
}

/**
 * Stores when each rule came into force, so that the time survives restarts. A rule that does not look back leaves
 * alone the triggers that are older than itself; the cluster does not show whether such a trigger never had a
 * generated object or somebody deleted it.
 */
export class RulesInForce {
  #rules: ReadonlyMap<string, Remembered>;
  readonly #digests = new WeakMap<CompiledRule, RuleDigests>();
  /** The evaluations of existing objects that have not ended, by the key of their rule. */
  readonly #evaluations = new Map<string, symbol>();

  /** Reads the text of {@link text}; any other text is an empty memory. */
  constructor(text = "") {
    this.#rules = new Map(
      text.split("\n").map((line) => line.split(" ")).filter((parts) => parts.length === 4).map((
        [key, since, selection, whole],
      ) => [key!, { since: Number(since) * 1000, selection: selection!, whole: whole! }]),
    );
  }

  /**
   * Takes the current rules that change other objects, and forgets rules that are gone. `now` is the API server's time.
   */
  async update(snapshot: Snapshot, now: number): Promise<readonly RuleInForce[]> {
    const lookingBack = new Map<string, Remembered>(), others = new Map<string, Remembered>();
    const inForce: RuleInForce[] = [];
    for (const { policy, rules } of snapshot.policies) {
      for (const rule of rules.filter(({ type }) => changesOthers(type))) {
        const { key, selection, whole } = await this.#digestsOf(policy, rule);
        const former = this.#rules.get(key);
        // Creation times have whole seconds, so an object of the same second may be older than the rule.
        const since = former?.selection === selection ? former.since : Math.ceil(now / 1000) * 1000;
        const remembered = rule.body.appliesToExisting === true ? lookingBack : others;
        remembered.set(key, { since, selection, whole });
        const resumed = former?.whole === unevaluated;
        inForce.push({ key, policy, rule, since, changed: former?.whole !== whole, resumed });
      }
    }
    // Without its memory such a rule would look at all existing objects again after a restart.
    this.#rules = new Map([...lookingBack, ...others]);
    return inForce;
  }

  /** The digests of a rule, once for its compiled form: the change of one policy leaves those of thousands. */
  async #digestsOf(policy: CompiledPolicy["policy"], rule: CompiledRule): Promise<RuleDigests> {
    const former = this.#digests.get(rule);
    if (former !== undefined) return former;
    const key = await digest([policy.kind, policy.key, rule.rule.name]);
    const found = { key, ...await digests(policy.document, rule.rule.name) };
    this.#digests.set(rule, found);
    return found;
  }

  /**
   * Notes that existing objects are being evaluated for a rule. Until the returned function is called with `true`, the
   * rule counts as changed after a restart; after `false`, also in the next comparison.
   */
  evaluating(key: string): (isComplete: boolean) => void {
    const evaluation = Symbol();
    this.#evaluations.set(key, evaluation);
    return (isComplete) => {
      if (this.#evaluations.get(key) !== evaluation) return;
      this.#evaluations.delete(key);
      const rule = this.#rules.get(key);
      if (!isComplete && rule !== undefined) {
        this.#rules = new Map([...this.#rules, [key, { ...rule, whole: unevaluated }]]);
      }
    };
  }

  /** The memory as text for an annotation, some 60 characters a rule, of as many rules as it has room for. */
  get text(): string {
    return [...this.#rules].slice(0, mostRules).map(([key, { since, selection, whole }]) =>
      `${key} ${Math.floor(since / 1000)} ${selection} ${this.#evaluations.has(key) ? unevaluated : whole}`
    ).join("\n");
  }
}

/**
 * The most rules that an annotation holds: all annotations of an object may have 256 KB, and a leader whose Lease the
 * API server refuses to store could not go on leading.
 */
const mostRules = 3_500;

/** Stands for the digest of a rule that was not evaluated for all existing objects. */
const unevaluated = "-";

/** The fields of a rule, in YAML or CEL, that select its objects. */
const choosing = [
  "match",
  "exclude",
  "preconditions",
  "celPreconditions",
  "matchConstraints",
  "matchConditions",
];

/** A rule as the policy's document has it; the whole `spec` for a policy that is one rule. */
export function writtenRule(document: JsonObject, name: string): JsonObject {
  const spec = field(document, "spec") ?? {};
  const rule = asList(field(spec, "rules")).find((each) => asString(field(each, "name")) === name);
  return asObject(rule ?? spec) ?? {};
}

async function digests(
  document: JsonObject,
  rule: string,
): Promise<{ readonly selection: string; readonly whole: string }> {
  const fields = Object.entries(writtenRule(document, rule));
  return {
    selection: await digest(fields.filter(([name]) => choosing.includes(name))),
    whole: await digest(fields),
  };
}

async function digest(value: Json): Promise<string> {
  const bytes = new TextEncoder().encode(goJson(value));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return hash.subarray(0, 8).toHex();
}
