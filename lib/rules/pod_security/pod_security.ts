import {
  asList,
  asString,
  asTexts,
  Fault,
  field,
  isFault,
  type Json,
  type JsonObject,
} from "../../json/mod.ts";
import { compileWildcard } from "../../kube/mod.ts";
import type { Level, Standard, Violation } from "./control.ts";
import { type Exclusion, withoutExcluded } from "./exclusion.ts";
import type { PodView } from "./pod.ts";
import { minorVersion, selectControls } from "./selection.ts";
import { extractPod } from "./workload.ts";

/** What a standard says of a resource. */
export interface PodSecurityVerdict {
  readonly allowed: boolean;
  /** Whether only the exceptions' exclusions let it pass: the rule is skipped then, not passed. */
  readonly exempted: boolean;
  /** What is wrong, with paths from the resource's root; empty when allowed. */
  readonly violations: readonly Violation[];
}

/** A compiled `podSecurity` block. */
export interface PodSecurity {
  readonly level: Level;
  /** As written; empty when it is not given. */
  readonly version: string;
  /** Judges a Pod or controller. A fault when the object cannot be read as one. */
  check(resource: Json, exceptions?: readonly Exclusion[]): PodSecurityVerdict | Fault;
  /** Judges a pod by its metadata and spec, without exclusions: what the standard itself says. */
  judge(pod: PodView): readonly Violation[];
}

/**
 * Compiles `podSecurity: {level, version, exclude}`. `standard` is `kyverno` for rules of policies and `kubernetes` for
 * what the API server's own admission says. A fault when the level or the version is unknown.
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
  const level = asString(field(settings, "level")) ?? "";
  if (level !== "privileged" && level !== "baseline" && level !== "restricted") {
    return new Fault(
      `unknown pod security level "${level}", must be one of privileged, baseline, restricted`,
    );
  }
  const version = asString(field(settings, "version")) ?? "";
  const minor = minorVersion(version);
  if (minor === undefined) {
    return new Fault(
      `failed to parse pod security api version: must be "latest" or "v1.x", not "${version}"`,
    );
  }
  const selected = selectControls(level, minor, standard);
  const exclusions = compileExclusions(asList(field(settings, "exclude")));

  function judge(pod: PodView): readonly Violation[] {
    return selected.flatMap(({ control, check }) => {
      const finding = check(pod);
      return finding === undefined ? [] : [{ control: control.id, name: control.name ?? "", ...finding }];
    });
  }

  function check(resource: Json, exceptions: readonly Exclusion[] = []): PodSecurityVerdict | Fault {
    const extracted = extractPod(resource);
    if (isFault(extracted)) return extracted;
    const { pod, locate } = extracted;
    const violations = withoutExcluded(judge(pod), exclusions, { pod, judge });
    if (violations.length === 0) return { allowed: true, exempted: false, violations };
    const left = withoutExcluded(violations, exceptions, { pod, judge });
    if (left.length === 0) return { allowed: true, exempted: true, violations: left };
    const located = left.map((violation) => ({
      ...violation,
      fields: violation.fields.map((bad) => ({ ...bad, path: locate(bad.path) })),
    }));
    return { allowed: false, exempted: false, violations: located };
  }

  return { level, version, check, judge };
}

/** Compiles entries of `exclude`, or of an exception's `podSecurity`; what is no object is left out. */
export function compileExclusions(entries: readonly Json[]): readonly Exclusion[] {
  return entries.flatMap((entry) => {
    const controlName = asString(field(entry, "controlName"));
    if (controlName === undefined) return [];
    return [{
      controlName,
      image: anyWildcard(field(entry, "images")),
      restrictedField: asString(field(entry, "restrictedField")) ?? "",
      value: anyWildcard(field(entry, "values")),
    }];
  });
}

/** Whether a text matches one of the patterns; `undefined` when there are none. */
function anyWildcard(patterns: Json | undefined): ((text: string) => boolean) | undefined {
  const matchers = asTexts(patterns).map(compileWildcard);
  return matchers.length === 0 ? undefined : (text) => matchers.some((matches) => matches(text));
}
