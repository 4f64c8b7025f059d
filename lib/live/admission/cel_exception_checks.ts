import { compile, type CompileOptions } from "../../engine/mod.ts";
import { asList, asString, field, type Json, type JsonObject } from "../../json/mod.ts";
import { objectDocument } from "../object_document.ts";
import type { CheckedObject } from "./check.ts";

const celKinds = [
  "ValidatingPolicy",
  "MutatingPolicy",
  "GeneratingPolicy",
  "DeletingPolicy",
  "ImageValidatingPolicy",
]
  .flatMap((kind) => [kind, `Namespaced${kind}`]);

/**
 * The problems of a PolicyException of policies.kyverno.io: it names no kind of policy that exists, or its conditions
 * do not compile.
 */
export function celExceptionProblems({ object }: CheckedObject, compiling: CompileOptions): string[] {
  const references = asList(field(object["spec"], "policyRefs"));
  if (references.length === 0) return ["spec.policyRefs: an exception needs at least one policy"];
  const problems = references.flatMap((reference, index) => {
    const kind = asString(field(reference, "kind")) ?? "", name = asString(field(reference, "name")) ?? "";
    return [
      ...(name === "" ? [`spec.policyRefs[${index}].name: a policy needs a name`] : []),
      ...(celKinds.includes(kind)
        ? []
        : [`spec.policyRefs[${index}].kind: "${kind}" is none of ${celKinds.join(", ")}`]),
    ];
  });
  return problems.length > 0 ? problems : conditionProblems(object, references, compiling);
}

/**
 * Compiles the conditions for each kind of policy that the exception names. The policies may be stored later, so
 * their variables have any type here.
 */
function conditionProblems(
  object: JsonObject,
  references: readonly Json[],
  compiling: CompileOptions,
): string[] {
  const conditions = asList(field(object["spec"], "matchConditions"));
  const texts = conditions.map((condition) => asString(field(condition, "expression")) ?? "");
  const variables = new Set(
    texts.flatMap((text) => [...text.matchAll(/\bvariables\.\??(\w+)/g)].map(([, name]) => name!)),
  );
  const metadata = { name: "p", namespace: "default" };
  const kinds = [...new Set(references.map((reference) => asString(field(reference, "kind")) ?? ""))];
  const problems = kinds.flatMap((kind) =>
    conditions.flatMap((condition, index) => {
      const exception = {
        ...object,
        spec: { policyRefs: [{ kind, name: metadata.name }], matchConditions: [condition] },
      };
      const policy = {
        apiVersion: "policies.kyverno.io/v1",
        kind,
        metadata,
        spec: { variables: [...variables].map((name) => ({ name, expression: "dyn(1)" })) },
      };
      const { diagnostics } = compile([policy, exception].map(objectDocument), compiling);
      return diagnostics.filter(({ code }) => code === "bad-exception")
        .map(({ message }) => `spec.matchConditions[${index}].expression: ${message}`);
    })
  );
  return [...new Set(problems)];
}
