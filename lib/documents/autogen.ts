import {
  asList,
  asObject,
  asString,
  asTexts,
  type DocumentPath,
  field,
  isObject,
  type Json,
  type JsonObject,
  parseJsonText,
} from "../json/mod.ts";
import { movedBody } from "./moved_body.ts";
import {
  autogenPrefix,
  controllersAnnotation,
  cronJobPrefix,
  isAboutPods,
  isAutogenName,
  isForControllers,
  isPod,
  podControllers,
} from "../policy/mod.ts";
import { kindOf } from "../rules/mod.ts";

/** The JSON of a rule, written or derived. */
export interface RuleSource {
  readonly rule: JsonObject;
  /** The path, in the policy's document, of the written rule that it is or was derived from. */
  readonly path: DocumentPath;
  readonly generatedFor: ReadonlySet<string> | undefined;
}

/**
 * The autogen rules of a policy: its rules about Pods, derived for pod controllers. Kyverno parity: one rule that
 * cannot be derived turns autogen off for the whole policy. Pinned by "names turn generation off for the whole policy".
 */
export function autogenRules(
  sources: readonly RuleSource[],
  annotations: Readonly<Record<string, string>>,
): RuleSource[] {
  if (!isForControllers(sources.map(({ rule }) => rule))) return [];
  const written = sources.filter(({ rule }) => !isAutogenName(asString(rule["name"]) ?? ""));
  const wanted = wantedControllers(annotations[controllersAnnotation]);
  const templated = wanted.filter((kind) => kind !== "CronJob");
  return written.flatMap(({ rule, path }) => {
    if (!isAboutPods(rule)) return [];
    const generated: RuleSource[] = [];
    const step = movedBody(rule, "template");
    if (step === undefined) return [];
    if (templated.length > 0) {
      const group = { prefix: autogenPrefix, kinds: templated, template: "spec.template" };
      generated.push(ruleFor(group, step, path));
    }
    if (wanted.includes("CronJob")) {
      const cron = movedBody(step, "jobTemplate");
      const group = { prefix: cronJobPrefix, kinds: ["CronJob"], template: "spec.jobTemplate.spec.template" };
      if (cron !== undefined) generated.push(ruleFor(group, cron, path));
    }
    return generated;
  });
}

function wantedControllers(value: string | undefined): string[] {
  const all = Object.keys(podControllers);
  if (value === undefined || value === "all") return all;
  if (value === "none") return [];
  const named = value.split(",");
  return all.filter((kind) => named.includes(kind));
}

/** Controllers that have their Pod template at the same path. */
interface ControllerGroup {
  /** The beginning of the names of rules for them. */
  readonly prefix: string;
  readonly kinds: readonly string[];
  /** The path of the Pod template in the controller, in the form of expressions. */
  readonly template: string;
}

/** The autogen rule for controllers, from a written rule whose body was moved below their Pod template. */
function ruleFor(
  { prefix, kinds, template }: ControllerGroup,
  rule: JsonObject,
  path: DocumentPath,
): RuleSource {
  const name = `${prefix}${asString(rule["name"]) ?? ""}`.slice(0, 63);
  const everyFilter = prefix === cronJobPrefix;
  const apis = kinds.map((kind) => podControllers[kind]!);
  const moved: Record<string, Json> = { ...rule, name, match: moveKinds(rule["match"], apis, everyFilter) };
  if (rule["exclude"] !== undefined) moved["exclude"] = moveKinds(rule["exclude"], apis, everyFilter);
  return { rule: rewriteText(moved, template), path, generatedFor: new Set(kinds) };
}

/** Replaces the kinds of filters that name Pod (of every filter for CronJobs), and nothing else. */
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
      const listed = asTexts(resources["kinds"]);
      const moves = listed.length > 0 && (everyFilter || listed.some(isPod));
      return moves ? { ...filter, resources: { ...resources, kinds } } : filter;
    });
  }
  const direct = asObject(block["resources"]);
  if (!listed && direct !== undefined && asList(direct["kinds"]).length > 0) {
    moved["resources"] = { ...direct, kinds };
  }
  return moved;
}

/**
 * Kyverno parity: plain text replacement over the whole rule's JSON, messages and names included. Pinned by
 * "autogen rewrites expressions by text, once".
 */
function rewriteText(rule: JsonObject, template: string): JsonObject {
  let text = JSON.stringify(rule);
  for (const below of ["spec", "metadata"]) {
    for (const name of objectNamesOf(rule)) {
      text = text.replaceAll(`${name}.${below}`, `${name}.${template}.${below}`);
    }
  }
  return parseJsonText(text) as JsonObject;
}

/** The names of the object and of the old object in the expressions of a rule. */
function objectNamesOf(rule: JsonObject): readonly string[] {
  const validate = asObject(rule["validate"]);
  const kind = validate && kindOf("validate", validate);
  return kind?.objectNames ?? ["request.object", "request.oldObject"];
}
