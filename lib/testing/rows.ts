import type { Diagnostic, DiagnosticCode, Position } from "../diagnostics/mod.ts";
import type { RuleResult } from "../engine/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import { reportedResult, type TestRow } from "../report/mod.ts";
import { effectsOf, ownerOf, planErrorsOf } from "../rules/mod.ts";
import {
  type AppliedStep,
  identityOf,
  identityText,
  isNamed,
  isSameObject,
  isSpecified,
  type ObjectIdentity,
} from "../apply/mod.ts";
import { hasRules, isRuleNamed } from "../policy/mod.ts";
import type { Expectation } from "./test_case.ts";
import { ExpectedObjects, type ObjectMatch } from "./expected.ts";
import { verdictOf } from "./verdict.ts";
import type { ObjectAnswer, TestRun } from "./run.ts";

/** The rows of a test, with remarks about entries that prove less than they seem to. */
export interface TestRows {
  readonly rows: readonly TestRow[];
  readonly remarks: readonly Diagnostic[];
}

/**
 * Compares the results of the policies with the expected ones.
 *
 * Kyverno parity, also where it is lenient: an entry that names no object of the test applies to all of them; a rule
 * without a result for an object passes as `Excluded`, whatever was expected; an object that is missing in a file of
 * expected objects is passed over; a policy with an error is skipped. Remarks name each of these. Pinned by
 * tests/testing/kyverno_parity_test.ts and tests/cli/test_entries_test.ts.
 */
export async function testRows(run: TestRun, expectations: readonly Expectation[]): Promise<TestRows> {
  const objects = new ExpectedObjects(run.found.folder);
  const rows: TestRow[] = [];
  const remarks: Diagnostic[] = [];
  for (const expectation of expectations) {
    const entry = new EntryRows(run, expectation, objects);
    await entry.compare();
    rows.push(...entry.rows);
    remarks.push(...entry.remarks);
  }
  return { rows, remarks };
}

const equalMatch: ObjectMatch = { kind: "equal" };

/** The result of a rule for one object. */
interface ObjectResult {
  readonly rule: RuleResult;
  readonly step: AppliedStep;
  readonly identity: ObjectIdentity;
}

/** The rows of one entry of `results`. */
class EntryRows {
  readonly rows: TestRow[] = [];
  readonly remarks: Diagnostic[] = [];
  readonly #run: TestRun;
  readonly #expectation: Expectation;
  readonly #objects: ExpectedObjects;
  readonly #policyName: string;

  constructor(run: TestRun, expectation: Expectation, objects: ExpectedObjects) {
    this.#run = run;
    this.#expectation = expectation;
    this.#objects = objects;
    this.#policyName = expectation.policy.split("/").at(-1)!;
  }

  async compare(): Promise<void> {
    const { targets, answers } = this.#run;
    const triggers = answers.get(this.#expectation.operation) ?? [];
    for (
      const identity of chosen(
        this.#expectation,
        [...targets, ...triggers].map((answer) => answer.identity),
      )
    ) {
      const before = this.rows.length;
      const passedOver = await this.#addRows(identity, triggers);
      await this.#changed(identity, targets);
      if (this.rows.length === before && !passedOver) this.#missing(identity, triggers);
    }
  }

  /** Adds the rows about the object itself; returns whether a result about it was passed over. */
  async #addRows(identity: ObjectIdentity, triggers: readonly ObjectAnswer[]): Promise<boolean> {
    const before = this.rows.length;
    let passedOver = false, isExcluded = false, hasResult = false;
    for (const step of this.#stepsFor(identity, triggers)) {
      for (const rule of step.rules.filter((each) => !hasRules(step.policy.kind) || this.#isMeant(each))) {
        hasResult = true;
        if (rule.type === "generate") await this.#generated({ rule, step, identity });
        else if (!await this.#checked({ rule, step, identity })) passedOver = true;
      }
      if (this.rows.length === before && !passedOver) {
        this.#add(identity, { rule: this.#expectation.rule, result: "Pass", reason: "Excluded" });
        isExcluded = true;
      }
    }
    // A policy that mutates and validates is evaluated twice; a rule has a result in one of the two.
    if (isExcluded && !hasResult) this.#remarkExcluded(identity);
    return passedOver;
  }

  /** Adds the rows of rules that changed the object while they were evaluated for others. */
  async #changed(identity: ObjectIdentity, targets: readonly ObjectAnswer[]): Promise<void> {
    for (const step of this.#stepsFor(identity, targets)) {
      for (const rule of step.rules) {
        const object = effectsOf(rule).map((effect) => effect.object).find((each) =>
          isSameObject(identityOf(each), identity)
        );
        if (rule.type !== "mutateExisting" || object === undefined) continue;
        this.#addOutcome({ rule, step, identity }, await this.#match(object));
        break;
      }
    }
  }

  #stepsFor(identity: ObjectIdentity, answers: readonly ObjectAnswer[]): AppliedStep[] {
    return answers.filter((answer) => isSameObject(answer.identity, identity)).flatMap(({ steps }) =>
      steps.filter(({ policy }) => policy.name === this.#policyName)
    );
  }

  /**
   * Kyverno parity: a rule stands for its autogen rules too. Pinned by "an entry for a rule includes its autogen
   * rules".
   */
  #isMeant(rule: RuleResult): boolean {
    const { rule: name } = this.#expectation;
    return name === "" || isRuleNamed(rule.rule, name);
  }

  /**
   * Adds the row of a rule; false when no file has the object to compare, which is no failure unless the entry says
   * so.
   */
  async #checked(result: ObjectResult): Promise<boolean> {
    const { patchedResources, failOnMissingResources } = this.#expectation;
    const match = patchedResources === undefined ? equalMatch : await this.#match(result.step.object ?? {});
    if (match.kind === "absent" && !failOnMissingResources) {
      const { rule, step } = result;
      const why = step.object === undefined
        ? `rule "${rule.rule}" left no object: ${rule.message}`
        : match.message;
      this.#remark("not-compared", `Nothing was compared: ${why}`);
      return false;
    }
    this.#addOutcome(result, match);
    return true;
  }

  async #generated(result: ObjectResult): Promise<void> {
    const made = effectsOf(result.rule).filter(({ verb, object }) => verb !== "delete" && ownerOf(object))
      .map(({ object }) => object);
    if (made.length === 0) {
      this.#addOutcome(result, equalMatch);
      this.#remarkNothingMade(result);
    }
    for (const object of made) {
      this.#addOutcome({ ...result, identity: identityOf(object) }, await this.#match(object));
    }
  }

  /**
   * Kyverno parity: a rule that could not generate its objects passes, and nothing is compared. Pinned by "a rule that
   * cannot generate passes with a remark".
   */
  #remarkNothingMade({ rule, identity }: ObjectResult): void {
    const [reason] = planErrorsOf(rule);
    if (reason === undefined) return;
    this.#remark(
      "not-compared",
      `Nothing was compared: rule "${rule.rule}" made no object for ${identityText(identity)}: ${reason}`,
    );
  }

  /** Compares an object with the files of the entry; one match among several generated objects suffices. */
  async #match(object: JsonObject): Promise<ObjectMatch> {
    const { patchedResources, generatedResources } = this.#expectation;
    let last: ObjectMatch = equalMatch;
    if (patchedResources !== undefined) {
      last = await this.#objects.match(patchedResources, object);
      if (last.kind !== "equal") return last;
    }
    for (const file of generatedResources) {
      const match = await this.#objects.match(file, object);
      if (match.kind === "equal") return match;
      if (last.kind !== "different") last = match;
    }
    return last;
  }

  #addOutcome({ rule, step, identity }: ObjectResult, match: ObjectMatch): void {
    const actual = reportedResult(step.policy, rule);
    this.#add(identity, {
      rule: rule.rule,
      ...verdictOf({ expected: this.#expectation.status, actual, message: rule.message, match }),
    });
  }

  /** Adds the row of an object without results: the policy does not exist, has an error, or was not reached. */
  #missing(identity: ObjectIdentity, triggers: readonly ObjectAnswer[]): void {
    const { rule } = this.#expectation;
    const unusable = this.#run.snapshot.policies.find(({ policy, broken }) =>
      policy.name === this.#policyName && broken !== undefined
    );
    if (unusable !== undefined) {
      const message = unusable.broken!.message;
      this.#add(identity, { rule, result: "Skip", reason: "Invalid Policy", message });
      return this.#remark("invalid-policy", `The policy "${this.#policyName}" cannot be used: ${message}`);
    }
    const failed = triggers.filter((answer) => isSameObject(answer.identity, identity))
      .flatMap(({ steps }) => steps).find(({ object }) => object === undefined);
    const message = failed === undefined
      ? `No policy "${this.#policyName}" was applied`
      : `Policy "${this.#policyName}" was not applied: policy "${failed.policy.key}" failed to change the object before`;
    this.#add(identity, { rule, result: "Fail", reason: "Not found", message, details: [message] });
  }

  #add(
    identity: ObjectIdentity,
    row: Pick<TestRow, "rule" | "result" | "reason"> & Partial<Pick<TestRow, "message" | "details">>,
  ): void {
    const { policy } = this.#expectation;
    const position = this.#position();
    this.rows.push({
      policy,
      resource: identityText(identity),
      message: row.reason,
      details: [],
      position,
      ...row,
    });
  }

  #remark(code: DiagnosticCode, message: string): void {
    this.remarks.push({ severity: "warning", code, message, position: this.#position() });
  }

  /** The position of the entry in the test file. */
  #position(): Position {
    return this.#run.found.positionOf(["results", this.#expectation.index]);
  }

  #remarkExcluded(identity: ObjectIdentity): void {
    const { rule, status } = this.#expectation;
    if (status === "skip") return;
    const what = rule === "" ? `Policy "${this.#policyName}"` : `Rule "${rule}"`;
    this.#remark(
      "not-applied",
      `${what} has no result for ${identityText(identity)}, but ${status} is expected`,
    );
  }
}

/** The objects of an entry: those that it names, or all when none of its names exists. */
function chosen(
  { resources, resourceSpecs }: Expectation,
  identities: readonly ObjectIdentity[],
): readonly ObjectIdentity[] {
  const distinct = [...new Map(identities.map((identity) => [identityText(identity), identity])).values()];
  if (resources === undefined) return distinct;
  const named = [
    ...resources.flatMap((name) => distinct.filter((identity) => isNamed(identity, name))),
    ...resourceSpecs.flatMap((spec) => distinct.filter((identity) => isSpecified(identity, spec))),
  ];
  return named.length === 0 ? distinct : named;
}
