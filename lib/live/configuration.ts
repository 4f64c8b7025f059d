import {
  asObject,
  asString,
  asTexts,
  field,
  isFault,
  isObject,
  isString,
  type Json,
  type JsonObject,
  parseJson,
} from "../json/mod.ts";
import { compileLabelSelector, labelKeyProblem, labelValueProblem } from "../kube/mod.ts";
import { usableConditions } from "./webhooks/match_conditions.ts";
import { parseYaml } from "../yaml/mod.ts";

/** The settings of webhooks in the ConfigMap. */
export interface WebhookSettings {
  readonly namespaceSelector: JsonObject;
  readonly objectSelector: JsonObject;
  readonly matchConditions: readonly Json[];
  readonly labels: JsonObject;
  readonly annotations: JsonObject;
}

/** Selects the requests that no policy sees. */
export interface RequestFilters {
  /** `[Kind,namespace,name]` items as one text; absent for the defaults. */
  readonly resourceFilters?: string;
  readonly excludeGroups: readonly string[];
  readonly excludeUsernames: readonly string[];
  /** Of users, as `namespace:name`, and cluster roles. */
  readonly excludeRoles: readonly string[];
  readonly excludeClusterRoles: readonly string[];
}

/** The dynamic configuration: ConfigMap `kyverno` (or `postern`), read while running. */
export interface DynamicConfiguration {
  readonly webhooks: WebhookSettings;
  /** Selects the requests that no policy sees. */
  readonly filters: RequestFilters;
  readonly generateSuccessEvents: boolean;
  /** The actions whose success is an event; all when empty. */
  readonly successEventActions: readonly string[];
}

/** Reads the data of the ConfigMap; without a ConfigMap, the defaults. Values that cannot be read count as absent. */
export function readConfiguration(
  configMap: JsonObject | undefined,
  { namespace }: { readonly namespace: string },
): DynamicConfiguration {
  const texts = asObject(field(configMap, "data")) ?? {};
  const text = (name: string): string | undefined => asString(texts[name]);
  const list = (name: string): string[] =>
    (text(name) ?? "").split(",").map((part) => part.trim()).filter((part) => part !== "");
  const selectors = webhookSelectors(text("webhooks"));
  return {
    webhooks: {
      namespaceSelector: withoutSystem(selectors.namespaceSelector, namespace),
      objectSelector: selectors.objectSelector,
      // A condition that the API server refuses would make it refuse all webhooks.
      matchConditions: usableConditions(jsonList(text("matchConditions"))),
      labels: textsIn(text("webhookLabels"), isLabel),
      annotations: textsIn(text("webhookAnnotations"), isAnnotation),
    },
    filters: {
      ...(texts["resourceFilters"] !== undefined && { resourceFilters: text("resourceFilters") ?? "" }),
      excludeGroups: texts["excludeGroups"] === undefined ? ["system:nodes"] : list("excludeGroups"),
      excludeUsernames: list("excludeUsernames"),
      excludeRoles: list("excludeRoles"),
      excludeClusterRoles: list("excludeClusterRoles"),
    },
    // As Go reads booleans.
    generateSuccessEvents: /^(?:1|t|T|TRUE|true|True)$/.test(text("generateSuccessEvents") ?? ""),
    successEventActions: list("successEventActions"),
  };
}

interface Selectors {
  readonly namespaceSelector: JsonObject;
  readonly objectSelector: JsonObject;
}

/** Reads `webhooks`: an object, or a list of one object (an older form of Kyverno's ConfigMap). */
function webhookSelectors(text: string | undefined): Selectors {
  const value = jsonOf(text);
  const written = Array.isArray(value) ? value[0] : value;
  return {
    namespaceSelector: selectorOf(field(written, "namespaceSelector")),
    objectSelector: selectorOf(field(written, "objectSelector")),
  };
}

/** Returns a selector; an empty one if the API server would refuse it, because it would refuse all webhooks with it. */
function selectorOf(written: Json | undefined): JsonObject {
  const selector = asObject(written) ?? {};
  return isFault(compileLabelSelector(selector, { wildcards: false })) ? {} : selector;
}

/** The labels or annotations that the API server takes. It would refuse all webhooks with one of the others. */
function textsIn(text: string | undefined, isValid: (key: string, value: string) => boolean): JsonObject {
  const entries = Object.entries(asObject(jsonOf(text)) ?? {});
  return Object.fromEntries(entries.filter(([key, value]) => isString(value) && isValid(key, value)));
}

function isLabel(key: string, value: string): boolean {
  return labelKeyProblem(key) === undefined && labelValueProblem(value) === undefined;
}

/** The key of an annotation is one of a label in any case. */
function isAnnotation(key: string): boolean {
  return labelKeyProblem(key.toLowerCase()) === undefined;
}

/**
 * The webhooks leave out the namespaces that run the cluster and Postern, so that Postern never blocks them or its
 * start.
 */
function withoutSystem(selector: JsonObject, namespace: string): JsonObject {
  const key = "kubernetes.io/metadata.name";
  const written = Array.isArray(selector["matchExpressions"]) ? selector["matchExpressions"] : [];
  const isLeftOut = (name: string): boolean =>
    written.some((each) =>
      field(each, "key") === key && field(each, "operator") === "NotIn" &&
      asTexts(field(each, "values")).includes(name)
    );
  const added = ["kube-system", namespace].filter((name) => !isLeftOut(name))
    .map((name) => ({ key, operator: "NotIn", values: [name] }));
  return { ...selector, matchExpressions: [...written, ...added] };
}

function jsonOf(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  const value = parseJson(text);
  if (value !== undefined) return value;
  const read = parseYaml(text);
  return isObject(read) || Array.isArray(read) ? read as Json : undefined;
}

function jsonList(text: string | undefined): readonly Json[] {
  const value = jsonOf(text);
  return Array.isArray(value) ? value : [];
}
