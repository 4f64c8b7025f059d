import { choosing, type PathDiagnostic } from "../../diagnostics/mod.ts";
import { asList, asString, type DocumentPath, field, isGiven, type Json, textField } from "../../json/mod.ts";
import { controlNames } from "../../rules/mod.ts";
import { refusal } from "./refusal.ts";

/** The versions of the standards that the definitions of policies name: 1.19 to 1.32, and the latest. */
const firstVersion = 19, lastVersion = 32;

/** The controls about a whole Pod, and those about its containers. Other ones may be excluded in both ways. */
const ofPod = ["Host Namespaces", "HostPath Volumes", "Sysctls", "Volume Types"];
const ofContainers = [
  "Capabilities",
  "Privileged Containers",
  "Host Ports",
  "/proc Mount Type",
  "Privilege Escalation",
];

/** The parts of a rule's `podSecurity` for which it is refused. */
export function podSecurityRefusals(block: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  if (!isGiven(block)) return [];
  const version = field(block, "version");
  const minor = Number(/^v1\.(\d\d)$/.exec(asString(version) ?? "")?.[1] ?? "0");
  const isVersion = !isGiven(version) || version === "latest" ||
    (minor >= firstVersion && minor <= lastVersion);
  return [
    ...(isVersion ? [] : [refusal(
      [...path, "version"],
      `there is no version ${JSON.stringify(version)}`,
      `use latest, or one of v1.${firstVersion} to v1.${lastVersion}`,
    )]),
    ...exemptedControls(field(block, "exclude"), [...path, "exclude"]),
  ];
}

/** The problems of the controls that a rule excludes, or that an exception exempts from. */
export function exemptedControls(controls: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  return asList(controls).flatMap((each, index) => {
    const at = [...path, index];
    const name = textField(each, "controlName");
    const hasImages = asList(field(each, "images")).length > 0;
    const isRestricted = textField(each, "restrictedField") !== "";
    const hasValues = asList(field(each, "values")).length > 0;
    const found: PathDiagnostic[] = [];
    const refuse = (key: string, message: string, hint?: string): void =>
      void found.push(refusal([...at, key], message, hint));
    if (!controlNames.includes(name)) {
      refuse("controlName", `There is no control "${name}" to exclude`, choosing(name, controlNames).hint);
    }
    if (ofContainers.includes(name) && !hasImages) {
      refuse(
        "controlName",
        "exclude.images must be specified for the container level control",
        'write images: ["*"] for all',
      );
    }
    if (ofPod.includes(name) && hasImages) {
      refuse(
        "controlName",
        "exclude.images must not be specified for the pod level control",
        "remove images",
      );
    }
    if (isRestricted && !hasValues) refuse("values", "values is required");
    if (!isRestricted && hasValues) refuse("restrictedField", "restrictedField is required");
    return found;
  });
}
