import { nameOf, namespaceOf } from "../../kube/mod.ts";
import { parseCelSections, policyKey } from "../../policy/mod.ts";
import type * as full from "../cel_policy.ts";

/** Stands in for policies in CEL, of which a bundle has none. One is reported, and has no rules. */
const parseCelPolicy: typeof full.parseCelPolicy = ({ document, kind, locate }) => {
  const name = nameOf(document),
    namespace = kind.startsWith("Namespaced") ? namespaceOf(document) : undefined;
  return {
    policy: {
      language: "cel",
      kind,
      name,
      namespace,
      key: policyKey({ name, namespace }),
      annotations: {},
      failurePolicy: "Fail",
      failureAction: "Enforce",
      overrides: [],
      admission: true,
      background: false,
      emitWarning: false,
      applyRules: "All",
      timeoutSeconds: undefined,
      matchConditions: [],
      generateExisting: false,
      mutateExistingOnPolicyUpdate: false,
      useServerSideApply: false,
      rules: [],
      locate,
      document,
      sections: parseCelSections({}),
    },
    specs: [],
    diagnostics: [{
      severity: "error",
      code: "left-out",
      message: `this bundle was made without policies of kind ${kind}`,
      hint: "make the bundle again with this policy",
    }],
  };
};

export { parseCelPolicy };
