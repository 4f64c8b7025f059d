import { type PathDiagnostic, withPosition } from "../../diagnostics/mod.ts";
import { asList, asObject, asTexts, dig, field, isGiven, type JsonObject } from "../../json/mod.ts";
import { type CelPolicy, clusterWideKind } from "../../policy/mod.ts";
import { refusal } from "./refusal.ts";

/** The fields without which the API server stores no policy of a kind. */
const required: Readonly<Record<string, readonly string[]>> = {
  ImageValidatingPolicy: ["attestors", "validations"],
  GeneratingPolicy: ["generate"],
  DeletingPolicy: ["schedule"],
};

/** The lists of which a policy needs one that is not empty, or it does nothing. */
const working: Readonly<Record<string, readonly string[]>> = {
  ValidatingPolicy: ["validations", "auditAnnotations"],
  ValidatingAdmissionPolicy: ["validations", "auditAnnotations"],
  MutatingPolicy: ["mutations"],
  MutatingAdmissionPolicy: ["mutations"],
  GeneratingPolicy: ["generate"],
};

/** Returns the fields that a policy in CEL lacks, so that the API server would refuse it. */
export function missingFields(policy: CelPolicy): PathDiagnostic[] {
  const { spec, kind } = specOf(policy);
  if (spec === undefined) return [];
  const missing = (required[kind] ?? []).filter((name) => !isGiven(spec[name]));
  return positioned(
    policy,
    missing.map((name) => refusal(["spec"], `spec.${name}: Required value`, `write ${name} under spec`)),
  );
}

/** Returns why a policy in CEL that the API server stores would do nothing: it selects no request, or has no checks. */
export function idleParts(policy: CelPolicy): PathDiagnostic[] {
  const { spec, kind } = specOf(policy);
  if (spec === undefined || missingFields(policy).length > 0) return [];
  return positioned(policy, [...unselective(spec, kind), ...workless(spec, kind)]);
}

function workless(spec: JsonObject, kind: string): PathDiagnostic[] {
  const lists = working[kind] ?? [];
  if (lists.length === 0 || lists.some((name) => asList(spec[name]).length > 0)) return [];
  const message = `spec.${lists[0]} is empty: the policy does nothing`;
  return [{ severity: "warning", code: "no-rules", message, path: ["spec"] }];
}

/**
 * A DeletingPolicy has no operations. Policies about any JSON, and those about images, need no resource rules. The
 * loader reports a policy without constraints.
 */
function unselective(spec: JsonObject, kind: string): PathDiagnostic[] {
  const path = ["spec", "matchConstraints", "resourceRules"];
  const constraints = spec["matchConstraints"];
  const rules = asList(field(constraints, "resourceRules"));
  const mode = dig(spec, "evaluation", "mode") ?? "Kubernetes";
  if (!isGiven(constraints) || kind === "DeletingPolicy" || mode !== "Kubernetes") return [];
  if (rules.length === 0 && kind !== "ImageValidatingPolicy") {
    return [{
      severity: "error",
      code: "empty-match",
      message: "The policy selects nothing: spec.matchConstraints has no resource rule",
      hint: "name apiGroups, apiVersions, operations and resources under spec.matchConstraints.resourceRules",
      path: ["spec"],
    }];
  }
  return rules.flatMap((rule, index): PathDiagnostic[] =>
    asTexts(field(rule, "operations")).length > 0 ? [] : [{
      severity: "error",
      code: "empty-match",
      message: "The rule selects nothing: it has no operations",
      hint: "write operations: [CREATE, UPDATE]",
      path: [...path, index],
    }]
  );
}

function specOf({ document, kind }: CelPolicy): { spec: JsonObject | undefined; kind: string } {
  const spec = asObject(document["spec"]);
  return { spec, kind: clusterWideKind(kind) };
}

function positioned({ locate, key }: CelPolicy, found: readonly PathDiagnostic[]): PathDiagnostic[] {
  return found.map((each) => ({ ...withPosition(each, locate), path: each.path, policy: key }));
}
