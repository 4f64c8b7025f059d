import { asList, asString, field, type Json } from "../../../json/mod.ts";
import { type FieldViolation, type Finding, forbidden, required } from "../control.ts";
import { namedContainers, type PodView, quoted, setting, sortedSet } from "../pod.ts";

/** The capabilities that containers have by default. */
const defaults: ReadonlySet<string> = new Set([
  "AUDIT_WRITE",
  "CHOWN",
  "DAC_OVERRIDE",
  "FOWNER",
  "FSETID",
  "KILL",
  "MKNOD",
  "NET_BIND_SERVICE",
  "SETFCAP",
  "SETGID",
  "SETPCAP",
  "SETUID",
  "SYS_CHROOT",
]);

/** Only capabilities of the default set may be added. */
export function capabilitiesBaseline({ containers }: PodView): Finding | undefined {
  const names: string[] = [], added: string[] = [], fields: FieldViolation[] = [];
  for (const { name, path, security } of containers) {
    const bad = listed(security, "add").filter((capability) => !defaults.has(capability));
    if (bad.length === 0) continue;
    names.push(name);
    for (const each of bad) added.push(each);
    fields.push(forbidden(`${path}.securityContext.capabilities.add`, sortedSet(bad)));
  }
  if (names.length === 0) return undefined;
  return { reason: "non-default capabilities", detail: mustNotAdd(names, added), fields };
}

/** All capabilities must be dropped, and only `NET_BIND_SERVICE` may be added. */
export function capabilitiesRestricted({ containers }: PodView): Finding | undefined {
  const keeping: string[] = [], adding: string[] = [], added: string[] = [];
  const kept: FieldViolation[] = [], addedFields: FieldViolation[] = [];
  for (const { name, path, security } of containers) {
    const at = `${path}.securityContext.capabilities`;
    const dropped = listed(security, "drop");
    if (!dropped.includes("ALL")) {
      keeping.push(name);
      kept.push(dropped.length === 0 ? required(`${at}.drop`) : forbidden(`${at}.drop`, sortedSet(dropped)));
    }
    const bad = listed(security, "add").filter((capability) => capability !== "NET_BIND_SERVICE");
    if (bad.length === 0) continue;
    adding.push(name);
    for (const each of bad) added.push(each);
    addedFields.push(forbidden(`${at}.add`, sortedSet(bad)));
  }
  const details: string[] = [];
  if (keeping.length > 0) {
    details.push(`${namedContainers(keeping)} must set securityContext.capabilities.drop=["ALL"]`);
  }
  if (adding.length > 0) details.push(mustNotAdd(adding, added));
  if (details.length === 0) return undefined;
  return {
    reason: "unrestricted capabilities",
    detail: details.join("; "),
    fields: [...kept, ...addedFields],
  };
}

function listed(security: Json | undefined, name: "add" | "drop"): string[] {
  return asList(field(setting(security, "capabilities"), name)).map((item) => asString(item) ?? "");
}

function mustNotAdd(names: readonly string[], added: readonly string[]): string {
  return `${namedContainers(names)} must not include ${
    quoted(sortedSet(added))
  } in securityContext.capabilities.add`;
}
