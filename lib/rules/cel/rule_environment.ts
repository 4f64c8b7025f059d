import { type CelType, kubernetesLibraries, orValueLibrary } from "../../cel/mod.ts";
import { authorizerVariables } from "./authorizer.ts";
import type { ExpressionSetOptions } from "./expressions.ts";
import { admissionVariables } from "./roots.ts";

/**
 * The variables and functions that expressions of `validate.cel` may use: those of a ValidatingAdmissionPolicy, because
 * one may be made from the rule.
 */
export function ruleEnvironment(
  /** The type of `params`; `undefined` for a rule without parameters. */
  params: CelType | undefined,
): Pick<ExpressionSetOptions, "variables" | "libraries" | "literals"> {
  return {
    variables: {
      ...admissionVariables,
      ...authorizerVariables,
      ...(params !== undefined && { params }),
    },
    libraries: [...kubernetesLibraries, orValueLibrary],
    literals: "homogeneous",
  };
}
