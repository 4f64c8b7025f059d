import { asList, asString, field, textField } from "../../../json/mod.ts";
import { type Finding, forbidden } from "../control.ts";
import { enumerated, namedContainers, plural, type PodView, quoted, setting, sortedSet } from "../pod.ts";

/** `hostNetwork`, `hostPID` and `hostIPC` must not be true. */
export function hostNamespaces({ spec }: PodView): Finding | undefined {
  const shared = ["hostNetwork", "hostPID", "hostIPC"].filter((name) => field(spec, name) === true);
  if (shared.length === 0) return undefined;
  return {
    reason: "host namespaces",
    detail: shared.map((name) => `${name}=true`).join(", "),
    fields: shared.map((name) => forbidden(`spec.${name}`, true)),
  };
}

/** Volumes must not be `hostPath`. */
export function hostPathVolumes({ spec }: PodView): Finding | undefined {
  const names: string[] = [];
  const fields = asList(field(spec, "volumes")).flatMap((volume, index) => {
    const hostPath = setting(volume, "hostPath");
    if (hostPath === undefined) return [];
    names.push(textField(volume, "name"));
    return [forbidden(`spec.volumes[${index}].hostPath`, textField(hostPath, "path"))];
  });
  if (fields.length === 0) return undefined;
  return { reason: "hostPath volumes", detail: `${plural("volume", names.length)} ${quoted(names)}`, fields };
}

/** Ports must not have a `hostPort` other than 0. */
export function hostPorts({ containers }: PodView): Finding | undefined {
  const names: string[] = [], ports: string[] = [];
  const fields = containers.flatMap(({ name, path, value }) => {
    const bad = asList(field(value, "ports")).flatMap((port, index) => {
      const hostPort = field(port, "hostPort");
      if (typeof hostPort !== "number" || hostPort === 0) return [];
      ports.push(String(hostPort));
      return [forbidden(`${path}.ports[${index}].hostPort`, hostPort)];
    });
    if (bad.length > 0) names.push(name);
    return bad;
  });
  if (fields.length === 0) return undefined;
  const distinct = sortedSet(ports);
  const uses = names.length === 1 ? "uses" : "use";
  return {
    reason: "hostPort",
    detail: `${namedContainers(names)} ${uses} ${plural("hostPort", distinct.length)} ${
      enumerated(distinct)
    }`,
    fields,
  };
}

const handlers = [
  ["livenessProbe"],
  ["readinessProbe"],
  ["startupProbe"],
  ["lifecycle", "postStart"],
  ["lifecycle", "preStop"],
];

/**
 * Probes and lifecycle handlers must not name a `host`. Kyverno parity: the control names no fields, so no
 * field of it can be excluded. Pinned by "the control of hosts in probes names no fields".
 */
export function hostProbes({ containers }: PodView): Finding | undefined {
  const names: string[] = [], hosts: string[] = [];
  for (const { name, value } of containers) {
    const bad = handlers.flatMap((handler) =>
      ["httpGet", "tcpSocket"].flatMap((kind) => {
        const host = asString(setting(value, ...handler, kind, "host"));
        return host === undefined || host === "" ? [] : [host];
      })
    );
    if (bad.length > 0) names.push(name);
    for (const host of bad) hosts.push(host);
  }
  if (names.length === 0) return undefined;
  const who = sortedSet(names), distinct = sortedSet(hosts);
  const uses = who.length === 1 ? "uses" : "use";
  return {
    reason: "probe or lifecycle host",
    detail: `${namedContainers(who)} ${uses} ${plural("probe or lifecycle host", distinct.length)} ${
      quoted(distinct)
    }`,
    fields: [],
  };
}
