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
  const { policy, rule, result, message, resource, outcome, position, rulePosition } = row;
  const path = failedPath(outcome), exceptions = exceptionsOf(outcome);
  return {
    policy: policy.key,
    policyKind: policy.kind,
    rule,
    type: outcome.type,
    result,
    message,
    action: outcome.action,
    resource: {
      apiVersion: asString(resource["apiVersion"]) ?? "",
      kind: asString(resource["kind"]) ?? "",
      namespace: namespaceOf(resource),
      name: nameOf(resource) || (asString(dig(resource, "metadata", "generateName")) ?? ""),
    },
    ...(path !== undefined && { path }),
    ...(position !== undefined && { position }),
    ...(rulePosition !== undefined && { rulePosition }),
    ...(outcome.properties !== undefined && { properties: outcome.properties }),
    ...(exceptions !== undefined && { exceptions }),
  };
}
