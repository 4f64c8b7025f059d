import type { CompiledPolicy } from "../../engine/mod.ts";
import { asList, asString, Fault, isObject, type JsonObject, parseJsonText } from "../../json/mod.ts";
import type { CelException, CelPolicy, CelSections } from "../../policy/mod.ts";
import type { AdmissionPolicyKind, AdmissionPolicyParts } from "./admission_policy_kind.ts";

/** A kind of policy that can be converted into an admission policy. */
interface CelSource {
  readonly kind: AdmissionPolicyKind;
  /** The field of `spec.autogen` that requests the conversion. */
  readonly option: keyof CelSections["admissionPolicies"];
  /** Returns the fields of the admission policy's spec that only this kind has. */
  readonly spec: (policy: CelSections) => JsonObject;
  readonly binding: (policy: CelSections) => JsonObject;
}

const sources: Readonly<Record<string, CelSource>> = {
  ValidatingPolicy: {
    kind: "ValidatingAdmissionPolicy",
    option: "validatingAdmissionPolicy",
    spec: ({ validations, auditAnnotations }) => ({
      validations,
      ...(auditAnnotations !== undefined && { auditAnnotations }),
    }),
    binding: ({ validationActions }) => ({
      validationActions: validationActions.length === 0 ? ["Deny"] : [...validationActions],
    }),
  },
  MutatingPolicy: {
    kind: "MutatingAdmissionPolicy",
    option: "mutatingAdmissionPolicy",
    spec: ({ mutations, reinvocationPolicy }) => ({
      mutations,
      reinvocationPolicy: reinvocationPolicy || "Never",
    }),
    binding: () => ({}),
  },
};

/**
 * Converts a policy of policies.kyverno.io into an admission policy; a fault says why that is impossible, `undefined`
 * means that the policy does not request it. Kyverno parity: names and texts; pinned by "a MutatingPolicy becomes a
 * MutatingAdmissionPolicy".
 */
export function fromCel(
  { policy, rules, broken }: CompiledPolicy,
  exceptions: readonly CelException[],
): AdmissionPolicyParts | Fault | undefined {
  const source = sources[policy.kind];
  if (source === undefined || broken !== undefined || policy.language !== "cel") return undefined;
  if (!policy.sections.admissionPolicies[source.option]) return undefined;
  // An admission policy would apply to Pods alone, and leave their controllers out.
  if (policy.rules.some(({ generatedFor }) => generatedFor !== undefined)) {
    return new Fault("skip generation: the policy is also about the controllers of Pods");
  }
  if (!policy.admission) return new Fault("skip generation: the policy is not for admission");
  if (rules.some(({ type }) => type === "mutateExisting")) {
    return new Fault("skip generation: the policy changes objects that exist");
  }
  if (policy.useServerSideApply) {
    // An admission policy must not change the atomic lists that such a policy replaces.
    return new Fault("skip generation: useServerSideApply is not applicable");
  }
  const concerned = exceptions.filter(({ references }) =>
    references.some(({ kind, name }) => kind === policy.kind && name === policy.name)
  );
  if (concerned.some(({ expires }) => expires !== undefined)) {
    return new Fault("skip generation: an exception that expires is not applicable");
  }
  if (concerned.some((each) => isAllowing(each) && asList(each.matchConditions).length > 0)) {
    return new Fault("skip generation: an exception with allowed values for some objects is not applicable");
  }
  return { kind: source.kind, ...partsOf(policy, { source, exceptions: concerned }) };
}

function partsOf(
  { sections, failurePolicy }: CelPolicy,
  { source, exceptions }: { readonly source: CelSource; readonly exceptions: readonly CelException[] },
): Omit<AdmissionPolicyParts, "kind"> {
  const allowing = exceptions.filter(isAllowing);
  const excluding = exceptions.filter((each) => !isAllowing(each));
  // Kyverno parity: the conditions of exceptions come first. Pinned by tests/live/admission_policies_test.ts.
  const conditions = withUniqueNames([
    ...excluding.map(exclusion),
    ...sections.matchConditions,
  ]);
  const variables = [...sections.variables, ...exceptionVariables(allowing)];
  return {
    spec: {
      failurePolicy,
      matchConstraints: sections.constraints.written,
      ...(conditions.length > 0 && { matchConditions: conditions }),
      ...(variables.length > 0 && { variables }),
      ...readingVariables(source.spec(sections), allowing),
    },
    binding: source.binding(sections),
  };
}

/** Whether an exception allows values instead of exempting objects. */
function isAllowing({ images, allowedValues }: CelException): boolean {
  return images.length + allowedValues.length > 0;
}

/**
 * A condition that leaves out the objects for which all conditions of an exception hold. An exception without
 * conditions leaves out all objects.
 */
function exclusion({ key, matchConditions }: CelException): JsonObject {
  const conditions = asList(matchConditions).filter(isObject);
  const texts = conditions.map(({ expression }) => asString(expression) ?? "");
  const all = texts.length === 0 ? "true" : texts.length === 1 ? texts[0]! : `(${texts.join(") && (")})`;
  const name = asString(conditions[0]?.["name"]) ?? key.slice(key.lastIndexOf("/") + 1);
  return { name, expression: `!(${all})` };
}

/**
 * Makes the names of conditions unique: the API server refuses two conditions of one name, and several exceptions may
 * use the same one.
 */
function withUniqueNames(conditions: readonly JsonObject[]): JsonObject[] {
  const taken = new Set<string>();
  return conditions.map((condition) => {
    const written = asString(condition["name"]) ?? "";
    let name = written;
    for (let count = 2; taken.has(name); count++) name = `${written}-${count}`;
    taken.add(name);
    return { ...condition, name };
  });
}

/** The images and values that exceptions allow, as variables: the API server has no variable `exceptions`. */
function exceptionVariables(exceptions: readonly CelException[]): JsonObject[] {
  if (exceptions.length === 0) return [];
  const list = (texts: readonly string[]): string => `[${texts.map(celText).join(", ")}]`;
  return [
    { name: "allowedImages", expression: list(exceptions.flatMap(({ images }) => images)) },
    { name: "allowedValues", expression: list(exceptions.flatMap(({ allowedValues }) => allowedValues)) },
  ];
}

/** A literal in CEL. Its escapes are those of JSON and `\\'`. */
function celText(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'")}'`;
}

function readingVariables(spec: JsonObject, exceptions: readonly CelException[]): JsonObject {
  if (exceptions.length === 0) return spec;
  return parseJsonText(
    JSON.stringify(spec).replaceAll("exceptions.allowed", "variables.allowed"),
  ) as JsonObject;
}
