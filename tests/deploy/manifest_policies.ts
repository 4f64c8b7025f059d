/** Policies for tests of manifests. */

export interface Rule {
  readonly match?: string;
  readonly body: string;
  readonly more?: string;
}

export function policy(name: string, rules: readonly Rule[], spec = ""): string {
  const written = rules.map(({ match = "kinds: [Pod]", body, more = "" }, index) => `
  - name: rule-${index}
    match: {any: [{resources: {${match}}}]}
    ${more}
    ${body}`).join("");
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  validationFailureAction: Enforce
  ${spec}
  rules:${written}
`;
}

export const pattern = 'validate: {message: m, pattern: {metadata: {name: "?*"}}}';

export const deny = "validate: {message: m, deny: {}}";

export const mutate = "mutate: {patchStrategicMerge: {metadata: {labels: {a: b}}}}";

export const context = (entry: string): Rule => ({ body: deny, more: `context: [{name: x, ${entry}}]` });

export function celPolicy(kind: string, more: string): string {
  return `
apiVersion: policies.kyverno.io/v1
kind: ${kind}
metadata: {name: p}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE]}
  ${more}
`;
}

export const validation = (expression: string): string =>
  celPolicy("ValidatingPolicy", `validations: [{expression: '${expression}'}]`);
