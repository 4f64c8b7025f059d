import { asList, asObject, field, isObject, textField } from "../../json/mod.ts";
import { type FieldNotes, selectorShape } from "../../shape/mod.ts";
import type { RuleKind } from "../rule_kind.ts";
import { type CelBody, compileCelRule } from "../validate_cel.ts";
import { parseValidation } from "../validation.ts";

/** The descriptions of the fields of `validate.cel`. */
export const celRuleNotes: FieldNotes = {
  "cel": "Validates with expressions in CEL.",
  "cel.expressions": "Expressions, all of which must be true.",
  "cel.generate": "Whether a ValidatingAdmissionPolicy of Kubernetes is made from the rule.",
  "cel.variables": "Named expressions; others read them as `variables.NAME`.",
  "variables.name": "The name of the variable.",
  "paramRef": "The objects that are at `params`.",
  "paramRef.name": "The name of the object at `params`.",
  "paramRef.namespace": "Its namespace. Default: that of the object of the request.",
  "paramRef.selector": "Labels of the objects at `params`, in place of a name.",
  "parameterNotFoundAction": "`Allow` or `Deny`: what happens when there is no such object.",
};

/** `validate.cel`: expressions with the semantics of a ValidatingAdmissionPolicy. */
export const validateCel: RuleKind<CelBody> = {
  kind: "cel",
  section: "validate",
  shape: {
    cel: {
      generate: "flag",
      expressions: [{ expression: "text", message: "text", messageExpression: "text", reason: "text" }],
      auditAnnotations: [{ key: "text", valueExpression: "text" }],
      variables: [{ name: "text", expression: "text" }],
      paramKind: { apiVersion: "text", kind: "text" },
      paramRef: { name: "text", namespace: "text", selector: selectorShape, parameterNotFoundAction: "text" },
    },
  },
  recognises: (validate) => isObject(field(validate, "cel")),
  read: (validate) => {
    const block = field(validate, "cel");
    return {
      kind: "cel",
      generate: field(block, "generate") === true,
      expressions: asList(field(block, "expressions")).filter(isObject),
      variables: asList(field(block, "variables")).map((variable) => ({
        name: textField(variable, "name"),
        expression: textField(variable, "expression"),
      })),
      auditAnnotations: asList(field(block, "auditAnnotations")).filter(isObject),
      paramKind: asObject(field(block, "paramKind")),
      paramRef: asObject(field(block, "paramRef")),
      ...parseValidation(validate),
    };
  },
  carryOver: (validate) => ({ cel: validate["cel"]! }),
  objectNames: ["object", "oldObject"],
  type: "validate",
  name: "cel",
  traits: { comparesOldObject: true },
  compile: compileCelRule,
};
