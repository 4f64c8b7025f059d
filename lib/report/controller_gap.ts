import { asList, asString, dig, isObject } from "../json/mod.ts";
import type { RuleTrace } from "../engine/mod.ts";
import { autogenHindrance, controllersAnnotation, isAboutPods, podControllers } from "../policy/mod.ts";

/**
 * Why no rule for the pod controller at hand was derived from a rule about Pods, in words; `undefined` where one was,
 * and for rules and objects that are about something else.
 */
export function controllerGap({ policy, rule, selection, results }: RuleTrace): string | undefined {
  const found = selection?.match.find(({ criterion }) => criterion === "kinds")?.found;
  const kind = asString(found)?.split("/").at(-1) ?? "";
  if (results.length > 0 || policy.language !== "classic" || !Object.hasOwn(podControllers, kind)) {
    return undefined;
  }
  const written = asList(dig(policy.document, "spec", "rules")).filter(isObject);
  const source = written.find(({ name }) => name === rule);
  if (source === undefined || !isAboutPods(source)) return undefined;
  if (policy.rules.some(({ generatedFor }) => generatedFor?.has(kind))) return undefined;
  return `no rule for a ${kind} is generated from it, as ${reason()}`;

  function reason(): string {
    const wanted = (policy as RuleTrace["policy"]).annotations[controllersAnnotation];
    if (wanted !== undefined && wanted !== "all" && !wanted.split(",").includes(kind)) {
      return `the annotation ${controllersAnnotation} is "${wanted}"`;
    }
    for (const each of written) {
      const hindrance = autogenHindrance(each);
      if (hindrance !== undefined) {
        const which = each === source ? "it" : `the policy's rule ${asString(each["name"]) ?? ""}`;
        return `${which} ${hindrance}`;
      }
    }
    return "no rule of the policy names the kind Pod without a version";
  }
}
