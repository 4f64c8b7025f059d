import {
  asList,
  asString,
  asTexts,
  completed,
  Fault,
  field,
  isFault,
  type Json,
  type JsonObject,
  type Stages,
  type StepBudget,
  textField,
} from "../../json/mod.ts";
import { type AnyWildcard, compileWildcards } from "../../kube/mod.ts";
import type { Level, Standard, Violation } from "./control.ts";
import { type Exclusion, withoutExcluded } from "./exclusion.ts";
import { mostFields } from "./message.ts";
import { isLarge, type PodView } from "./pod.ts";
import { minorVersion, selectControls, type SelectedControl } from "./selection.ts";
import { extractPod } from "./workload.ts";

/** The result of checking a resource against a standard. */
export interface PodSecurityVerdict {
  readonly allowed: boolean;
  /** Whether the resource passes only because of an exception's exclusions: the rule is then skipped. */
  readonly exempted: boolean;
  /** Whether the pod is so large that listing all its images takes too much memory. */
  readonly isLarge: boolean;
  /** The violations with their first fields, whose paths are from the resource's root; empty when allowed. */
  readonly violations: readonly Violation[];
}

/** A compiled `podSecurity` block. */
export interface PodSecurity {
  readonly level: Level;
  /** The version as written; empty when absent. */
  readonly version: string;
  /** Checks a Pod or controller. A fault when the object cannot be read as one. */
  check(resource: Json, exceptions?: readonly Exclusion[]): PodSecurityVerdict | Fault;
  /**
   * As {@link check}, in stages: a Pod of 3 MB has up to 200,000 containers. Comparing images and values with those of
   * exclusions takes steps; beyond them nothing is excluded.
   */
  checkInStages(
    resource: Json,
    exceptions: readonly Exclusion[],
    steps: StepBudget,
  ): Stages<PodSecurityVerdict | Fault>;
  /** The violations of a pod, by its metadata and spec, without exclusions. */
  violationsOf(pod: PodView): readonly Violation[];
}

/** The most containers of a pod to which exclusions apply: those of a Pod of 3 MB took the memory of the process. */
const mostExcludable = 10_000;

/**
 * Compiles `podSecurity: {level, version, exclude}`. `standard` is `kyverno` for rules of policies and `kubernetes`
 * for the API server's Pod Security admission. A fault when the level or the version is unknown.
 *
 * ```ts
 * import { compilePodSecurity } from "./pod_security.ts";
 * import { isFault } from "../../json/mod.ts";
 * import assert from "node:assert/strict";
 * const baseline = compilePodSecurity({ level: "baseline", version: "latest" }, "kyverno");
 * assert.ok(!isFault(baseline));
 * const verdict = baseline.check({ kind: "Pod", spec: { hostPID: true, containers: [] } });
 * assert.ok(!isFault(verdict));
 * assert.deepEqual(verdict.violations.map(({ detail }) => detail), ["hostPID=true"]);
 * ```
 */
export function compilePodSecurity(settings: JsonObject, standard: Standard): PodSecurity | Fault {
  const level = textField(settings, "level");
  if (level !== "privileged" && level !== "baseline" && level !== "restricted") {
    return new Fault(
      `unknown pod security level "${level}", must be one of privileged, baseline, restricted`,
    );
  }
  const version = textField(settings, "version");
  const minor = minorVersion(version);
  if (minor === undefined) {
    return new Fault(
      `failed to parse pod security api version: must be "latest" or "v1.x", not "${version}"`,
    );
  }
  const selected = selectControls(level, minor, standard);
  const exclusions = compileExclusions(asList(field(settings, "exclude")));
  const check = (resource: Json, exceptions: readonly Exclusion[] = [], steps?: StepBudget) =>
    checkResource(resource, { selected, exclusions, exceptions, steps });
  return {
    level,
    version,
    violationsOf: (pod) => completed(violationsUnder(selected, pod)),
    check: (resource, exceptions) => completed(check(resource, exceptions)),
    checkInStages: check,
  };
}

/** The controls that a resource is checked against, and what is excluded from them. */
interface Check {
  readonly selected: readonly SelectedControl[];
  /** The exclusions of the rule. */
  readonly exclusions: readonly Exclusion[];
  /** The exclusions of the exceptions from the rule. */
  readonly exceptions: readonly Exclusion[];
  readonly steps: StepBudget | undefined;
}

function* checkResource(
  resource: Json,
  { selected, exclusions, exceptions, steps }: Check,
): Stages<PodSecurityVerdict | Fault> {
  const extracted = extractPod(resource);
  if (isFault(extracted)) return extracted;
  const { pod, locate } = extracted;
  const input = {
    pod,
    // An entry excludes controls of one name; the others need no second check.
    violationsOf: (reduced: PodView, name: string) =>
      violationsUnder(selected.filter(({ control }) => (control.name ?? "") === name), reduced),
    steps,
  };
  const found = yield* violationsUnder(selected, pod, steps);
  // Without its exclusions such a pod is denied, which is right for a pod that no node can run.
  const isTooLarge = pod.containers.length > mostExcludable;
  const violations = isTooLarge ? found : yield* withoutExcluded(found, exclusions, input);
  if (violations.length === 0) return { allowed: true, exempted: false, isLarge: isLarge(pod), violations };
  const left = isTooLarge ? violations : yield* withoutExcluded(violations, exceptions, input);
  if (left.length === 0) return { allowed: true, exempted: true, isLarge: isLarge(pod), violations: left };
  return {
    allowed: false,
    exempted: false,
    isLarge: isLarge(pod),
    violations: left.map((violation) => shortened(violation, locate)),
  };
}

/** A violation with its first fields, by their paths in the resource. */
function shortened(violation: Violation, locate: (path: string) => string): Violation {
  const fields = violation.fields.slice(0, mostFields).map((bad) => ({ ...bad, path: locate(bad.path) }));
  const more = violation.fields.length - fields.length;
  return { ...violation, fields, ...(more > 0 && { more }) };
}

/** The steps of checking a container under one control. */
const stepsOfContainer = 3;

/** The violations of a pod under the controls. It pauses between controls for a large pod. */
function* violationsUnder(
  controls: readonly SelectedControl[],
  pod: PodView,
  steps?: StepBudget,
): Stages<readonly Violation[]> {
  const violations: Violation[] = [];
  for (const { control, check } of controls) {
    if (isLarge(pod)) yield;
    if (steps !== undefined) steps.left -= stepsOfContainer * pod.containers.length;
    const finding = check(pod);
    if (finding === undefined) continue;
    if (finding.fields.length > 1_000) yield;
    violations.push({ control: control.id, name: control.name ?? "", ...finding });
  }
  return violations;
}

/** Compiles entries of `exclude`, or of an exception's `podSecurity`. Values that are not objects are left out. */
export function compileExclusions(entries: readonly Json[]): readonly Exclusion[] {
  return entries.flatMap((entry) => {
    const controlName = asString(field(entry, "controlName"));
    if (controlName === undefined) return [];
    return [{
      controlName,
      image: anyWildcard(field(entry, "images")),
      restrictedField: textField(entry, "restrictedField"),
      value: anyWildcard(field(entry, "values")),
    }];
  });
}

/** Whether a text matches one of the patterns; `undefined` when there are none. */
function anyWildcard(patterns: Json | undefined): AnyWildcard | undefined {
  const texts = asTexts(patterns);
  return texts.length === 0 ? undefined : compileWildcards(texts);
}
