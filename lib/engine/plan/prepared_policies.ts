import type { KindSelector } from "../../kube/mod.ts";
import type { CompiledPolicy } from "../compiled.ts";
import { subresourceKinds } from "../parent_kinds.ts";
import { type Phase, rulesOfPhase } from "../phase.ts";
import { JointGroups } from "./joint_policies.ts";
import { RulesForTypes } from "./rules_for_type.ts";

/** The bytes that all preparations may take, where there is no limit of memory. */
const usualBytes = 64_000_000;

/**
 * The policies prepared for types of requests. Snapshots that follow each other share them, so that the change of one
 * policy does not make requests wait for the preparation of all.
 *
 * Types come from requests, so all preparations together may take `mostBytes`, estimated: half of them until they begin
 * again, half for what was prepared until then, which is taken over when it is used again. So a namespace that fills
 * the memory makes little work for others.
 */
export class PreparedPolicies {
  readonly #mostBytes: number;
  readonly #ofPhases = new WeakMap<CompiledPolicy, Map<Phase, CompiledPolicy>>();
  readonly #subresourceKinds = new WeakMap<CompiledPolicy, readonly KindSelector[]>();
  #selections = 0;
  #rules = new RulesForTypes();
  #groups = new JointGroups();

  constructor(mostBytes = usualBytes) {
    this.#mostBytes = mostBytes;
  }

  /** The bytes that were taken since it began, estimated. */
  get bytes(): number {
    return this.#selections + this.#rules.bytes + this.#groups.bytes;
  }

  get rules(): RulesForTypes {
    return this.#rules;
  }

  get groups(): JointGroups {
    return this.#groups;
  }

  /** A policy with its rules of a phase; `undefined` when it has none. */
  ofPhase(policy: CompiledPolicy, phase: Phase): CompiledPolicy | undefined {
    let phases = this.#ofPhases.get(policy);
    if (phases === undefined) this.#ofPhases.set(policy, phases = new Map());
    const found = phases.get(phase);
    if (found !== undefined) return found;
    const rules = rulesOfPhase(policy.rules, phase);
    if (rules.length === 0) return undefined;
    const made = { ...policy, rules };
    phases.set(phase, made);
    return made;
  }

  /** The kinds of a policy that name subresources. */
  subresourceKinds(policy: CompiledPolicy): readonly KindSelector[] {
    const found = this.#subresourceKinds.get(policy);
    if (found !== undefined) return found;
    const made = subresourceKinds(policy);
    this.#subresourceKinds.set(policy, made);
    return made;
  }

  /** Counts the bytes of a selection. */
  count(bytes: number): void {
    this.#selections += bytes;
  }

  /** Begins again when half of the bytes are taken. Selections then hold other {@link rules}, and are made again. */
  dropBeyondLimit(): void {
    if (this.bytes <= this.#mostBytes / 2) return;
    this.#selections = 0;
    this.#rules = new RulesForTypes(this.#rules);
    this.#groups = new JointGroups(this.#groups);
  }
}
