import { effectsOf } from "../rules/mod.ts";
import type { Diagnostic } from "../diagnostics/mod.ts";
import { commandOptions, compile, type CompiledPolicy, type Snapshot } from "../engine/mod.ts";
import type { Environment } from "../jmespath/mod.ts";
import type { JsonObject } from "../json/mod.ts";
import type { Dialect } from "../match/mod.ts";
import {
  type AppliedStep,
  applyPolicies,
  type DecideOptions,
  identityOf,
  ignoredOperations,
  isSameObject,
  type ObjectIdentity,
  withOperation,
} from "../apply/mod.ts";
import { clusterWideKind, hasRules } from "../policy/mod.ts";
import type { FoundTest } from "./test_files.ts";
import { loadTestInput, type TestInput, type TestPayload } from "./input.ts";
import { absentSources, type TestLookup, testPorts } from "./test_ports.ts";

/** The results of the policies for one object. */
export interface ObjectAnswer {
  readonly identity: ObjectIdentity;
  readonly object: JsonObject;
  readonly steps: readonly AppliedStep[];
}

/** The result of running a test. */
export interface TestRun {
  readonly found: FoundTest;
  readonly input: TestInput;
  readonly snapshot: Snapshot;
  /** The results by operation; the empty operation is that of the values. */
  readonly answers: ReadonlyMap<string, readonly ObjectAnswer[]>;
  /** The objects that rules changed besides the trigger, with the steps that changed them. */
  readonly targets: readonly ObjectAnswer[];
  /** The time and randomness of the run, for expressions of the test itself. */
  readonly environment: Environment;
  readonly diagnostics: readonly Diagnostic[];
}

/** The options of running tests. */
export interface TestRunOptions {
  readonly dialect: Dialect;
  /** The source of images that a test does not describe; none when absent. */
  readonly lookup?: TestLookup | undefined;
}

/** Runs a test: evaluates every policy for every resource, once for each operation in its results. */
export async function runTest(
  found: FoundTest,
  { dialect, lookup }: TestRunOptions,
): Promise<TestRun> {
  const input = await loadTestInput(found);
  const { policies, exceptions, values, user, resources } = input;
  const setup = lookup === undefined ? input.setup : { ...input.setup, lookup };
  const snapshot = compile([...policies, ...exceptions], commandOptions({ dialect }));
  const { ports, close } = testPorts(setup, "jmespath");
  const cel = testPorts(setup, "cel");
  const absent = absentSources(setup);
  const shown = (step: AppliedStep): boolean => hasRow(step, snapshot);
  const answers = new Map<string, ObjectAnswer[]>();
  for (const operation of ["", ...operationsOf(found)]) {
    const options: DecideOptions = {
      snapshot,
      ports,
      celPorts: cel.ports,
      values: withOperation(values, operation),
      user,
      absent,
      namespaces: setup.isCluster ? "cluster" : "values",
    };
    const payloads = operation === "" ? input.payloads : [];
    const all = [...await applyToResources(resources, options), ...await applyToPayloads(payloads, options)];
    answers.set(operation, all.map((answer) => ({ ...answer, steps: answer.steps.filter(shown) })));
  }
  await Promise.all([close(), cel.close()]);
  return {
    found,
    input,
    snapshot,
    answers,
    targets: changedTargets(input.targets, [...answers.values()].flat()),
    environment: { now: ports.clock.now, random: ports.entropy.next },
    diagnostics: [...input.diagnostics, ...snapshot.diagnostics, ...ignoredOperations(snapshot, values)],
  };
}

async function applyToResources(
  resources: readonly JsonObject[],
  options: DecideOptions,
): Promise<ObjectAnswer[]> {
  const answers: ObjectAnswer[] = [];
  for (const resource of resources) {
    const { steps } = await applyPolicies(resource, options);
    answers.push({ identity: identityOf(resource), object: resource, steps });
  }
  return answers;
}

async function applyToPayloads(
  payloads: readonly TestPayload[],
  options: DecideOptions,
): Promise<ObjectAnswer[]> {
  const answers: ObjectAnswer[] = [];
  for (const payload of payloads) answers.push(await applyToPayload(payload, options));
  return answers;
}

/** Applies the policies that may be about any JSON. The payload's file ending says how its numbers are read. */
async function applyToPayload({ name, value }: TestPayload, options: DecideOptions): Promise<ObjectAnswer> {
  const payload = /\.ya?ml$/.test(name) ? "yaml" : "json";
  const { steps } = await applyPolicies(value, { ...options, payload });
  return {
    identity: { apiVersion: "", kind: "", namespace: "", name },
    object: value,
    steps: steps.filter(({ policy }) => !hasRules(policy.kind)),
  };
}

/**
 * Kyverno parity: a policy with one resource rule and no selector has no row about an object that the rule does not
 * match; a policy that deletes, generates or verifies images has none about any that it does not match. Pinned by "a
 * policy with one resource rule alone has no row about what the rule does not match", "a GeneratingPolicy has no row
 * about what it does not match", "an ImageValidatingPolicy has no row about what its constraints or conditions leave
 * out", "a DeletingPolicy has no row about what its constraints leave out" and "a ClusterPolicy that only generates has
 * no row about what it does not match".
 */
function hasRow({ policy, rules }: AppliedStep, snapshot: Snapshot): boolean {
  const compiled = snapshot.policies.find((each) => each.policy.key === policy.key);
  if (compiled === undefined) return true;
  if (compiled.broken !== undefined) return false;
  return rules.length > 0 || !(hasRowsOfResultsOnly(compiled) || isOneResourceRule(policy));
}

function hasRowsOfResultsOnly({ policy, rules }: CompiledPolicy): boolean {
  if (policy.language === "classic") return rules.every(({ type }) => type === "generate");
  return ["DeletingPolicy", "GeneratingPolicy", "ImageValidatingPolicy"].includes(
    clusterWideKind(policy.kind),
  );
}

function isOneResourceRule(policy: AppliedStep["policy"]): boolean {
  return policy.language === "cel" &&
    ["ValidatingPolicy", "MutatingPolicy"].includes(clusterWideKind(policy.kind)) &&
    policy.sections.constraints.isOneRule &&
    !policy.rules.some(isOfSeveralGroups);
}

/**
 * Kyverno parity: autogen makes a resource rule for each API group of the controllers, and a policy with two of them in
 * one place has a row about what no rule matches. Pinned by "a policy about Pods and the controllers of several groups
 * has a row about what it does not match".
 */
function isOfSeveralGroups({ generatedFor }: AppliedStep["policy"]["rules"][number]): boolean {
  return generatedFor !== undefined && generatedFor.has("Job") && generatedFor.size > 1;
}

function operationsOf({ test }: FoundTest): string[] {
  return [...new Set(test.results.map(({ operation }) => operation).filter((operation) => operation !== ""))];
}

function changedTargets(targets: readonly JsonObject[], answers: readonly ObjectAnswer[]): ObjectAnswer[] {
  return targets.flatMap((object) => {
    const identity = identityOf(object);
    const steps = answers.flatMap((answer) =>
      answer.steps.filter(({ rules }) =>
        rules.some((rule) =>
          rule.type === "mutateExisting" &&
          effectsOf(rule).some(({ object }) => isSameObject(identityOf(object), identity))
        )
      )
    );
    return steps.length === 0 ? [] : [{ identity, object, steps }];
  });
}
