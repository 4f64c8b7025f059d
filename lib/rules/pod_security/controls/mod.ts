/**
 * The controls of the Pod Security Standards, as one table. A revision applies from its version on; Kubernetes 1.36
 * adds none. The order is the one in which Kyverno reports violations.
 *
 * @module
 */
import type { Check, Control } from "../control.ts";
import { appArmor } from "./app_armor.ts";
import { capabilitiesBaseline, capabilitiesRestricted } from "./capabilities.ts";
import { hostNamespaces, hostPathVolumes, hostPorts, hostProbes } from "./host.ts";
import { allowPrivilegeEscalation, privileged, procMount, windowsHostProcess } from "./privilege.ts";
import { runAsNonRoot, runAsUser } from "./run_as.ts";
import { seccompAnnotations, seccompBaseline, seccompRestricted } from "./seccomp.ts";
import { selinux, selinuxTypes } from "./selinux.ts";
import { safeSysctls, safeSysctls27, safeSysctls29, safeSysctls32, sysctls } from "./sysctls.ts";
import { restrictedVolumes } from "./volumes.ts";

/** All controls. */
export const controls: readonly Control[] = [
  {
    id: "allowPrivilegeEscalation",
    name: "Privilege Escalation",
    level: "restricted",
    revisions: [
      { since: 8, check: allowPrivilegeEscalation },
      { since: 25, check: exceptWindows(allowPrivilegeEscalation) },
    ],
  },
  {
    id: "appArmorProfile",
    name: "AppArmor",
    level: "baseline",
    revisions: [{ since: 0, check: appArmor }],
  },
  {
    id: "capabilities_baseline",
    name: "Capabilities",
    level: "baseline",
    revisions: [{ since: 0, check: capabilitiesBaseline }],
  },
  {
    id: "capabilities_restricted",
    name: "Capabilities",
    level: "restricted",
    replaces: ["capabilities_baseline"],
    revisions: [
      { since: 22, check: capabilitiesRestricted },
      { since: 25, check: exceptWindows(capabilitiesRestricted) },
    ],
  },
  {
    id: "hostNamespaces",
    name: "Host Namespaces",
    level: "baseline",
    revisions: [{ since: 0, check: hostNamespaces }],
  },
  {
    id: "hostPathVolumes",
    name: "HostPath Volumes",
    level: "baseline",
    revisions: [{ since: 0, check: hostPathVolumes }],
  },
  {
    id: "hostPorts",
    name: "Host Ports",
    level: "baseline",
    revisions: [{ since: 0, check: hostPorts }],
  },
  {
    id: "hostProbesAndHostLifecycle",
    level: "baseline",
    revisions: [{ since: 34, check: hostProbes }],
  },
  {
    id: "privileged",
    name: "Privileged Containers",
    level: "baseline",
    revisions: [{ since: 0, check: privileged }],
  },
  {
    id: "procMount",
    name: "/proc Mount Type",
    level: "baseline",
    revisions: [
      { since: 0, check: procMount },
      { since: 35, check: exceptUserNamespaces(procMount), standard: "kubernetes" },
    ],
  },
  {
    // Only the baseline control is relaxed in 1.35; the restricted one is not.
    id: "procMount_restricted",
    level: "restricted",
    replaces: ["procMount"],
    revisions: [{ since: 35, check: procMount, standard: "kubernetes" }],
  },
  {
    id: "restrictedVolumes",
    name: "Volume Types",
    level: "restricted",
    replaces: ["hostPathVolumes"],
    revisions: [{ since: 0, check: restrictedVolumes }],
  },
  {
    id: "runAsNonRoot",
    name: "Running as Non-root",
    level: "restricted",
    revisions: [
      { since: 0, check: runAsNonRoot("first"), standard: "kubernetes" },
      { since: 35, check: exceptUserNamespaces(runAsNonRoot("first")), standard: "kubernetes" },
      { since: 0, check: runAsNonRoot("both"), standard: "kyverno" },
    ],
  },
  {
    id: "runAsUser",
    name: "Running as Non-root user",
    level: "restricted",
    revisions: [
      { since: 23, check: runAsUser },
      { since: 35, check: exceptUserNamespaces(runAsUser), standard: "kubernetes" },
    ],
  },
  {
    id: "seLinuxOptions",
    name: "SELinux",
    level: "baseline",
    revisions: [
      { since: 0, check: selinux(selinuxTypes) },
      { since: 31, check: selinux([...selinuxTypes, "container_engine_t"]) },
    ],
  },
  {
    id: "seccompProfile_baseline",
    name: "Seccomp",
    level: "baseline",
    revisions: [
      { since: 0, check: seccompAnnotations },
      { since: 19, check: seccompBaseline },
    ],
  },
  {
    id: "seccompProfile_restricted",
    name: "Seccomp",
    level: "restricted",
    replaces: ["seccompProfile_baseline"],
    revisions: [
      { since: 19, check: seccompRestricted },
      { since: 25, check: exceptWindows(seccompRestricted) },
    ],
  },
  {
    id: "sysctls",
    name: "Sysctls",
    level: "baseline",
    revisions: [
      { since: 0, check: sysctls(safeSysctls) },
      { since: 27, check: sysctls(safeSysctls27) },
      { since: 29, check: sysctls(safeSysctls29) },
      { since: 32, check: sysctls(safeSysctls32) },
    ],
  },
  {
    id: "windowsHostProcess",
    name: "HostProcess",
    level: "baseline",
    revisions: [{ since: 0, check: windowsHostProcess }],
  },
];

/** The API server refuses these fields in pods for Windows, so no control can require them there. */
function exceptWindows(check: Check): Check {
  return (pod) => pod.windows ? undefined : check(pod);
}

/** In a separate user namespace, root in the pod is an unprivileged user on the node. */
function exceptUserNamespaces(check: Check): Check {
  return (pod) => pod.hasUserNamespace ? undefined : check(pod);
}
