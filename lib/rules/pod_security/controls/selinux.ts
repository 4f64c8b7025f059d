import { textField } from "../../../json/mod.ts";
import { type Check, type FieldViolation, forbidden } from "../control.ts";
import { plural, quoted, setting, sortedSet } from "../pod.ts";
import { settersOf } from "../setters.ts";

/** The SELinux types that containers may have in every version. An unset type is allowed too. */
export const selinuxTypes: readonly string[] = [
  "",
  "container_t",
  "container_init_t",
  "container_kvm_t",
];

/** Only the given SELinux types are allowed, and neither user nor role may be set. */
export function selinux(types: readonly string[]): Check {
  const allowed: ReadonlySet<string> = new Set(types);
  return (pod) => {
    const badTypes: string[] = [];
    let user = false, role = false;
    const setters = settersOf(pod, (security, path) => {
      const options = setting(security, "seLinuxOptions");
      if (options === undefined) return [];
      const at = `${path}.securityContext.seLinuxOptions`;
      const bad: FieldViolation[] = [];
      const type = textField(options, "type");
      if (!allowed.has(type)) {
        badTypes.push(type);
        bad.push(forbidden(`${at}.type`, type));
      }
      const setUser = textField(options, "user"),
        setRole = textField(options, "role");
      if (setUser !== "") bad.push(forbidden(`${at}.user`, setUser));
      if (setRole !== "") bad.push(forbidden(`${at}.role`, setRole));
      user ||= setUser !== "";
      role ||= setRole !== "";
      return bad;
    });
    if (setters === undefined) return undefined;
    const distinct = sortedSet(badTypes);
    const details = distinct.length > 0 ? [`${plural("type", distinct.length)} ${quoted(distinct)}`] : [];
    if (user) details.push("user may not be set");
    if (role) details.push("role may not be set");
    return {
      reason: "seLinuxOptions",
      detail: `${setters.who} set forbidden securityContext.seLinuxOptions: ${details.join("; ")}`,
      fields: setters.fields,
    };
  };
}
