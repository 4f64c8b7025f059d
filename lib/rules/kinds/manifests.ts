import { asObject, field, isObject } from "../../json/mod.ts";
import { attestorSetShape } from "../../policy/mod.ts";
import type { FieldNotes } from "../../shape/mod.ts";
import { compileManifestsRule, type ManifestsBody } from "../manifests/mod.ts";
import type { RuleKind } from "../rule_kind.ts";

/** The descriptions of the fields of `validate.manifests`. */
export const manifestsNotes: FieldNotes = {
  "manifests": "Checks that an object is as its signature says.",
  "annotationDomain": "The beginning of the annotations that have the signature.",
  "ignoreFields": "Fields that may differ from what was signed.",
  "fields": "Paths of the fields; wildcards are allowed.",
  "objects": "Objects that the fields are of; wildcards are allowed.",
  "group": "The API group.",
  "version": "The API version.",
  "dryRun": "How the rule distinguishes the API server's defaults from changes.",
  "enable": "Whether a dry run on the API server adds its defaults to the manifest. Default false.",
};

/** `validate.manifests`: the object must be signed as a whole, in the format of k8s-manifest-sigstore. */
export const validateManifests: RuleKind<ManifestsBody> = {
  kind: "manifests",
  section: "validate",
  shape: {
    manifests: {
      attestors: [attestorSetShape],
      annotationDomain: "text",
      repository: "text",
      ignoreFields: [{
        fields: ["text"],
        objects: [{ group: "text", version: "text", kind: "text", name: "text", namespace: "text" }],
      }],
      dryRun: { enable: "flag", namespace: "text" },
    },
  },
  recognises: (validate) => isObject(field(validate, "manifests")),
  read: (validate) => ({ kind: "manifests", manifests: asObject(field(validate, "manifests"))! }),
  type: "validate",
  name: "manifests",
  compile: compileManifestsRule,
};
