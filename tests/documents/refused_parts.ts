/** The parts of a policy that Kyverno refuses, and short policies to write. */
import assert from "node:assert/strict";
import { metadataRefusals, parsePolicy, refusals } from "../../lib/documents/mod.ts";
import { documentPathText, isObject } from "../../lib/json/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

/** The refused parts of a policy with a rule: the path and the message of each. */
export function refusedParts(
  rule: string,
  { spec = "", head = cluster, rule: ruleName = "r" }: Settings = {},
): string[] {
  const text = `apiVersion: kyverno.io/v1\n${head}\nspec:\n  ${spec}\n  rules:\n  - name: ${ruleName}\n    ${
    rule.replaceAll("\n", "\n    ")
  }\n`;
  const { value } = parseDocuments(text, "policy.yaml").documents[0]!;
  assert.ok(isObject(value));
  const { policy } = parsePolicy(value, () => undefined);
  return [...metadataRefusals(policy), ...refusals(policy)]
    .map(({ path, message }) => `${documentPathText(path).replace("spec.rules[0].", "")}: ${message}`);
}

export interface Settings {
  readonly spec?: string;
  /** The rule's name. */
  readonly rule?: string;
  readonly head?: string;
}

const cluster = "kind: ClusterPolicy\nmetadata: {name: p}";

export const ofTeam: Settings = { head: "kind: Policy\nmetadata: {name: p, namespace: team}" };

export const withUsers: Settings = { spec: "background: false" };

export const onPods = "match: {any: [{resources: {kinds: [Pod]}}]}";

export const named = "validate: {pattern: {metadata: {name: a}}}";

export const matching = (filter: string): string => `match: {any: [{${filter}}]}\n${named}`;

export const pods = "resources: {kinds: [Pod]}";

export const validating = (body: string): string => `${onPods}\nvalidate: {${body}}`;

export const mutating = (body: string): string => `${onPods}\nmutate: {${body}}`;

export const denying = (condition: string): string => validating(`deny: {conditions: {any: [${condition}]}}`);

export const generating = (body: string): string => `${onPods}\ngenerate: {${body}}`;

export const target = "apiVersion: v1, kind: ConfigMap, name: a";

export const containers = "list: request.object.spec.containers";

export const jsonPatch = 'patchesJson6902: \'[{"op": "add", "path": "/a", "value": 1}]\'';

export const everyKind = "resources: {kinds: ['*']}";
