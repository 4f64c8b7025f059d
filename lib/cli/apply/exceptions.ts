import { autogenPrefix, hasRules, isAutogenName, writtenRuleName } from "../../policy/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { formatDuration, nameOf, namespaceOf } from "../../kube/mod.ts";
import { type ReportedObject, type ReportRow, rowsOf } from "../../report/mod.ts";

/** The options of generated exceptions. */
export interface ExceptionOptions {
  readonly auditWarn: boolean;
  /** The time to live of the exceptions in nanoseconds; 0 for exceptions that never expire. */
  readonly ttl: bigint;
}

/**
 * A PolicyException for each violation of an object. Kyverno parity: names, kinds and rules of
 * `--generate-exceptions`. Pinned by tests/cli/apply_exceptions_test.ts.
 */
export function exceptionsFor(object: ReportedObject, options: ExceptionOptions): JsonObject[] {
  return rowsOf(object, options).filter(({ result }) => result === "fail").map((row) =>
    row.rule === "" || !hasRules(row.policy.kind) ? celException(row, options) : ruleException(row, options)
  );
}

function ruleException(
  { policy, rule, resource, ruleResult }: ReportRow,
  options: ExceptionOptions,
): JsonObject {
  const { kinds, rules } = generatedFrom(rule, kindOf(resource));
  const name = nameOf(resource);
  const names = kinds.length > 1 ? [name, `${name}-*`] : [name];
  const namespace = namespaceOf(resource);
  const podSecurity = controlsOf(ruleResult.properties?.["controlsJSON"]);
  return {
    apiVersion: "kyverno.io/v2",
    kind: "PolicyException",
    metadata: metadataOf([policy.key, rule, namespace, name], options),
    spec: {
      match: {
        all: [{ resources: { kinds, names, ...(namespace !== "" && { namespaces: [namespace] }) } }],
      },
      exceptions: [{ policyName: policy.key, ruleNames: rules }],
      ...(podSecurity.length > 0 && { podSecurity }),
    },
  };
}

/** The exception for a CEL policy, which names no rules. */
function celException({ policy, resource }: ReportRow, options: ExceptionOptions): JsonObject {
  const name = nameOf(resource);
  const namespace = namespaceOf(resource);
  const isIt = [
    `object.metadata.name == ${JSON.stringify(name)}`,
    ...(namespace === "" ? [] : [`object.metadata.namespace == ${JSON.stringify(namespace)}`]),
  ];
  return {
    apiVersion: "policies.kyverno.io/v1beta1",
    kind: "PolicyException",
    metadata: metadataOf([policy.key, namespace, name], options),
    spec: {
      policyRefs: [{ name: policy.name, kind: policy.kind }],
      matchConditions: [{ name: "this-object", expression: isIt.join(" && ") }],
    },
  };
}

/** The kinds and rules that an exception names for a rule; for an autogen rule also Pod and the rule about Pods. */
function generatedFrom(rule: string, kind: string): { kinds: string[]; rules: string[] } {
  if (!isAutogenName(rule)) return { kinds: [kind], rules: [rule] };
  if (kind !== "CronJob") return { kinds: [kind, "Pod"], rules: [rule, rule.slice(autogenPrefix.length)] };
  const written = writtenRuleName(rule);
  return { kinds: ["CronJob", "Job", "Pod"], rules: [rule, `${autogenPrefix}${written}`, written] };
}

function metadataOf(parts: readonly string[], { ttl }: ExceptionOptions): JsonObject {
  const name = parts.filter((part) => part !== "").join("-").toLowerCase().replace(/[^a-z0-9.-]/g, "-")
    .slice(0, 253).replace(/^[^a-z0-9]+|(?<![^a-z0-9])[^a-z0-9]+$/g, "");
  return { name, ...(ttl > 0n && { labels: { "cleanup.kyverno.io/ttl": formatDuration(ttl) } }) };
}

function controlsOf(text: unknown): JsonObject[] {
  if (typeof text !== "string") return [];
  const controls = JSON.parse(text) as readonly { Name: string; Images?: readonly string[] | null }[];
  return controls.map(({ Name: controlName, Images: images }) => ({
    controlName,
    ...(images && images.length > 0 && { images: images.map((image) => image.replace(/[:@][^]*$/, "*")) }),
  }));
}

function kindOf(resource: JsonObject): string {
  return typeof resource["kind"] === "string" ? resource["kind"] : "";
}
