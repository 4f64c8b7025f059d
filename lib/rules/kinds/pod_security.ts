import { asList, field, isObject, textField } from "../../json/mod.ts";
import type { FieldNotes } from "../../shape/mod.ts";
import type { RuleKind } from "../rule_kind.ts";
import { compilePodSecurityRule, type PodSecurityBody } from "../validate_pod_security.ts";

/** The descriptions of the fields of `validate.podSecurity`. */
export const podSecurityNotes: FieldNotes = {
  "validate.podSecurity": "Checks Pods against a Pod Security Standard.",
  "level": "`privileged`, `baseline` or `restricted`.",
  "podSecurity.version": "The version of the standard: `latest` or `v1.29`. Default latest.",
  "podSecurity.exclude": "Controls that are not checked.",
  "controlName": "The name of the control as the standard has it: `Capabilities`.",
  "exclude.images": "Images whose containers the exclusion is about; wildcards are allowed.",
  "restrictedField":
    "The field that the exclusion is about: `spec.containers[*].securityContext.capabilities.add`.",
  "exclude.values": "Values of the field that are allowed.",
};

/** `validate.podSecurity`: the Pod must satisfy a level of the Pod Security Standards. */
export const validatePodSecurity: RuleKind<PodSecurityBody> = {
  kind: "podSecurity",
  section: "validate",
  shape: {
    podSecurity: {
      level: "text",
      version: "text",
      exclude: [{ controlName: "text", images: ["text"], restrictedField: "text", values: ["text"] }],
    },
  },
  recognises: (validate) => isObject(field(validate, "podSecurity")),
  read: (validate) => {
    const block = field(validate, "podSecurity");
    return {
      kind: "podSecurity",
      level: textField(block, "level"),
      version: textField(block, "version"),
      exclude: asList(field(block, "exclude")).filter(isObject),
    };
  },
  carryOver: (validate) => ({ podSecurity: validate["podSecurity"]! }),
  type: "validate",
  name: "podSecurity",
  traits: { appliesExceptions: true },
  compile: compilePodSecurityRule,
};
