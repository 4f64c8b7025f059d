import { asList, asString, dig, isObject } from "../json/mod.ts";
import type { RuleTrace } from "../engine/mod.ts";
import { autogenHindrance, controllersAnnotation, isAboutPods, podControllers } from "../policy/mod.ts";

/**
 * Why no rule for the pod controller at hand was derived from a rule about Pods that does not match it, in words;
 * `undefined` where one was, and for rules and objects that are about something else.
 */
export function controllerGap({ policy, rule, selection }: RuleTrace): string | undefined {
  const found = selection?.match.find(({ criterion }) => criterion === "kinds")?.found;
  const kind = asString(found)?.split("/").at(-1) ?? "";
  const written = asList(dig(policy.document, "spec", "rules")).filter(isObject);
  const source = written.find(({ name }) => name === rule);
  if (source === undefined || !isAboutPods(source) || !Object.hasOwn(podControllers, kind)) return undefined;
  if (policy.rules.some(({ generatedFor }) => generatedFor?.has(kind))) return undefined;
  const wanted = policy.annotations[controllersAnnotation] ?? kind;
  const hindering = written.find(autogenHindrance);
  const reason = wanted !== "all" && !wanted.split(",").includes(kind)
    ? `the annotation ${controllersAnnotation} is "${wanted}"`
    : hindering === undefined
    ? "no rule of the policy names the kind Pod without a version"
    : `the rule ${asString(hindering["name"])} ${autogenHindrance(hindering)}`;
  return `no rule for a ${kind} is generated from it, as ${reason}`;
}
