import type { CompiledPolicy } from "../../engine/mod.ts";
import {
  asList,
  asObject,
  asString,
  asTexts,
  dig,
  field,
  type Json,
  type JsonObject,
} from "../../json/mod.ts";
import type { CelException } from "../../policy/mod.ts";
import type { AdmissionPolicyParts } from "./from_classic.ts";

/** What a ValidatingPolicy with `spec.autogen.validatingAdmissionPolicy.enabled` says; `undefined` for others. */
export function fromValidating(
  { policy, broken }: CompiledPolicy,
  exceptions: readonly CelException[],
): AdmissionPolicyParts | undefined {
  const spec = asObject(policy.document["spec"]) ?? {};
  const wanted = dig(spec, "autogen", "validatingAdmissionPolicy", "enabled") === true;
  if (policy.kind !== "ValidatingPolicy" || broken !== undefined || !wanted) return undefined;
  // What holds for controllers too, an admission policy would hold for Pods alone.
  if (policy.rules.some(({ generatedFor }) => generatedFor !== undefined)) return undefined;
  const own = exceptions.filter(({ references }) =>
    references.some(({ kind, name }) => kind === policy.kind && name === policy.name)
  );
  const allowing = own.filter(({ images, allowedValues }) => images.length + allowedValues.length > 0);
  const conditions = [
    ...asList(field(spec, "matchConditions")),
    ...own.filter((each) => !allowing.includes(each)).flatMap(({ matchConditions }) =>
      asList(matchConditions).map(negated)
    ),
  ];
  const variables = [...asList(field(spec, "variables")), ...exceptionVariables(allowing)];
  const validations = asList(field(spec, "validations"));
  const actions = asTexts(field(spec, "validationActions"));
  return {
    spec: {
      failurePolicy: policy.failurePolicy,
      matchConstraints: field(spec, "matchConstraints") ?? {},
      ...(conditions.length > 0 && { matchConditions: conditions }),
      ...(variables.length > 0 && { variables }),
      validations: allowing.length === 0 ? validations : JSON.parse(
        JSON.stringify(validations).replaceAll("exceptions.allowed", "variables.allowed"),
      ),
      ...(field(spec, "auditAnnotations") !== undefined &&
        { auditAnnotations: field(spec, "auditAnnotations")! }),
    },
    binding: { validationActions: actions.length === 0 ? ["Deny"] : [...actions] },
  };
}

/** Objects that an exception selects are not asked about. */
function negated(condition: Json): JsonObject {
  return { ...asObject(condition), expression: `!(${asString(field(condition, "expression")) ?? ""})` };
}

/** What exceptions allow, under the names by which expressions ask for it. */
function exceptionVariables(exceptions: readonly CelException[]): JsonObject[] {
  if (exceptions.length === 0) return [];
  const list = (texts: readonly string[]): string => `[${texts.map((text) => `'${text}'`).join(", ")}]`;
  return [
    { name: "allowedImages", expression: list(exceptions.flatMap(({ images }) => images)) },
    { name: "allowedValues", expression: list(exceptions.flatMap(({ allowedValues }) => allowedValues)) },
  ];
}
