import {
  asList,
  asObject,
  asString,
  asTexts,
  field,
  isObject,
  isString,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import { parseKindSelectors } from "../kube/mod.ts";

/** A rule's JSON with its place among the written rules. */
export interface RuleSource {
  readonly rule: JsonObject;
  /** Index of the written rule that it is or was generated from. */
  readonly index: number;
  readonly generatedFor: ReadonlySet<string> | undefined;
}

/** The kinds that hold a Pod template, with the API they are written as in generated rules. */
const controllers: Readonly<Record<string, string>> = {
  CronJob: "batch/v1/CronJob",
  DaemonSet: "apps/v1/DaemonSet",
  Deployment: "apps/v1/Deployment",
  Job: "batch/v1/Job",
  ReplicaSet: "apps/v1/ReplicaSet",
  ReplicationController: "v1/ReplicationController",
  StatefulSet: "apps/v1/StatefulSet",
};

const annotation = "pod-policies.kyverno.io/autogen-controllers";

/**
 * The rules that a policy about Pods also means for their controllers.
 * Kyverno parity: one rule that cannot be carried over turns generation off for the whole policy.
 */
export function autogenRules(
  sources: readonly RuleSource[],
  annotations: Readonly<Record<string, string>>,
): RuleSource[] {
  if (!eligible(sources.map(({ rule }) => rule))) return [];
  const written = sources.filter(({ rule }) => !asString(rule["name"])?.startsWith("autogen-"));
  const wanted = wantedControllers(annotations[annotation]);
  const templated = wanted.filter((kind) => kind !== "CronJob");
  return written.flatMap(({ rule, index }) => {
    if (!isAboutPods(rule)) return [];
    const generated: RuleSource[] = [];
    const step = wrapRule(rule, "template");
    if (step === undefined) return [];
    if (templated.length > 0) {
      generated.push(finish(step, { prefix: "autogen-", kinds: templated, text: "spec.template" }, index));
    }
    if (wanted.includes("CronJob")) {
      const cron = wrapRule(step, "jobTemplate");
      if (cron !== undefined) {
        generated.push(
          finish(cron, {
            prefix: "autogen-cronjob-",
            kinds: ["CronJob"],
            text: "spec.jobTemplate.spec.template",
          }, index),
        );
      }
    }
    return generated;
  });
}

function wantedControllers(value: string | undefined): string[] {
  const all = Object.keys(controllers);
  if (value === undefined || value === "all") return all;
  if (value === "none") return [];
  const named = value.split(",");
  return all.filter((kind) => named.includes(kind));
}

/** Whether the policy as a whole can be carried over to controllers. */
function eligible(rules: readonly JsonObject[]): boolean {
  let needed = false;
  for (const rule of rules) {
    const mutate = asObject(rule["mutate"]);
    if (rule["generate"] !== undefined || usesJsonPatch(mutate)) return false;
    for (const resources of [...blocks(rule["match"]), ...blocks(rule["exclude"])]) {
      for (const name of ["name", "names", "selector", "annotations"]) {
        const value = resources[name];
        if (value !== undefined && value !== null && value !== "" && !isEmpty(value)) return false;
      }
      const kinds = asTexts(resources["kinds"]);
      if (kinds.length > 1 && kinds.some(isPod)) return false;
      if (kinds.some((kind) => kind === "Pod" || Object.hasOwn(controllers, kind))) needed = true;
    }
  }
  return needed;
}

function isEmpty(value: Json): boolean {
  return Array.isArray(value) ? value.length === 0 : false;
}

function usesJsonPatch(mutate: JsonObject | undefined): boolean {
  if (mutate === undefined) return false;
  if (hasText(mutate["patchesJson6902"])) return true;
  return asList(mutate["foreach"]).some((entry) => isObject(entry) && hasText(entry["patchesJson6902"]));
}

function hasText(value: Json | undefined): boolean {
  return value !== undefined && value !== null && value !== "";
}

/** The `resources` of every filter of a match or exclude block. */
function blocks(match: Json | undefined): JsonObject[] {
  const filters = [match, ...asList(field(match, "any")), ...asList(field(match, "all"))];
  return filters.map((filter) => asObject(field(filter, "resources"))).filter((resources) =>
    resources !== undefined
  );
}

function kindsOf(match: Json | undefined): string[] {
  return blocks(match).flatMap((resources) => asTexts(resources["kinds"]));
}

/** Kyverno parity: subresources of Pods count as Pods here. */
function isPod(kind: string): boolean {
  return parseKindSelectors(kind).some((selector) => selector.kind === "Pod");
}

function isAboutPods(rule: JsonObject): boolean {
  if (!kindsOf(rule["match"]).some(isPod)) return false;
  const excluded = kindsOf(rule["exclude"]);
  return excluded.length === 0 || excluded.some(isPod);
}

/** The rule with its body moved below `spec.<key>`; `undefined` when its kind cannot be carried over. */
function wrapRule(rule: JsonObject, key: string): JsonObject | undefined {
  const wrap = (pattern: Json): Json => ({ spec: { [key]: pattern } });
  const mutate = asObject(rule["mutate"]);
  if (mutate !== undefined) {
    const body = wrapMutate(mutate, wrap);
    return body === undefined ? undefined : without({ ...rule, mutate: body }, ["validate", "verifyImages"]);
  }
  const validate = asObject(rule["validate"]);
  if (validate !== undefined) {
    const body = wrapValidate(validate, wrap, key);
    return body === undefined ? undefined : without({ ...rule, validate: body }, ["verifyImages"]);
  }
  return rule["verifyImages"] === undefined ? undefined : rule;
}

function wrapMutate(mutate: JsonObject, wrap: (pattern: Json) => Json): JsonObject | undefined {
  const merge = mutate["patchStrategicMerge"];
  if (merge !== undefined && merge !== null) return { patchStrategicMerge: wrap(merge) };
  const foreach = asList(mutate["foreach"]);
  if (foreach.length === 0) return undefined;
  // Kyverno parity: of a foreach entry only these fields survive; order and nested loops are lost.
  return {
    foreach: foreach.filter(isObject).map((entry) => ({
      ...pick(entry, ["list", "context", "preconditions"]),
      ...(entry["patchStrategicMerge"] !== undefined &&
        { patchStrategicMerge: wrap(entry["patchStrategicMerge"]) }),
    })),
  };
}

function wrapValidate(
  validate: JsonObject,
  wrap: (pattern: Json) => Json,
  key: string,
): JsonObject | undefined {
  const kept = pick(validate, [
    "message",
    "failureAction",
    "failureActionOverrides",
    "allowExistingViolations",
  ]);
  const message = kept["message"];
  const shifted = isString(message) ? { ...kept, message: shiftReferences(message, key) } : kept;
  const pattern = validate["pattern"];
  if (pattern !== undefined && pattern !== null) return { ...shifted, pattern: wrap(pattern) };
  for (const name of ["deny", "podSecurity"]) {
    if (isObject(validate[name])) return { ...shifted, [name]: validate[name] };
  }
  const alternatives = asList(validate["anyPattern"]);
  if (alternatives.length > 0) return { ...shifted, anyPattern: alternatives.map(wrap) };
  for (const name of ["foreach", "cel"]) {
    if (validate[name] !== undefined && validate[name] !== null) {
      return { ...shifted, [name]: validate[name] };
    }
  }
  const tree = asObject(validate["assert"]);
  return tree === undefined ? undefined : { ...shifted, assert: wrapAssertion(tree, wrap) };
}

function wrapAssertion(tree: JsonObject, wrap: (pattern: Json) => Json): JsonObject {
  const wrapped: Record<string, Json> = {};
  for (const [name, value] of Object.entries(tree)) {
    wrapped[name] = name === "object" || name === "oldObject" ? wrap(value) : value;
  }
  return wrapped;
}

/** References into the pattern, written in a message, follow the pattern to its new place. */
function shiftReferences(message: string, key: string): string {
  return message.replace(
    /\$\(([^)\s]*?)(anyPattern\/\d+|pattern)\//g,
    (_, before: string, pivot: string) => `$(${before}${pivot}/spec/${key}/`,
  );
}

interface Target {
  readonly prefix: string;
  readonly kinds: readonly string[];
  /** Path of the Pod template in the controller, as expressions write it. */
  readonly text: string;
}

function finish(rule: JsonObject, { prefix, kinds, text }: Target, index: number): RuleSource {
  const name = `${prefix}${asString(rule["name"]) ?? ""}`.slice(0, 63);
  const everyFilter = prefix === "autogen-cronjob-";
  const apis = kinds.map((kind) => controllers[kind]!);
  const moved: Record<string, Json> = { ...rule, name, match: moveKinds(rule["match"], apis, everyFilter) };
  if (rule["exclude"] !== undefined) moved["exclude"] = moveKinds(rule["exclude"], apis, everyFilter);
  return { rule: rewriteText(moved, text), index, generatedFor: new Set(kinds) };
}

/** Replaces the kinds of filters that name Pod (of every filter for CronJobs), and leaves all else. */
function moveKinds(match: Json | undefined, kinds: readonly string[], everyFilter: boolean): Json {
  const block = asObject(match) ?? {};
  const moved: Record<string, Json> = { ...block };
  let listed = false;
  for (const name of ["any", "all"]) {
    const filters = asList(block[name]);
    if (filters.length === 0) continue;
    listed = true;
    moved[name] = filters.map((filter) => {
      const resources = asObject(field(filter, "resources"));
      if (!isObject(filter) || resources === undefined) return filter;
      const own = asTexts(resources["kinds"]);
      const moves = own.length > 0 && (everyFilter || own.some(isPod));
      return moves ? { ...filter, resources: { ...resources, kinds } } : filter;
    });
  }
  const direct = asObject(block["resources"]);
  if (!listed && direct !== undefined && asList(direct["kinds"]).length > 0) {
    moved["resources"] = { ...direct, kinds };
  }
  return moved;
}

/** Kyverno parity: plain text replacement over the whole rule's JSON, messages and names included. */
function rewriteText(rule: JsonObject, template: string): JsonObject {
  const text = JSON.stringify(rule);
  const isCel = isObject(field(rule["validate"] ?? null, "cel"));
  const rewritten = isCel
    ? text.replaceAll("object.spec", `object.${template}.spec`).replaceAll(
      "oldObject.spec",
      `oldObject.${template}.spec`,
    )
      .replaceAll("object.metadata", `object.${template}.metadata`).replaceAll(
        "oldObject.metadata",
        `oldObject.${template}.metadata`,
      )
    : text.replaceAll("request.object.spec", `request.object.${template}.spec`)
      .replaceAll("request.oldObject.spec", `request.oldObject.${template}.spec`)
      .replaceAll("request.object.metadata", `request.object.${template}.metadata`)
      .replaceAll("request.oldObject.metadata", `request.oldObject.${template}.metadata`);
  return JSON.parse(rewritten) as JsonObject;
}

function pick(value: JsonObject, names: readonly string[]): Record<string, Json> {
  const picked: Record<string, Json> = {};
  for (const name of names) if (Object.hasOwn(value, name)) picked[name] = value[name]!;
  return picked;
}

function without(value: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}
