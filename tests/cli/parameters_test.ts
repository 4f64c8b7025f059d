/** `--parameter-resource`: the parameters of admission policies, without a cluster. */
import assert from "node:assert/strict";
import { inFolder } from "./in_folder.ts";

const policies = (reference: string, kind = "{ apiVersion: v1, kind: ConfigMap }"): string =>
  `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: p }
spec:
  paramKind: ${kind}
  matchConstraints: { resourceRules: [{ apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods] }] }
  validations: [{ expression: "object.metadata.name != params.data.banned", message: banned }]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: b }
spec: { policyName: p, validationActions: [Deny], paramRef: ${reference} }
`;
const parameter = (head: string): string => `${head}\ndata: { banned: web }\n`;
const config = parameter(
  "apiVersion: v1\nkind: ConfigMap\nmetadata: { name: c, namespace: default, labels: { a: b } }",
);
const limit = parameter("apiVersion: example.com/v1\nkind: Limit\nmetadata: { name: c, namespace: default }");
const pod =
  "apiVersion: v1\nkind: Pod\nmetadata: { name: web }\nspec: { containers: [{ name: a, image: a }] }\n";

const references: readonly (readonly [name: string, policies: string, parameter: string, said: RegExp])[] = [
  [
    "its name and namespace",
    policies("{ name: c, namespace: default, parameterNotFoundAction: Deny }"),
    config,
    /1 - p banned\n/,
  ],
  [
    "its name in the object's namespace",
    policies("{ name: c, parameterNotFoundAction: Deny }"),
    config,
    /1 - p banned\n/,
  ],
  [
    "labels",
    policies("{ selector: { matchLabels: { a: b } }, parameterNotFoundAction: Deny }"),
    config,
    /1 - p banned\n/,
  ],
  [
    "the name of a custom resource",
    policies(
      "{ name: c, namespace: default, parameterNotFoundAction: Deny }",
      "{ apiVersion: example.com/v1, kind: Limit }",
    ),
    limit,
    /1 - p banned\n/,
  ],
  [
    "a name that no parameter has",
    policies("{ name: other, namespace: default, parameterNotFoundAction: Deny }"),
    config,
    /1 - p failed to configure binding: /,
  ],
];
for (const [name, policy, object, said] of references) {
  Deno.test(`apply finds the parameter of an admission policy by ${name}`, () =>
    inFolder({ "p.yaml": policy, "pod.yaml": pod, "parameter.yaml": object }, async (run) => {
      const { out, code } = await run(
        "apply",
        "@p.yaml",
        "-r",
        "@pod.yaml",
        "--parameter-resource",
        "@parameter.yaml",
      );
      assert.match(out, said);
      assert.equal(code, 1);
    }));
}

Deno.test("apply evaluates an admission policy without parameters when none are given", () =>
  inFolder(
    { "p.yaml": policies("{ name: c, parameterNotFoundAction: Deny }"), "pod.yaml": pod },
    async (run) => {
      const { out } = await run("apply", "@p.yaml", "-r", "@pod.yaml");
      assert.match(out, /no such key: data/);
    },
  ));
