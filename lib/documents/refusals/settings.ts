import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import {
  asList,
  asTexts,
  type DocumentPath,
  documentPathText,
  field,
  isGiven,
  isObject,
  type Json,
  textField,
} from "../../json/mod.ts";
import { compileWildcard } from "../../kube/mod.ts";
import { type ClassicPolicy, controllersAnnotation } from "../../policy/mod.ts";
import { refusal } from "./refusal.ts";
import { writtenRules } from "../written_rules.ts";

/** The refused settings of a policy: its annotations, and the fields of its spec beside the rules. */
export function settingRefusals(policy: ClassicPolicy): PathDiagnostic[] {
  return [
    ...tooLongName(policy),
    ...annotationRefusals(policy),
    ...overrideRefusals(policy),
    ...withoutAdmission(policy),
    ...writtenTwice(policy),
    ...timeouts(policy),
    ...withoutEffect(policy),
  ];
}

/** The most bytes in the name of a policy, which becomes the value of a label, and in the name of a rule. */
const longestName = 63;

/** The refusal of a policy's or rule's name that is too long. */
export function tooLongName({ name, path = ["metadata", "name"] }: {
  readonly name: string;
  readonly path?: DocumentPath;
}): PathDiagnostic[] {
  return new TextEncoder().encode(name).length <= longestName
    ? []
    : [refusal(path, `Too long: may not be more than ${longestName} bytes`)];
}

function annotationRefusals({ annotations }: ClassicPolicy): PathDiagnostic[] {
  if (annotations[controllersAnnotation] !== "all") return [];
  const message =
    "Autogen annotation does not support 'all' anymore, remove the annotation or set it to a valid value";
  return [refusal(["metadata", "annotations", controllersAnnotation], message)];
}

function overrideRefusals({ document, kind }: ClassicPolicy): PathDiagnostic[] {
  const name = "validationFailureActionOverrides";
  const overrides = field(document["spec"], name);
  if (kind !== "Policy") {
    return [
      ...conflicts(overrides, ["spec", name]),
      ...writtenRules(document["spec"]).flatMap(({ rule, path }) =>
        conflicts(field(rule["validate"], "failureActionOverrides"), [
          ...path,
          "validate",
          "failureActionOverrides",
        ])
      ),
    ];
  }
  return asList(overrides).length === 0
    ? []
    : [refusal(["spec", name], `Use of ${name} is supported only with ClusterPolicy`)];
}

/** A namespace has one action, whether overrides name it or match it by a wildcard. */
function conflicts(overrides: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  const before: { readonly action: string; readonly namespace: string }[] = [];
  return asList(overrides).flatMap((override, index) => {
    const action = textField(override, "action").toLowerCase();
    const namespaces = asTexts(field(override, "namespaces"));
    const others = namespaces.filter((one) =>
      before.some((each) => each.action !== action && meet(each.namespace, one))
    );
    before.push(...namespaces.map((namespace) => ({ action, namespace })));
    return others.length === 0 ? [] : [refusal(
      [...path, index, "namespaces"],
      `conflicting namespaces found: ${others.join(", ")}`,
      "give each namespace one action",
    )];
  });
}

/** Whether one of two names or wildcards matches the other. */
function meet(one: string, other: string): boolean {
  return compileWildcard(one)(other) || compileWildcard(other)(one);
}

function withoutAdmission({ admission, background, document }: ClassicPolicy): PathDiagnostic[] {
  if (!admission && !background) {
    return [
      refusal(["spec", "admission"], "disabling both admission and background processing is not allowed"),
    ];
  }
  const others = writtenRules(document["spec"]).filter(({ rule }) =>
    ["mutate", "generate", "verifyImages"].some((section) => isGiven(rule[section]))
  );
  return admission || others.length === 0 ? [] : [refusal(
    ["spec", "admission"],
    "disabling admission processing is only allowed with validation policies",
    "remove admission: false, or the rules that mutate, generate or verify images",
  )];
}

/** Settings that moved to the webhook's configuration, at both paths. */
function writtenTwice({ document: { spec } }: ClassicPolicy): PathDiagnostic[] {
  const moved = [["webhookTimeoutSeconds", "timeoutSeconds"], ["failurePolicy", "failurePolicy"]] as const;
  return moved.filter(([early, now]) =>
    isGiven(field(spec, early)) && isGiven(field(field(spec, "webhookConfiguration"), now))
  ).map(([early, now]) =>
    refusal(
      ["spec", early],
      `remove the deprecated field and use spec.webhookConfiguration.${now} instead`,
    )
  );
}

function timeouts({ timeoutSeconds = 1 }: ClassicPolicy): PathDiagnostic[] {
  return timeoutSeconds >= 1 && timeoutSeconds <= 30
    ? []
    : [refusal(["spec", "webhookTimeoutSeconds"], "the timeout value must be between 1 and 30 seconds")];
}

/** Settings of a policy that change nothing: one is now a setting of rules, one is for rules that the policy lacks. */
function withoutEffect({ document: { spec } }: ClassicPolicy): PathDiagnostic[] {
  const found: PathDiagnostic[] = [];
  const generates = "generateExistingOnPolicyUpdate", mutates = "mutateExistingOnPolicyUpdate";
  if (isGiven(field(spec, generates))) {
    found.push(refusal(
      ["spec", generates],
      "remove the deprecated field and use spec.generate[*].generateExisting instead",
    ));
  }
  const always = field(spec, mutates) === true;
  for (const { rule: { mutate }, path } of writtenRules(spec)) {
    const isOn = isObject(mutate ?? null) && (always || field(mutate, mutates) === true);
    if (!isOn || asList(field(mutate, "targets")).length > 0) continue;
    found.push(refusal(
      field(mutate, mutates) === true ? [...path, "mutate", mutates] : ["spec", mutates],
      `${documentPathText(path.slice(1))}.mutate.targets has to be specified when ${mutates} is set`,
      `name the objects that the rule changes in mutate.targets, or remove ${mutates}`,
    ));
  }
  return found;
}
