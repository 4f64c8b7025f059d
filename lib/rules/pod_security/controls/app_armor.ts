import { compareBytes, isObject, textField } from "../../../json/mod.ts";
import { type FieldViolation, type Finding, forbidden } from "../control.ts";
import { plural, type PodView, quoted, setting, sortedSet } from "../pod.ts";
import { settersOf } from "../setters.ts";

const annotationPrefix = "container.apparmor.security.beta.kubernetes.io/";
const at = "securityContext.appArmorProfile.type";

/** AppArmor profiles must be RuntimeDefault or Localhost, in the field or in the older annotations. */
export function appArmor(pod: PodView): Finding | undefined {
  const types: string[] = [];
  const setters = settersOf(pod, (security, path) => {
    const profile = setting(security, "appArmorProfile");
    if (profile === undefined) return [];
    const type = textField(profile, "type");
    if (type === "RuntimeDefault" || type === "Localhost") return [];
    types.push(type);
    return [forbidden(`${path}.${at}`, type)];
  });

  const texts: string[] = [], annotationFields: FieldViolation[] = [];
  const annotations = isObject(pod.annotations) ? Object.keys(pod.annotations) : [];
  for (const key of annotations.filter((key) => key.startsWith(annotationPrefix)).sort(compareBytes)) {
    const value = textField(pod.annotations, key);
    if (/^(?:$|runtime\/default$|localhost\/)/.test(value)) continue;
    texts.push(`${key}=${JSON.stringify(value)}`);
    annotationFields.push(forbidden(`metadata.annotations[${key}]`, value));
  }

  const who = setters === undefined ? [] : [setters.who];
  if (texts.length > 0) who.push(plural("annotation", texts.length));
  if (who.length === 0) return undefined;
  const bad = [...sortedSet(types), ...sortedSet(texts)];
  return {
    reason: plural("forbidden AppArmor profile", bad.length),
    detail: `${who.join(" and ")} must not set AppArmor profile type to ${quoted(bad)}`,
    fields: [...setters?.fields ?? [], ...annotationFields],
  };
}
