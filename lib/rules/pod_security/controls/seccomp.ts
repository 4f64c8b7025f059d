import { asString, field, type Json, textField } from "../../../json/mod.ts";
import { type FieldViolation, type Finding, forbidden, required } from "../control.ts";
import { enumerated, namedContainers, plural, type PodView, quoted, setting, sortedSet } from "../pod.ts";
import { settersOf } from "../setters.ts";

const podAnnotation = "seccomp.security.alpha.kubernetes.io/pod";
const containerAnnotation = "container.seccomp.security.alpha.kubernetes.io/";
const at = "securityContext.seccompProfile.type";

/** Until 1.18 annotations set seccomp: runtime/default, docker/default and localhost profiles are allowed. */
export function seccompAnnotations({ annotations, containers }: PodView): Finding | undefined {
  const keys = [podAnnotation, ...containers.map(({ name }) => `${containerAnnotation}${name}`)];
  const bad = new Map<string, FieldViolation[]>();
  for (const key of keys) {
    const value = asString(field(annotations, key));
    if (value === undefined || /^(?:(?:runtime|docker)\/default$|localhost\/)/.test(value)) continue;
    const text = `${key}=${JSON.stringify(value)}`;
    const violation = forbidden(`metadata.annotations[${key}]`, value);
    const same = bad.get(text);
    if (same === undefined) bad.set(text, [violation]);
    else same.push(violation);
  }
  if (bad.size === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `forbidden ${plural("annotation", bad.size)} ${enumerated(sortedSet(bad.keys()))}`,
    fields: [...bad.values()].flat(),
  };
}

/** Since 1.19 a profile must be RuntimeDefault or Localhost if it is set. */
export function seccompBaseline(pod: PodView): Finding | undefined {
  const types: string[] = [];
  const setters = settersOf(pod, (security, path) => {
    const type = profileType(security);
    if (type === undefined || isAllowed(type)) return [];
    types.push(type);
    return [forbidden(`${path}.${at}`, type)];
  });
  if (setters === undefined) return undefined;
  return {
    reason: "seccompProfile",
    detail: `${setters.who} must not set ${at} to ${quoted(sortedSet(types))}`,
    fields: setters.fields,
  };
}

/** As baseline. Each container must also have a profile, or the pod must have one for it. */
export function seccompRestricted(pod: PodView): Finding | undefined {
  const bad = seccompBaseline(pod);
  if (bad !== undefined) return bad;
  if (profileType(pod.security) !== undefined) return undefined;
  const without = pod.containers.filter(({ security }) => profileType(security) === undefined);
  if (without.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `pod or ${
      namedContainers(without.map(({ name }) => name))
    } must set ${at} to "RuntimeDefault" or "Localhost"`,
    fields: without.map(({ path }) => required(`${path}.${at}`)),
  };
}

/** The type of the profile; empty when it has none, `undefined` without a profile. */
function profileType(security: Json | undefined): string | undefined {
  const profile = setting(security, "seccompProfile");
  return profile === undefined ? undefined : textField(profile, "type");
}

function isAllowed(type: string): boolean {
  return type === "RuntimeDefault" || type === "Localhost";
}
