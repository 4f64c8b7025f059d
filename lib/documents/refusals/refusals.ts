import { type PathDiagnostic, withPosition } from "../../diagnostics/mod.ts";
import {
  asBoolean,
  asList,
  asObject,
  asString,
  type DocumentPath,
  documentPathText,
  field,
  isGiven,
  isList,
  isObject,
  type Json,
  type JsonObject,
  textField,
} from "../../json/mod.ts";
import { namespaceOf } from "../../kube/mod.ts";
import { parseAnchor } from "../../pattern/mod.ts";
import { type ClassicPolicy, writtenUserCriteria } from "../../policy/mod.ts";
import type { RuleSource } from "../autogen.ts";
import { celRefusals, mixedLanguages } from "./cel.ts";
import { type ConditionReading, conditionRefusals, operationRefusals } from "./conditions.ts";
import { everyKindRefusals } from "./every_kind.ts";
import { generationRefusals } from "./generate.ts";
import { clusterWideKinds, filtersWithoutKinds, matchRefusals } from "./match.ts";
import { mutationRefusals } from "./mutate.ts";
import { patternRefusals } from "./patterns.ts";
import { podSecurityRefusals } from "./pod_security.ts";
import { refusal } from "./refusal.ts";
import { settingRefusals, tooLongName } from "./settings.ts";
import { textRefusals } from "./texts.ts";
import { writtenRules } from "../written_rules.ts";

/**
 * The parts of a ClusterPolicy or Policy for which the API server or Kyverno's webhook refuses to store it, though they
 * can be read.
 * Kyverno parity: pinned by "policy review refuses".
 */
export function refusals(
  policy: ClassicPolicy,
  { kinds = "builtin" }: { readonly kinds?: "builtin" | "unknown" } = {},
): PathDiagnostic[] {
  const { document, locate, name } = policy;
  const rules = writtenRules(document["spec"]);
  return [
    ...settingRefusals(policy),
    ...rules.flatMap((rule) => [...matchRefusals(rule, policy), ...everyKindRefusals(rule, policy)]),
    ...(kinds === "builtin" ? clusterWideKinds(rules, policy) : []),
    ...policy.rules.filter(({ generatedFor }) => generatedFor === undefined).flatMap(filtersWithoutKinds),
    ...rules.flatMap(ruleRefusals),
    ...rules.flatMap((rule) => targetRefusals(rule, policy)),
    ...rules.flatMap((rule) => generationRefusals(rule, { kinds })),
    ...(policy.background
      ? rules.flatMap((rule) => userRefusals(rule, "background"))
      : updateRefusals(rules, policy)),
  ].map((each) => ({ ...withPosition(each, locate), path: each.path, policy: name }));
}

function ruleRefusals(source: RuleSource): PathDiagnostic[] {
  const { rule, path } = source;
  return [
    ...tooLongName({ name: asString(rule["name"]) ?? "", path: [...path, "name"] }),
    ...contextRefusals(rule["context"], [...path, "context"]),
    ...conditionRefusals(rule["preconditions"], [...path, "preconditions"]),
    ...bodyRefusals(rule["validate"], [...path, "validate"]),
    ...bodyRefusals(rule["mutate"], [...path, "mutate"]),
    ...operationRefusals(rule["preconditions"], [...path, "preconditions"]),
    ...operationRefusals(field(field(rule["validate"], "deny"), "conditions"), [
      ...path,
      "validate",
      "deny",
      "conditions",
    ]),
    ...asList(field(rule["generate"], "foreach")).flatMap((loop, index) =>
      conditionRefusals(field(loop, "preconditions"), [
        ...path,
        "generate",
        "foreach",
        index,
        "preconditions",
      ], "described")
    ),
    ...attestationRefusals(rule["verifyImages"], [...path, "verifyImages"]),
    ...mutationRefusals(rule["mutate"], [...path, "mutate"]),
    ...strayExtractors(rule, path),
    ...patternRefusals(rule, path),
    ...podSecurityRefusals(field(rule["validate"], "podSecurity"), [...path, "validate", "podSecurity"]),
    ...mixedLanguages(rule, path),
    ...celRefusals(field(rule["validate"], "cel"), [...path, "validate", "cel"]),
    ...textRefusals(source),
    ...anchorsIn(field(rule["generate"], "data"), [...path, "generate", "data"]),
  ];
}

/** A generated object has keys, and none with a condition. Kyverno does not read those of loops. */
function anchorsIn(data: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  if (isList(data ?? null)) return asList(data).flatMap((each, index) => anchorsIn(each, [...path, index]));
  return Object.entries(asObject(data) ?? {}).flatMap(([key, value]) => {
    const below = [...path, key];
    return parseAnchor(key) === undefined
      ? anchorsIn(value, below)
      : [refusal(below, `anchors not supported on generate resources: unsupported anchor ${key}`)];
  });
}

function attestationRefusals(images: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  return asList(images).flatMap((entry, image) =>
    asList(field(entry, "attestations")).flatMap((attestation, index) =>
      asList(field(attestation, "conditions")).flatMap((block, position) =>
        conditionRefusals(block, [...path, image, "attestations", index, "conditions", position], "described")
      )
    )
  );
}

function strayExtractors(rule: JsonObject, path: DocumentPath): PathDiagnostic[] {
  if (!isGiven(rule["imageExtractors"]) || asList(rule["verifyImages"]).length > 0) return [];
  const message = "imageExtractors can only be defined for verifyImages rule";
  return [refusal([...path, "imageExtractors"], message, "remove them")];
}

/** The targets of a Policy are in its namespace. */
function targetRefusals({ rule, path }: RuleSource, { kind, document }: ClassicPolicy): PathDiagnostic[] {
  const within = kind === "Policy" ? namespaceOf(document) : "";
  if (within === "") return [];
  return asList(field(rule["mutate"], "targets")).flatMap((target, index) =>
    ["", within].includes(textField(target, "namespace")) ? [] : [
      refusal(
        [...path, "mutate", "targets", index, "namespace"],
        "This field can be ignored or should have value of the namespace where the policy is being created",
      ),
    ]
  );
}

/** The evaluations of a policy for which no request came. */
const withoutRequest = {
  background:
    "only select variables are allowed in background mode. Set spec.background=false to disable background mode for " +
    "this policy rule",
  update:
    "only select variables are allowed in on policy update. Set spec.mutateExistingOnPolicyUpdate=false to disable " +
    "update policy mode for this policy rule",
} as const;

/** Such an evaluation has no user, so the policy cannot match or exclude by users. */
function userRefusals({ rule, path }: RuleSource, why: keyof typeof withoutRequest): PathDiagnostic[] {
  return writtenUserCriteria(rule).map((below) => {
    const whole = [...path, ...below];
    const at = documentPathText(whole).replaceAll(".", "/");
    return refusal(whole, `${withoutRequest[why]}: invalid variable used at path: ${at}`);
  });
}

/**
 * The users in a policy with a rule that changes existing objects when the policy is stored. Kyverno parity: a policy
 * without variables may have them. Pinned by "users where existing objects are changed on a policy's update".
 */
function updateRefusals(rules: readonly RuleSource[], { document }: ClassicPolicy): PathDiagnostic[] {
  const always = field(document["spec"], "mutateExistingOnPolicyUpdate") === true;
  const isOn = rules.some(({ rule: { mutate } }) =>
    isObject(mutate ?? null) && (asBoolean(field(mutate, "mutateExistingOnPolicyUpdate")) ?? always)
  );
  return isOn && JSON.stringify(document).includes("{{")
    ? rules.flatMap((rule) => userRefusals(rule, "update"))
    : [];
}

function contextRefusals(context: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  return asList(context).flatMap((entry, index): PathDiagnostic[] => {
    const below = [...path, index];
    const map = field(entry, "configMap"), call = field(entry, "apiCall");
    const missing = isObject(map ?? null)
      ? ["name", "namespace"].filter((name) => textField(map, name) === "")
      : [];
    return [
      ...missing.map((name) =>
        refusal([...below, "configMap"], `a ${name} is required for configMap context entry`)
      ),
      ...(textField(call, "urlPath") !== "" && isGiven(field(call, "service"))
        ? [refusal([...below, "apiCall"], "a URLPath cannot be used for service API calls")]
        : []),
      ...variableRefusals(field(entry, "variable"), [...below, "variable"]),
    ];
  });
}

/** A default stands in for what an expression does not find. */
function variableRefusals(variable: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  const isPlain = textField(variable, "jmesPath") === "";
  return isPlain && isGiven(field(variable, "default"))
    ? [refusal(
      [...path, "default"],
      "a variable must define a default value only when a jmesPath expression is defined",
      "write value in place of default, or add a jmesPath",
    )]
    : [];
}

/** The problems of a `validate` or `mutate` block, and of its loops. */
function bodyRefusals(
  body: Json | undefined,
  path: DocumentPath,
  reading: ConditionReading = "rule",
): PathDiagnostic[] {
  return [
    ...conditionRefusals(field(field(body, "deny"), "conditions"), [...path, "deny", "conditions"], reading),
    ...asList(field(body, "foreach")).flatMap((loop, index) => {
      const below = [...path, "foreach", index];
      return [
        ...conditionRefusals(field(loop, "preconditions"), [...below, "preconditions"], "described"),
        ...contextRefusals(field(loop, "context"), [...below, "context"]),
        ...bodyRefusals(loop, below, "loop"),
      ];
    }),
  ];
}
