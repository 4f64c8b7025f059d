import {
  asList,
  dig,
  field,
  isObject,
  isString,
  type Json,
  type JsonObject,
  parseJsonText,
} from "../json/mod.ts";

/** The controllers that have their Pod template at the same path. */
interface Group {
  /** The path from the controller to the template. */
  readonly template: string;
  /** The API group of each resource. */
  readonly resources: Readonly<Record<string, "apps" | "batch">>;
}

const groups: readonly Group[] = [
  {
    template: "spec.template",
    resources: {
      daemonsets: "apps",
      deployments: "apps",
      replicasets: "apps",
      statefulsets: "apps",
      jobs: "batch",
    },
  },
  { template: "spec.jobTemplate.spec.template", resources: { cronjobs: "batch" } },
];

/** Rewrites the expressions of a spec about Pods for a controller's template. */
export type Rewrite = (spec: JsonObject, template: string) => JsonObject;

/**
 * The specs that autogen derives from a spec about Pods, for their controllers. None when the spec matches anything
 * else, or selects Pods by name or label.
 */
export function podControllerSpecs(spec: JsonObject, rewrite: Rewrite): JsonObject[] {
  const constraints = field(spec, "matchConstraints");
  if (!isObject(constraints) || !isAboutAllPods(constraints)) return [];
  const chosen = dig(spec, "autogen", "podControllers", "controllers");
  const wanted = Array.isArray(chosen) ? chosen.filter(isString) : undefined;
  const operations = dig(asList(constraints["resourceRules"])[0], "operations") ?? [];
  if (asList(operations).length === 0) return [];
  return groups.flatMap(({ template, resources }) => {
    const names = Object.keys(resources).filter((name) => wanted === undefined || wanted.includes(name));
    if (names.length === 0) return [];
    const rules = (["apps", "batch"] as const).flatMap((group) => {
      const ofGroup = names.filter((name) => resources[name] === group);
      return ofGroup.length === 0
        ? []
        : [{ apiGroups: [group], apiVersions: ["v1"], resources: ofGroup, operations }];
    });
    const selector = constraints["namespaceSelector"];
    const matchConstraints = {
      resourceRules: rules,
      ...(selector !== undefined && { namespaceSelector: selector }),
    };
    return [{ ...rewrite(spec, template), matchConstraints }];
  });
}

function isAboutAllPods(constraints: JsonObject): boolean {
  const rules = asList(constraints["resourceRules"]);
  if (rules.length !== 1 || asList(constraints["excludeResourceRules"]).length > 0) return false;
  if (selects(constraints["objectSelector"])) return false;
  const [rule] = rules;
  return asList(field(rule, "resourceNames")).length === 0 && isOnly(field(rule, "apiGroups"), "") &&
    isOnly(field(rule, "apiVersions"), "v1") && isOnly(field(rule, "resources"), "pods");
}

function selects(selector: Json | undefined): boolean {
  const labels = field(selector, "matchLabels");
  return asList(field(selector, "matchExpressions")).length > 0 ||
    (isObject(labels) && Object.keys(labels).length > 0);
}

function isOnly(list: Json | undefined, name: string): boolean {
  return Array.isArray(list) && list.length === 1 && list[0] === name;
}

/**
 * Rewrites a policy for Pods into one for pod controllers. Kyverno parity: it replaces paths in the text of the whole
 * spec, also in messages and in `request.object`; the path of the object's namespace stays as it is. Pinned by "autogen
 * of CEL policies rewrites the whole spec as text, except the namespace of an object".
 */
export function rewriteText(spec: JsonObject, template: string): JsonObject {
  let text = JSON.stringify(spec);
  for (const root of ["object", "oldObject"]) {
    text = text.replaceAll(`${root}.spec`, `${root}.${template}.spec`);
    text = text.replaceAll(
      new RegExp(`${root}\\.metadata(?!\\.namespace(?![A-Za-z0-9_]))`, "g"),
      `${root}.${template}.metadata`,
    );
  }
  return parseJsonText(text) as JsonObject;
}
