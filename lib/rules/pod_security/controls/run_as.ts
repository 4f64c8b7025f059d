import { field } from "../../../json/mod.ts";
import { type Check, type Finding, forbidden, required } from "../control.ts";
import { namedContainers, type PodView, setting } from "../pod.ts";
import { settersOf } from "../setters.ts";

const at = "securityContext.runAsNonRoot";

/**
 * Containers must run as non-root: each container, or the pod, sets `runAsNonRoot: true`. `first` reports missing
 * fields only when no field is false. Kyverno parity: `both` reports missing and false fields. Pinned by "kyverno runs
 * early controls and reports both ways to run as root".
 */
export function runAsNonRoot(reports: "first" | "both"): Check {
  return (pod) => {
    const setters = settersOf(
      pod,
      (security, path) =>
        field(security, "runAsNonRoot") === false ? [forbidden(`${path}.${at}`, false)] : [],
    );
    const podSaysSo = field(pod.security, "runAsNonRoot") === true;
    const without = podSaysSo
      ? []
      : pod.containers.filter(({ security }) => setting(security, "runAsNonRoot") === undefined);
    const details: string[] = [];
    if (setters !== undefined) details.push(`${setters.who} must not set ${at}=false`);
    if (without.length > 0) {
      details.push(`pod or ${namedContainers(without.map(({ name }) => name))} must set ${at}=true`);
    }
    if (details.length === 0) return undefined;
    const missing = without.map(({ path }) => required(`${path}.${at}`));
    const reason = "runAsNonRoot != true";
    return reports === "both" || setters === undefined
      ? { reason, detail: details.join("\n"), fields: [...setters?.fields ?? [], ...missing] }
      : { reason, detail: details[0]!, fields: setters.fields };
  };
}

/** `runAsUser` must not be 0, for the pod and its containers. */
export function runAsUser(pod: PodView): Finding | undefined {
  const setters = settersOf(
    pod,
    (security, path) =>
      field(security, "runAsUser") === 0 ? [forbidden(`${path}.securityContext.runAsUser`, 0)] : [],
  );
  if (setters === undefined) return undefined;
  return { reason: "runAsUser=0", detail: `${setters.who} must not set runAsUser=0`, fields: setters.fields };
}
