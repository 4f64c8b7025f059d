/** For each part of a bundle that is no library of functions, a policy that needs it. */
import { parseDocuments } from "../../lib/yaml/mod.ts";
import type { Json } from "../../lib/json/mod.ts";

const match = "match: { any: [{ resources: { kinds: [Pod] } }] }";

function classic(rule: string, spec = ""): string {
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: needs }
spec:
  ${spec}
  validationFailureAction: Enforce
  rules:
  - name: rule
    ${match}
    ${rule}
`;
}

function written(kind: string, spec: string, group = "policies.kyverno.io/v1"): string {
  return `
apiVersion: ${group}
kind: ${kind}
metadata: { name: needs }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods] }]
  ${spec}
`;
}

const key = `-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE8nXRh950IZbRj8Ra/N9sbqOPZrfM
5/KAQN0/KjHcorm/J5yctVd7iEcnessRQjU917hmKO6JWVGHpDguIyakZA==
-----END PUBLIC KEY-----`;

/** Policies that need each part; a part may have several. */
export const partPolicies: readonly (readonly [part: string, policy: string])[] = [
  [
    "exceptions",
    `
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: { name: needs, namespace: default }
spec:
  exceptions: [{ policyName: needs, ruleNames: [rule] }]
  ${match}
`,
  ],
  ["cel", classic(`validate: { cel: { expressions: [{ expression: "object.metadata.name != 'a'" }] } }`)],
  [
    "cel",
    classic(
      "validate: { pattern: { metadata: { name: '?*' } } }",
      "webhookConfiguration: { matchConditions: [{ name: a, expression: \"request.name != 'a'\" }] }",
    ),
  ],
  ["assert", classic("validate: { assert: { object: { metadata: { (name != 'a'): true } } } }")],
  [
    "assert",
    `
apiVersion: json.kyverno.io/v1alpha1
kind: ValidatingPolicy
metadata: { name: needs }
spec: { rules: [{ name: rule, assert: { all: [{ check: { (a): 1 } }] } }] }
`,
  ],
  ["podSecurity", classic("validate: { podSecurity: { level: restricted, version: latest } }")],
  [
    "manifests",
    classic(
      `validate: { manifests: { attestors: [{ entries: [{ keys: { publicKeys: ${
        JSON.stringify(key)
      } } }] }] } }`,
    ),
  ],
  [
    "verifyImages",
    classic(
      `verifyImages: [{ imageReferences: ["*"], attestors: [{ entries: [{ keys: { publicKeys: ${
        JSON.stringify(key)
      } } }] }] }]`,
    ),
  ],
  [
    "generate",
    classic(
      "generate: { apiVersion: v1, kind: ConfigMap, name: a, namespace: default, data: { data: { a: b } } }",
    ),
  ],
  [
    "mutateExisting",
    classic(
      "mutate: { targets: [{ apiVersion: v1, kind: ConfigMap, name: a, namespace: default }], " +
        "patchStrategicMerge: { metadata: { labels: { a: b } } } }",
    ),
  ],
  [
    "policies in CEL",
    written("NamespacedValidatingPolicy", `validations: [{ expression: "object.metadata.name != 'a'" }]`),
  ],
  [
    "ValidatingPolicy",
    written("ValidatingPolicy", `validations: [{ expression: "object.metadata.name != 'a'" }]`),
  ],
  [
    "MutatingPolicy",
    written(
      "MutatingPolicy",
      "mutations: [{ patchType: ApplyConfiguration, applyConfiguration: { expression: " +
        "'Object{metadata: Object.metadata{labels: Object.metadata.labels{a: \"b\"}}}' } }]",
    ),
  ],
  [
    "MutatingPolicy",
    written(
      "MutatingPolicy",
      "evaluation: { mutateExisting: { enabled: true } }\n" +
        '  targetMatchConstraints: { resourceRules: [{ apiGroups: [""], apiVersions: [v1], resources: [configmaps] }] }\n' +
        "  mutations: [{ patchType: ApplyConfiguration, applyConfiguration: { expression: " +
        "'Object{metadata: Object.metadata{labels: Object.metadata.labels{a: \"b\"}}}' } }]",
    ),
  ],
  [
    "GeneratingPolicy",
    written(
      "GeneratingPolicy",
      `variables: [{ name: made, expression: '[{"apiVersion": dyn("v1"), "kind": dyn("ConfigMap"), ` +
        `"metadata": dyn({"name": "a"})}]' }]\n  generate: [{ expression: 'generator.Apply("default", variables.made)' }]`,
    ),
  ],
  [
    "DeletingPolicy",
    written("DeletingPolicy", 'schedule: "0 0 * * *"\n  conditions: [{ name: a, expression: "true" }]'),
  ],
  [
    "ImageValidatingPolicy",
    written(
      "ImageValidatingPolicy",
      "matchImageReferences: [{ glob: '*' }]\n  attestors: [{ name: me, cosign: { key: { data: " +
        `${JSON.stringify(key)} } } }]\n  validations: [{ expression: ` +
        "'images.containers.map(image, verifyImageSignatures(image, [attestors.me])).all(e, e > 0)' }]",
    ),
  ],
  [
    "ValidatingAdmissionPolicy",
    written(
      "ValidatingAdmissionPolicy",
      `validations: [{ expression: "object.metadata.name != 'a'" }]`,
      "admissionregistration.k8s.io/v1",
    ),
  ],
  [
    "MutatingAdmissionPolicy",
    written(
      "MutatingAdmissionPolicy",
      "reinvocationPolicy: Never\n  mutations: [{ patchType: ApplyConfiguration, applyConfiguration: { expression: " +
        "'Object{metadata: Object.metadata{labels: Object.metadata.labels{a: \"b\"}}}' } }]",
      "admissionregistration.k8s.io/v1beta1",
    ),
  ],
  [
    "CEL matches",
    written("ValidatingPolicy", `validations: [{ expression: "object.metadata.name.matches('^a+$')" }]`),
  ],
  ["CEL cidr, ip", celText(`cidr('10.0.0.0/8').containsIP('10.1.1.1')`)],
  ["CEL cidr, ip", celText(`ip('10.0.0.1').family() == 4`)],
  ["CEL format", celText(`!format.dns1123Label().validate(object.metadata.name).hasValue()`)],
  ["CEL math", celText(`math.least(1, 2) == 1`)],
  ["CEL quantity", celText(`quantity('1Gi').isGreaterThan(quantity('1Mi'))`)],
  ["CEL random", celText(`random('[a-z]{3}') != ''`)],
  ["CEL regex, regex_groups", celText(`object.metadata.name.find('[0-9]+') == ''`)],
  ["CEL regex, regex_groups", celText(`regex.replace(object.metadata.name, 'a', 'b') == ''`)],
  ["CEL semver", celText(`semver('1.2.3').isLessThan(semver('2.0.0'))`)],
  ["CEL url", celText(`url('https://example.com/').getHost() == 'example.com'`)],
  ["CEL x509", celText(`x509.decode(object.data.cert).Subject != null`)],
];

function celText(expression: string): string {
  return written("ValidatingPolicy", `validations: [{ expression: ${JSON.stringify(expression)} }]`);
}

/** The documents of a text. */
export function documentsOf(text: string): readonly Json[] {
  return parseDocuments(text, "policy.yaml").documents.map(({ value }) => value);
}
