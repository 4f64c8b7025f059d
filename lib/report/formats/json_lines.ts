import { exceptionsOf, failedPath } from "../../rules/mod.ts";
import { asString, dig } from "../../json/mod.ts";
import { nameOf, namespaceOf } from "../../kube/mod.ts";
import type { ReportFormat } from "./format.ts";
import { type ReportRow, rowsOf } from "./row.ts";

/** JSON lines: one JSON object for each result. The writer returns them object by object. */
export const jsonLines: ReportFormat = {
  name: "json",
  about: "JSON lines: one object for each result",
  open: (options) => ({
    add: (object) => rowsOf(object, options).map((row) => `${JSON.stringify(lineOf(row))}\n`).join(""),
    end: () => "",
  }),
};

function lineOf(row: ReportRow): object {
  const { policy, rule, result, message, resource, ruleResult, position, rulePosition } = row;
  const path = failedPath(ruleResult), exceptions = exceptionsOf(ruleResult);
  return {
    policy: policy.key,
    policyKind: policy.kind,
    rule,
    type: ruleResult.type,
    result,
    message,
    action: ruleResult.action,
    resource: {
      apiVersion: asString(resource["apiVersion"]) ?? "",
      kind: asString(resource["kind"]) ?? "",
      namespace: namespaceOf(resource),
      name: nameOf(resource) || (asString(dig(resource, "metadata", "generateName")) ?? ""),
    },
    ...(path !== undefined && { path }),
    ...(position !== undefined && { position }),
    ...(rulePosition !== undefined && { rulePosition }),
    ...(ruleResult.properties !== undefined && { properties: ruleResult.properties }),
    ...(exceptions !== undefined && { exceptions }),
  };
}
