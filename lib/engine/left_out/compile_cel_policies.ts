import { parseCelPolicy } from "../../documents/mod.ts";
import { policyKindsOf } from "../../rules/mod.ts";
import type * as full from "../compile_cel_policies.ts";

const celPolicies: typeof full.celPolicies = (documents) =>
  documents.flatMap((document) => {
    const [kind] = policyKindsOf(document);
    return kind === undefined ? [] : [{ document, kind, further: [], exceptions: [], bindings: [] }];
  });

/** A bundle without this part was made from policies without CEL: a policy in CEL is reported, and is broken. */
// deno-lint-ignore require-yield -- it compiles no spec
const compileCelPolicy: typeof full.compileCelPolicy = function* ({ document, kind }, { report }) {
  const { policy, diagnostics } = parseCelPolicy(document, kind);
  for (const diagnostic of diagnostics) report({ ...diagnostic, policy: policy.key });
  return { policy, rules: [], matchConditions: undefined, needs: [], audited: false, broken: diagnostics[0] };
};

export { celPolicies, compileCelPolicy };
