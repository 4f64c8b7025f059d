import type { PathDiagnostic } from "../diagnostics/mod.ts";
import {
  asList,
  asObject,
  type DocumentPath,
  field,
  type Json,
  type JsonObject,
  textField,
} from "../json/mod.ts";
import { exemptedControls } from "../documents/mod.ts";
import { celGroup, writtenUserCriteria } from "../policy/mod.ts";
import { policyKindNames } from "../rules/mod.ts";
import { plainDocument } from "../yaml/mod.ts";
import { compile, type CompileOptions } from "./policy_compiler.ts";

/**
 * The problems of a PolicyException of kyverno.io, with paths from its root. Kyverno parity: one that is also for
 * background scans has no criteria about users; its controls have images as those of rules. Pinned by "an exception by
 * user that is also for background scans" and "an exception from a control of containers without images".
 */
export function exceptionProblems(exception: JsonObject): PathDiagnostic[] {
  const spec = asObject(exception["spec"]) ?? {};
  const users = spec["background"] !== false && writtenUserCriteria(spec).length > 0
    ? [problem(["spec"], "a background scan has no user; set spec.background to false")]
    : [];
  return [...users, ...exemptedControls(spec["podSecurity"], ["spec", "podSecurity"])];
}

/**
 * The problems of a PolicyException of policies.kyverno.io, with paths from its root: it names no policy, or a kind of
 * policy that does not exist, or its conditions do not compile. Whether there are such policies is not checked, because
 * they may be stored later.
 */
export function celExceptionProblems(exception: JsonObject, compiling: CompileOptions): PathDiagnostic[] {
  const references = asList(field(exception["spec"], "policyRefs"));
  if (references.length === 0) {
    return [problem(["spec", "policyRefs"], "an exception needs at least one policy")];
  }
  const kinds = policyKindNames(celGroup);
  const problems = references.flatMap((reference, index) => {
    const kind = textField(reference, "kind"), name = textField(reference, "name");
    const path = ["spec", "policyRefs", index];
    return [
      ...(name === "" ? [problem([...path, "name"], "a policy needs a name")] : []),
      ...(kinds.includes(kind)
        ? []
        : [problem([...path, "kind"], `"${kind}" is none of ${kinds.join(", ")}`)]),
    ];
  });
  return problems.length > 0 ? problems : conditionProblems(exception, references, compiling);
}

/** Compiles the conditions for each kind of policy that the exception names, whose variables have any type here. */
function conditionProblems(
  exception: JsonObject,
  references: readonly Json[],
  compiling: CompileOptions,
): PathDiagnostic[] {
  const conditions = asList(field(exception["spec"], "matchConditions"));
  const texts = conditions.map((condition) => textField(condition, "expression"));
  const variables = new Set(
    texts.flatMap((text) => [...text.matchAll(/\bvariables\.\??(\w+)/g)].map(([, name]) => name!)),
  );
  const metadata = { name: "p", namespace: "default" };
  const kinds = [...new Set(references.map((reference) => textField(reference, "kind")))];
  return conditions.flatMap((condition, index) => {
    const messages = kinds.flatMap((kind) => {
      const spec = { policyRefs: [{ kind, name: metadata.name }], matchConditions: [condition] };
      const declared = [...variables].map((name) => ({ name, expression: "dyn(1)" }));
      const policy = { apiVersion: `${celGroup}/v1`, kind, metadata, spec: { variables: declared } };
      const documents = [policy, { ...exception, spec }].map((each) => plainDocument(each, ""));
      const { diagnostics } = compile(documents, compiling);
      return diagnostics.filter(({ code }) => code === "bad-exception").map(({ message }) => message);
    });
    return [...new Set(messages)].map((message) =>
      problem(["spec", "matchConditions", index, "expression"], message)
    );
  });
}

function problem(path: DocumentPath, message: string): PathDiagnostic {
  return { severity: "error", code: "bad-exception", message, path };
}
