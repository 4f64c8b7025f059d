import { asList, field, textField } from "../../../json/mod.ts";
import { type Check, forbidden } from "../control.ts";
import { enumerated } from "../pod.ts";

/** Sysctls that are safe in every version. */
export const safeSysctls: readonly string[] = [
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
];
/** Safe since 1.27. */
export const safeSysctls27: readonly string[] = [...safeSysctls, "net.ipv4.ip_local_reserved_ports"];
/** Safe since 1.29. */
export const safeSysctls29: readonly string[] = [
  ...safeSysctls27,
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
];
/** Safe since 1.32. */
export const safeSysctls32: readonly string[] = [...safeSysctls29, "net.ipv4.tcp_rmem", "net.ipv4.tcp_wmem"];

/** Only the given sysctls may be set. */
export function sysctls(safe: readonly string[]): Check {
  const allowed: ReadonlySet<string> = new Set(safe);
  return ({ security }) => {
    const bad = asList(field(security, "sysctls")).flatMap((sysctl, index) => {
      const name = textField(sysctl, "name");
      return allowed.has(name) ? [] : [{ name, path: `spec.securityContext.sysctls[${index}].name` }];
    });
    if (bad.length === 0) return undefined;
    return {
      reason: "forbidden sysctls",
      detail: enumerated(bad.map(({ name }) => name)),
      fields: bad.map(({ path, name }) => forbidden(path, name)),
    };
  };
}
