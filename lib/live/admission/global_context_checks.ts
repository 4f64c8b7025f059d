import { asList, asObject, asString, field, textField } from "../../json/mod.ts";
import { durationProblem } from "../../kube/mod.ts";
import type { CheckedObject } from "./check.ts";

/** The problems of a GlobalContextEntry. */
export function globalContextProblems({ object }: CheckedObject): string[] {
  const spec = asObject(object["spec"]) ?? {};
  const resource = asObject(field(spec, "kubernetesResource")), call = asObject(field(spec, "apiCall"));
  if ((resource === undefined) === (call === undefined)) {
    return ["a global context entry has either kubernetesResource or apiCall"];
  }
  if (call === undefined) {
    return ["version", "resource"].filter((name) => textField(resource, name) === "")
      .map((name) => `kubernetesResource needs ${name}`);
  }
  const problems: string[] = [];
  const method = asString(field(call, "method")) ?? "GET";
  if ((field(call, "service") === undefined) === (textField(call, "urlPath") === "")) {
    problems.push("apiCall has either urlPath or service");
  }
  if (method !== "POST" && asList(field(call, "data")).length > 0) {
    problems.push("apiCall.data is only sent with method POST");
  }
  const interval = asString(field(call, "refreshInterval"));
  const problem = interval === undefined ? undefined : durationProblem(interval);
  if (problem !== undefined) problems.push(`apiCall.refreshInterval: ${problem}`);
  return problems;
}
