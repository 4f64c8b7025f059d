/** `lint` ends with 1 for what Postern, Kyverno or the API server would refuse. */
import assert from "node:assert/strict";
import { policy } from "./team_policies.ts";
import { inFolder } from "./in_folder.ts";

/** A ValidatingAdmissionPolicy with further fields. */
function admissionPolicy(more: string): string {
  return `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: { name: replicas }
spec:
  matchConstraints: { resourceRules: [{ apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments] }] }
${more}`;
}

function binding(more: string): string {
  return `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: replicas }
spec:
  policyName: replicas
${more}`;
}

/** A PolicyException of kyverno.io with one filter, and further fields. */
function classicException(filter: string, rest = ""): string {
  return `apiVersion: kyverno.io/v2
kind: PolicyException
metadata: { name: e, namespace: d }
spec: { match: { any: [{ ${filter} }] }, exceptions: [{ policyName: p, ruleNames: ["*"] }] ${rest} }
`;
}

/** A PolicyException of policies.kyverno.io. */
function celException(spec: string): string {
  return `apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: { name: e, namespace: d }
spec: { ${spec} }
`;
}

const validation = '  validations: [{ expression: "object.spec.replicas < 5" }]\n';
const actions = "  validationActions: [Deny]\n";

/** A ClusterPolicy whose rule has this match and context. */
function clusterPolicy(match: string, context: string): string {
  return `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: p }
spec:
  rules:
  - name: r
    match: { any: [{ resources: { kinds: [Pod], ${match} } }] }
    context: [${context}]
    validate: { pattern: { metadata: { name: "?*" } } }
`;
}

const refused: [what: string, text: string, said: RegExp][] = [
  [
    "a selector without requirements",
    clusterPolicy("selector: {}", ""),
    /:7:\d+: error refused-by-api-server: The requirements are not specified in selector/,
  ],
  [
    "a ConfigMap without a namespace",
    clusterPolicy("", "{ name: a, configMap: { name: b } }"),
    /:8:\d+: error refused-by-api-server: a namespace is required for configMap context entry/,
  ],
  [
    "an operation in lower case, once",
    clusterPolicy("operations: [create]", ""),
    /^\S+:7:\d+: error refused-by-api-server: operations cannot be "create"\n +hint: did you mean "CREATE"\?$/,
  ],
  [
    "a message that is a number",
    clusterPolicy("", "").replace("validate: {", "validate: { message: 5,"),
    /^\S+:9:\d+: error refused-by-api-server: spec\.rules\[0\]\.validate\.message must be text, not number 5\n +hint: quote/,
  ],
  ["a policy without validations", admissionPolicy(""), /needs validations or auditAnnotations/],
  [
    "an audit annotation with a bad key",
    admissionPolicy('  auditAnnotations: [{ key: "a b", valueExpression: "\'x\'" }]'),
    /:6:\d+: error refused-by-api-server: "a b" is not a key/,
  ],
  [
    "an audit annotation that occurs twice",
    admissionPolicy(
      "  auditAnnotations: [{ key: a, valueExpression: \"'x'\" }, { key: a, valueExpression: \"'y'\" }]",
    ),
    /The key "a" occurs twice/,
  ],
  [
    "an audit annotation that is too long",
    admissionPolicy(`  auditAnnotations: [{ key: a, valueExpression: "'${"x".repeat(5200)}'" }]`),
    /has 5202 characters; 5120 are allowed/,
  ],
  [
    "a match condition with a bad name",
    admissionPolicy(`${validation}  matchConditions: [{ name: "no good", expression: "true" }]`),
    /"no good" is not a qualified name/,
  ],
  [
    "match conditions of one name",
    admissionPolicy(
      `${validation}  matchConditions: [{ name: a, expression: "true" }, { name: a, expression: "true" }]`,
    ),
    /"a" occurs twice in matchConditions/,
  ],
  [
    "a variable that is no identifier",
    admissionPolicy(`${validation}  variables: [{ name: "a-b", expression: "1" }]`),
    /"a-b" is not an identifier of CEL/,
  ],
  [
    "an authorizer in a message",
    admissionPolicy(
      "  validations: [{ expression: \"true\", messageExpression: \"authorizer.path('/').check('get').allowed() ? 'a' : 'b'\" }]",
    ),
    /A messageExpression has no authorizer/,
  ],
  [
    "a policy that changes objects and is about deletions",
    `apiVersion: admissionregistration.k8s.io/v1beta1
kind: MutatingAdmissionPolicy
metadata: { name: p }
spec:
  matchConstraints:
    resourceRules:
    - { apiGroups: [""], apiVersions: [v1], operations: [CREATE, DELETE], resources: [pods] }
  mutations: [{ patchType: ApplyConfiguration, applyConfiguration: { expression: "Object{}" } }]
`,
    /:7:\d+: error refused-by-api-server: A policy that changes objects cannot be about DELETE/,
  ],
  [
    "a message with a line break",
    admissionPolicy('  validations: [{ expression: "true", message: "a\\nb" }]'),
    /must not have line breaks/,
  ],
  [
    "an unknown reason",
    admissionPolicy('  validations: [{ expression: "true", reason: Because }]'),
    /"Because" is none of Unauthorized/,
  ],
  [
    "an expression that is too long",
    admissionPolicy(`  validations: [{ expression: "${"true || ".repeat(12_600)}true" }]`),
    /characters; 100000 are allowed/,
  ],
  [
    "a paramKind without a version",
    admissionPolicy(`${validation}  paramKind: { kind: ConfigMap }`),
    /paramKind needs apiVersion/,
  ],
  ["a binding without actions", binding(""), /needs validationActions/],
  [
    "a binding that denies and warns",
    binding("  validationActions: [Deny, Warn]"),
    /Deny and Warn say the same twice/,
  ],
  [
    "a paramRef with both",
    binding(`${actions}  paramRef: { name: a, selector: {}, parameterNotFoundAction: Deny }`),
    /paramRef needs a name or a selector, not both/,
  ],
  [
    "a paramRef with neither",
    binding(`${actions}  paramRef: { parameterNotFoundAction: Deny }`),
    /paramRef needs a name or a selector$/m,
  ],
  [
    "a paramRef without parameterNotFoundAction",
    binding(`${actions}  paramRef: { name: a }`),
    /needs parameterNotFoundAction: Allow or Deny/,
  ],
  [
    "a kind that is not evaluated",
    "apiVersion: kyverno.io/v2\nkind: ClusterCleanupPolicy\nmetadata: { name: old }\nspec: { schedule: '* * * * *', match: { any: [{ resources: { kinds: [Pod] } }] } }\n",
    /error not-evaluated: ClusterCleanupPolicy "old"/,
  ],
  [
    "an exception by user that is also for background scans",
    classicException("clusterRoles: [admin]"),
    /:4:\d+: error bad-exception: a background scan has no user; set spec.background to false/,
  ],
  [
    "an exception from a control of containers without images",
    classicException("resources: { kinds: [Pod] }", ", podSecurity: [{ controlName: Capabilities }]"),
    /error refused-by-api-server: exclude.images must be specified for the container level control/,
  ],
  [
    "an exception in CEL that names no policy",
    celException("policyRefs: []"),
    /:4:\d+: error bad-exception: an exception needs at least one policy/,
  ],
  [
    "an exception in CEL from a kind that does not exist",
    celException("policyRefs: [{ name: p, kind: ClusterPolicy }]"),
    /:4:\d+: error bad-exception: "ClusterPolicy" is none of /,
  ],
  [
    "an exception in CEL whose condition does not compile",
    celException(
      'policyRefs: [{ name: p, kind: ValidatingPolicy }], matchConditions: [{ name: a, expression: "1 +" }]',
    ),
    /:4:\d+: error bad-exception: .*Syntax error/,
  ],
  ["a file without policies", "# nothing\n", /there are no policies/],
];
for (const [what, text, said] of refused) {
  Deno.test(`lint refuses ${what}`, () =>
    inFolder({ "policy.yaml": text }, async (run) => {
      const { code, out } = await run("lint", "@policy.yaml");
      assert.match(out, said);
      assert.equal(code, 1);
    }));
}

const accepted: [what: string, text: string][] = [
  ["a policy with one validation", policy],
  ["an exception by user for admission alone", classicException("roles: [a]", ", background: false")],
  ["an admission policy and its binding", `${admissionPolicy(validation)}---\n${binding(actions)}`],
  [
    "everything that an admission policy may have",
    `${
      admissionPolicy(
        `${validation}  paramKind: { apiVersion: v1, kind: ConfigMap }
  matchConditions: [{ name: example.com/a, expression: "true" }]
  variables: [{ name: one, expression: "1" }]
  auditAnnotations: [{ key: a.b, valueExpression: "'authorizer'" }]
`,
      )
    }---\n${binding(`${actions}  paramRef: { selector: {}, parameterNotFoundAction: Allow }`)}`,
  ],
];
for (const [what, text] of accepted) {
  Deno.test(`lint accepts ${what}`, () =>
    inFolder({ "policy.yaml": text }, async (run) => {
      const { code, out } = await run("lint", "@policy.yaml");
      assert.deepEqual([out.split("\n").filter((line) => line.includes("error")), code], [[], 0]);
    }));
}

Deno.test("lint passes over tests beside policies, and over documents of other tools", () =>
  inFolder({
    "policy.yaml": policy,
    "kustomization.yaml": "resources: [policy.yaml]\n",
    "kyverno-test.yaml":
      "apiVersion: cli.kyverno.io/v1alpha1\nkind: Test\nmetadata: { name: t }\nresources: [pod.yaml]\n",
    "pod.yaml": "apiVersion: v1\nkind: Pod\n",
  }, async (run) => {
    const { code, out } = await run("lint", "@");
    assert.match(out, /^[^\n]*kustomization\.yaml:1:1: warning no-policy: [^\n]*\n[^\n]*$/);
    assert.equal(code, 0);
  }));

Deno.test("lint names exceptions for policies and rules that are not among its files", () =>
  inFolder({
    "policies.yaml": `${clusterPolicy("", "")}---\n${
      celException("policyRefs: [{ name: pods, kind: ValidatingPolicy }]")
    }---
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: { name: e, namespace: d }
spec:
  match: { any: [{ resources: { kinds: [Pod] } }] }
  exceptions:
  - { policyName: p, ruleNames: [r, autogen-r, "r*", rr] }
  - { policyName: pp, ruleNames: [r] }
`,
    "exceptions.yaml": celException("policyRefs: [{ name: pods, kind: ValidatingPolicy }]"),
  }, async (run) => {
    const { code, out } = await run("lint", "@policies.yaml");
    assert.equal(code, 0);
    assert.deepEqual(out.match(/(?<=stray-exception: ).*(?:\n {2}hint: .*)?/g), [
      'Exception "d/e" is about ValidatingPolicy "pods", which is not among these files\n' +
      "  hint: check the name, or lint the policy's file too",
      'Exception "d/e" is about rule "rr" in policy "p", which is not among these files\n  hint: did you mean "r"?',
      'Exception "d/e" is about policy "pp", which is not among these files\n  hint: did you mean "p"?',
    ]);
    assert.doesNotMatch((await run("lint", "@exceptions.yaml")).out, /stray-exception/);
  }));

const selecting =
  "matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: [v1], resources: [pods], " +
  "operations: [CREATE] }] }";
const forAnyOperation = selecting.replace(", operations: [CREATE]", "");
const always = 'validations: [{ expression: "true" }]';

/** Specs of policies in CEL that would do nothing, with the line of the first problem that `lint` prints. */
const idle: readonly (readonly [kind: string, spec: string, line: RegExp | undefined])[] = [
  [
    "ValidatingPolicy",
    "{}",
    /^4:\d+: warning empty-match: The policy selects nothing: it has no matchConstraints/,
  ],
  [
    "ValidatingPolicy",
    `{ matchConstraints: {}, ${always} }`,
    /^4:\d+: error empty-match: The policy selects nothing: spec\.matchConstraints has no resource rule/,
  ],
  ["ValidatingPolicy", `{ ${selecting} }`, /^4:\d+: warning no-rules: spec\.validations is empty/],
  ["ValidatingPolicy", `{ ${forAnyOperation}, ${always} }`, /error empty-match: .*it has no operations/],
  ["ValidatingPolicy", `{ ${selecting}, ${always} }`, undefined],
  ["ValidatingPolicy", `{ evaluation: { mode: JSON }, ${always} }`, undefined],
  ["NamespacedMutatingPolicy", `{ ${selecting} }`, /warning no-rules: spec\.mutations is empty/],
  ["GeneratingPolicy", `{ ${selecting} }`, /error refused-by-api-server: spec\.generate: Required value/],
  ["GeneratingPolicy", `{ ${selecting}, generate: [] }`, /warning no-rules: spec\.generate is empty/],
  [
    "ImageValidatingPolicy",
    `{ ${selecting}, ${always} }`,
    /error refused-by-api-server: spec\.attestors: Required value/,
  ],
  [
    "ImageValidatingPolicy",
    `{ ${selecting}, attestors: [] }`,
    /error refused-by-api-server: spec\.validations: Required value/,
  ],
  ["DeletingPolicy", `{ ${forAnyOperation} }`, /error refused-by-api-server: spec\.schedule: Required value/],
];
for (const [kind, spec, line] of idle) {
  Deno.test(`lint ${line === undefined ? "accepts" : "says why nothing comes of"} a ${kind} with ${spec}`, () =>
    inFolder({
      "p.yaml":
        `apiVersion: policies.kyverno.io/v1\nkind: ${kind}\nmetadata: { name: p, namespace: d }\nspec: ${spec}\n`,
    }, async (run) => {
      const { code, out } = await run("lint", "@p.yaml");
      const printed = out.split("\n").filter((each) => /empty-match|no-rules|refused-by/.test(each));
      if (line === undefined) return assert.deepEqual([printed, code], [[], 0]);
      assert.match((printed[0] ?? "").replace(/^.*p\.yaml:/, ""), line);
      assert.equal(code, / error /.test(printed[0] ?? "") ? 1 : 0);
    }));
}

Deno.test("in the dialect current apply evaluates no policy that lacks a required field", () =>
  inFolder({
    "p.yaml":
      `apiVersion: policies.kyverno.io/v1\nkind: GeneratingPolicy\nmetadata: { name: p }\nspec: { ${selecting} }\n`,
    "pod.yaml": "apiVersion: v1\nkind: Pod\nmetadata: { name: a }\n",
  }, async (run) => {
    const { code, err } = await run("apply", "@p.yaml", "-r", "@pod.yaml", "--dialect", "current");
    assert.match(err, /spec\.generate: Required value/);
    assert.equal(code, 1);
  }));
