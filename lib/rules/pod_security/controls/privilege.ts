import { field } from "../../../json/mod.ts";
import { type Finding, forbidden, required } from "../control.ts";
import { namedContainers, type PodView, quoted, setting, sortedSet } from "../pod.ts";
import { settersOf } from "../setters.ts";

/** `privileged` must not be true. */
export function privileged({ containers }: PodView): Finding | undefined {
  const bad = containers.filter(({ security }) => field(security, "privileged") === true);
  if (bad.length === 0) return undefined;
  return {
    reason: "privileged",
    detail: `${namedContainers(bad.map(({ name }) => name))} must not set securityContext.privileged=true`,
    fields: bad.map(({ path }) => forbidden(`${path}.securityContext.privileged`, true)),
  };
}

/** `allowPrivilegeEscalation` must be false. */
export function allowPrivilegeEscalation({ containers }: PodView): Finding | undefined {
  const bad = containers.filter(({ security }) => field(security, "allowPrivilegeEscalation") !== false);
  if (bad.length === 0) return undefined;
  return {
    reason: "allowPrivilegeEscalation != false",
    detail: `${
      namedContainers(bad.map(({ name }) => name))
    } must set securityContext.allowPrivilegeEscalation=false`,
    fields: bad.map(({ path, security }) => {
      const at = `${path}.securityContext.allowPrivilegeEscalation`;
      if (security === undefined) return required(at);
      // Kyverno parity: an unset field under a security context is reported as the found value "nil". Pinned
      // by "privilege escalation that is not set is reported as the found value nil".
      return forbidden(at, setting(security, "allowPrivilegeEscalation") === undefined ? "nil" : true);
    }),
  };
}

/** `windowsOptions.hostProcess` must not be true, for the pod and its containers. */
export function windowsHostProcess(pod: PodView): Finding | undefined {
  const at = "securityContext.windowsOptions.hostProcess";
  const setters = settersOf(pod, (security, path) => {
    return setting(security, "windowsOptions", "hostProcess") === true
      ? [forbidden(`${path}.${at}`, true)]
      : [];
  });
  if (setters === undefined) return undefined;
  return { reason: "hostProcess", detail: `${setters.who} must not set ${at}=true`, fields: setters.fields };
}

/** `procMount` must be unset or `Default`. */
export function procMount({ containers }: PodView): Finding | undefined {
  const bad = containers.flatMap(({ name, path, security }) => {
    const type = setting(security, "procMount");
    return typeof type !== "string" || type === "Default" ? [] : [{ name, path, type }];
  });
  if (bad.length === 0) return undefined;
  return {
    reason: "procMount",
    detail: `${namedContainers(bad.map(({ name }) => name))} must not set securityContext.procMount to ${
      quoted(sortedSet(bad.map(({ type }) => type)))
    }`,
    fields: bad.map(({ path, type }) => forbidden(`${path}.securityContext.procMount`, type)),
  };
}
