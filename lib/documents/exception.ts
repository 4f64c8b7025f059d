import { type Diagnostic, type Locate, withPosition } from "../diagnostics/mod.ts";
import { asList, asObject, asString, asTexts, field, isObject, type JsonObject } from "../json/mod.ts";
import { nameOf, namespaceOf } from "../kube/mod.ts";
import { checkShape } from "../shape/mod.ts";
import { parseMatch, type PolicyException, policyKey } from "../policy/mod.ts";
import { exceptionSpecShape } from "./spec_shape.ts";
import { modernMatch } from "./spelling.ts";

/** A parsed PolicyException with its problems. One with errors is `undefined`: it must not exempt anything. */
export interface ParsedException {
  readonly exception: PolicyException | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** Parses a PolicyException of kyverno.io (v2, v2beta1, v2alpha1). */
export function parseException(document: JsonObject, locate: Locate): ParsedException {
  const name = nameOf(document);
  const namespace = namespaceOf(document);
  const spec = asObject(field(document, "spec")) ?? {};
  const diagnostics = checkShape(spec, exceptionSpecShape, { path: ["spec"], locate, stored: true });
  const targets = asList(spec["exceptions"]).filter(isObject).map((entry) => ({
    policyName: asString(entry["policyName"]) ?? "",
    ruleNames: asTexts(entry["ruleNames"]),
  }));
  if (targets.length === 0) {
    diagnostics.push(withPosition({
      severity: "error",
      code: "empty-exception",
      message: `Exception "${name}" names no policy`,
      hint: "list policyName and ruleNames under spec.exceptions",
      path: ["spec"],
    }, locate));
  }
  const exception: PolicyException = {
    name,
    namespace,
    key: policyKey({ name, namespace }),
    match: parseMatch(modernMatch(asObject(spec["match"]) ?? {})),
    conditions: spec["conditions"],
    targets,
    podSecurity: asList(spec["podSecurity"]).filter(isObject),
    locate,
    document,
  };
  const isBroken = diagnostics.some(({ severity }) => severity === "error");
  return { exception: isBroken ? undefined : exception, diagnostics };
}
