import { type Diagnostic, type PathDiagnostic, withPosition } from "../diagnostics/mod.ts";
import {
  asBoolean,
  asList,
  asObject,
  asString,
  asTexts,
  type DocumentPath,
  documentPathText,
  field,
  isGiven,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import { hasWildcard, namespaceOf } from "../kube/mod.ts";
import { parseAnchor } from "../pattern/mod.ts";
import {
  type ClassicPolicy,
  controllersAnnotation,
  type WrittenFilter,
  writtenFilters,
  writtenUserCriteria,
} from "../policy/mod.ts";
import type { RuleSource } from "./autogen.ts";
import { writtenRules } from "./written_rules.ts";

/**
 * The parts of a ClusterPolicy or Policy for which Kyverno's webhook refuses to store it, though they can be read.
 * Kyverno parity: pinned by "policy review refuses".
 */
export function refusals(policy: ClassicPolicy): Diagnostic[] {
  const { document, locate, name } = policy;
  const rules = writtenRules(document["spec"]);
  return [
    ...inAnnotations(policy),
    ...inOverrides(policy),
    ...rules.flatMap(inRule),
    ...rules.flatMap((rule) => inTargets(rule, policy)),
    ...(policy.background ? rules.flatMap((rule) => inUsers(rule, "background")) : onUpdate(rules, policy)),
  ].map((each) => ({ ...withPosition(each, locate), policy: name }));
}

/** The users that a policy matches or excludes although it runs in background scans, which have none. */
export function usersInBackground(policy: ClassicPolicy): Diagnostic[] {
  const { background, document, locate, key } = policy;
  if (!background) return [];
  return writtenRules(document["spec"]).flatMap((rule) => inUsers(rule, "background"))
    .map((each) => ({ ...withPosition(each, locate), policy: key }));
}

function refused(message: string, path: DocumentPath): PathDiagnostic {
  return { severity: "error", code: "refused-by-api-server", message, path };
}

function inAnnotations({ annotations }: ClassicPolicy): PathDiagnostic[] {
  if (annotations[controllersAnnotation] !== "all") return [];
  const message =
    "Autogen annotation does not support 'all' anymore, remove the annotation or set it to a valid value";
  return [refused(message, ["metadata", "annotations", controllersAnnotation])];
}

/** A namespace has one action. */
function inOverrides({ document, kind }: ClassicPolicy): PathDiagnostic[] {
  const path = ["spec", "validationFailureActionOverrides"];
  const overrides = asList(field(document["spec"], "validationFailureActionOverrides"));
  if (overrides.length > 0 && kind === "Policy") {
    return [refused("Use of validationFailureActionOverrides is supported only with ClusterPolicy", path)];
  }
  const actions = new Map<string, string>();
  return overrides.flatMap((override, index) => {
    const action = (asString(field(override, "action")) ?? "").toLowerCase();
    const namespaces = asTexts(field(override, "namespaces")).filter((each) => !hasWildcard(each));
    const others = namespaces.filter((each) => (actions.get(each) ?? action) !== action);
    for (const namespace of namespaces) actions.set(namespace, action);
    return others.length === 0
      ? []
      : [refused(`conflicting namespaces found: ${others.join(", ")}`, [...path, index, "namespaces"])];
  });
}

function inRule({ rule, path }: RuleSource): PathDiagnostic[] {
  return [
    ...[...writtenFilters(rule, "match"), ...writtenFilters(rule, "exclude")].flatMap((written) =>
      inFilter(written, path)
    ),
    ...inContext(rule["context"], [...path, "context"]),
    ...inConditions(rule["preconditions"], [...path, "preconditions"]),
    ...inBody(rule["validate"], [...path, "validate"]),
    ...inBody(rule["mutate"], [...path, "mutate"]),
    ...strayTargets(rule, path),
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
      : [refused(`anchors not supported on generate resources: unsupported anchor ${key}`, below)];
  });
}

/** A variable that reads `target`. Each search ends at the next `{{`: authors choose how many there are. */
const targetVariable = /\{\{(?:(?!\{\{)[^}])*\btarget\./;

/** `target` has a value only in rules that change existing objects. */
function strayTargets(rule: JsonObject, path: DocumentPath): PathDiagnostic[] {
  if (asList(field(rule["mutate"], "targets")).length > 0) return [];
  return targetVariable.test(JSON.stringify(rule))
    ? [refused("policy contains invalid variables: target exists only in rules with mutate.targets", path)]
    : [];
}

/** The targets of a Policy are in its namespace. */
function inTargets({ rule, path }: RuleSource, { kind, document }: ClassicPolicy): PathDiagnostic[] {
  const within = kind === "Policy" ? namespaceOf(document) : "";
  if (within === "") return [];
  return asList(field(rule["mutate"], "targets")).flatMap((target, index) =>
    ["", within].includes(asString(field(target, "namespace")) ?? "") ? [] : [refused(
      "This field can be ignored or should have value of the namespace where the policy is being created",
      [...path, "mutate", "targets", index, "namespace"],
    )]
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
function inUsers({ rule, path }: RuleSource, why: keyof typeof withoutRequest): PathDiagnostic[] {
  return writtenUserCriteria(rule).map((below) => {
    const whole = [...path, ...below];
    const at = documentPathText(whole).replaceAll(".", "/");
    return refused(`${withoutRequest[why]}: invalid variable used at path: ${at}`, whole);
  });
}

/**
 * The users in a policy with a rule that changes existing objects when the policy is stored. Kyverno parity: a policy
 * without variables may have them. Pinned by "users where existing objects are changed on a policy's update".
 */
function onUpdate(rules: readonly RuleSource[], { document }: ClassicPolicy): PathDiagnostic[] {
  const always = field(document["spec"], "mutateExistingOnPolicyUpdate") === true;
  const isOn = rules.some(({ rule: { mutate } }) =>
    isObject(mutate ?? null) && (asBoolean(field(mutate, "mutateExistingOnPolicyUpdate")) ?? always)
  );
  return isOn && JSON.stringify(document).includes("{{")
    ? rules.flatMap((rule) => inUsers(rule, "update"))
    : [];
}

/** The problems of a filter of a match or exclude block. */
function inFilter({ filter, path: below }: WrittenFilter, rule: DocumentPath): PathDiagnostic[] {
  const path = [...rule, ...below];
  return [
    ...emptySelectors(field(filter, "resources"), [...path, "resources"]),
    ...asList(field(filter, "subjects")).flatMap((caller, index) =>
      inCaller(caller, [...path, "subjects", index])
    ),
  ];
}

function emptySelectors(resources: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  const selector = field(resources, "selector");
  const isEmpty = isObject(selector ?? null) &&
    Object.keys(asObject(field(selector, "matchLabels")) ?? {}).length === 0 &&
    asList(field(selector, "matchExpressions")).length === 0;
  return isEmpty ? [refused("The requirements are not specified in selector", [...path, "selector"])] : [];
}

function inCaller(caller: Json, path: DocumentPath): PathDiagnostic[] {
  const isAccount = field(caller, "kind") === "ServiceAccount";
  return isAccount && (asString(field(caller, "namespace")) ?? "") === ""
    ? [refused("namespace is required when Kind is ServiceAccount", path)]
    : [];
}

function inContext(context: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  return asList(context).flatMap((entry, index): PathDiagnostic[] => {
    const below = [...path, index];
    const map = field(entry, "configMap"), call = field(entry, "apiCall");
    const missing = isObject(map ?? null)
      ? ["name", "namespace"].filter((name) => (asString(field(map, name)) ?? "") === "")
      : [];
    return [
      ...missing.map((name) =>
        refused(`a ${name} is required for configMap context entry`, [...below, "configMap"])
      ),
      ...((asString(field(call, "urlPath")) ?? "") !== "" && isGiven(field(call, "service"))
        ? [refused("a URLPath cannot be used for service API calls", [...below, "apiCall"])]
        : []),
    ];
  });
}

/** The problems of a `validate` or `mutate` block, and of its loops. */
function inBody(body: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  return [
    ...inConditions(field(field(body, "deny"), "conditions"), [...path, "deny", "conditions"]),
    ...asList(field(body, "foreach")).flatMap((loop, index) => {
      const below = [...path, "foreach", index];
      return [
        ...inConditions(field(loop, "preconditions"), [...below, "preconditions"]),
        ...inContext(field(loop, "context"), [...below, "context"]),
        ...inBody(loop, below),
      ];
    }),
  ];
}

/** Conditions in which a part is missing; a list of conditions, or `any` and `all`. */
function inConditions(conditions: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  const lists = isList(conditions ?? null)
    ? [{ list: asList(conditions), path }]
    : ["any", "all"].map((form) => ({ list: asList(field(conditions, form)), path: [...path, form] }));
  return lists.flatMap(({ list, path }) =>
    list.flatMap((condition, index) =>
      ["key", "operator", "value"].every((part) => isGiven(field(condition, part))) ? [] : [
        refused("entered value of `key`, `value` or `operator` is missing or misspelled", [...path, index]),
      ]
    )
  );
}
