/** The loader's diagnostics for broken policies: position, code and hint, as a table. */
import assert from "node:assert/strict";
import { formatDiagnostic } from "../../lib/diagnostics/mod.ts";
import { compile } from "../../lib/engine/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

function diagnostics(text: string): string[] {
  const { documents, diagnostics } = parseDocuments(text, "p.yaml");
  return [...diagnostics, ...compile(documents).diagnostics].map(formatDiagnostic);
}

/** A policy whose only rule has the given lines (indented by four) after its name and match. */
function rule(lines: string, match = "{any: [{resources: {kinds: [Pod]}}]}"): string {
  return `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  background: false
  rules:
  - name: r
    match: ${match}
${lines.split("\n").map((line) => `    ${line}`).join("\n")}
`;
}

/** A policy with the given line of its spec, above a rule that is right. */
function spec(line: string): string {
  return `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  ${line}
  rules:
  - {name: r, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {pattern: {}}}
`;
}

const deny = (condition: string): string =>
  rule(`validate:\n  deny:\n    conditions:\n      all:\n      - ${condition}`);

/** A rule that labels a target of this name with this value. */
const targets = (name: string, value: string): string =>
  `mutate:\n  targets: [{apiVersion: v1, kind: ConfigMap, namespace: a, name: "${name}"}]\n` +
  `  patchStrategicMerge: {metadata: {labels: {team: "${value}"}}}`;

/** A policy in CEL with the given line and resource rule among its constraints. */
const constrained = (line: string, rule: string): string =>
  `apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: p}
spec:
  matchConstraints:
    ${line}
    resourceRules: [${rule}]
  validations: [{expression: "true"}]
`;

/** Mistakes that leave the rule usable; Kyverno refuses most of them. */
const mistakes: [about: string, text: string, expected: RegExp][] = [
  [
    "a match with any and all",
    rule(
      "validate: {pattern: {}}",
      "{any: [{resources: {kinds: [Pod]}}], all: [{resources: {kinds: [Pod]}}]}",
    ),
    /^p\.yaml:8:5: warning several-bodies: Of match only any counts, not all\n {2}hint: write all filters/,
  ],
  [
    "an exclude with filters beside any",
    rule("exclude: {any: [{resources: {kinds: [Pod]}}], resources: {kinds: [Job]}}\nvalidate: {pattern: {}}"),
    /^p\.yaml:9:5: warning several-bodies: Of exclude only any counts, not resources/,
  ],
  [
    "a context entry with two sources",
    rule(
      "context: [{name: x, variable: {value: 1}, configMap: {name: a, namespace: b}}]\nvalidate: {pattern: {}}",
    ),
    /^p\.yaml:9:15: warning several-bodies: Of context entry "x" only variable counts, not configMap/,
  ],
  [
    "a context entry that hides the request",
    rule("context: [{name: request, variable: {value: 1}}]\nvalidate: {pattern: {}}"),
    /^p\.yaml:9:16: warning reserved-name: A context entry cannot be named "request"/,
  ],
  [
    "a context entry of a loop that hides the element",
    rule(
      "validate: {foreach: [{list: request.object.spec.containers, context: [{name: element.x, variable: {value: 1}}], pattern: {}}]}",
    ),
    /warning reserved-name: A context entry cannot be named "element\.x": "element" is the request's/,
  ],
  [
    "a variable without a value",
    rule("context: [{name: x, variable: {}}]\nvalidate: {pattern: {}}"),
    /^p\.yaml:9:25: warning missing-reference: Context entry "x" has no value\n {2}hint: give it value, jmesPath/,
  ],
  [
    "an existence anchor without a list",
    rule('validate: {pattern: {spec: {"^(containers)": {name: x}}}}'),
    /^p\.yaml:9:33: warning bad-pattern: "\^\(containers\)" needs a list/,
  ],
  [
    "an existence anchor with an empty list",
    rule('validate: {anyPattern: [{spec: {"^(containers)": []}}]}'),
    /warning bad-pattern: "\^\(containers\)" needs a list/,
  ],
  [
    "an addition anchor in a pattern of a loop",
    rule('validate: {foreach: [{list: request.object.spec.containers, pattern: {"+(name)": x}}]}'),
    /warning bad-pattern: "\+\(name\)" adds nothing in a pattern[^\n]*\n {2}hint: write =\(name\) for a key/,
  ],
  ...["(team", "=team", "~(team)", "X(team", "team)"].map((key): [string, string, RegExp] => [
    `the key ${key}, which is almost an anchor`,
    rule(`validate: {pattern: {metadata: {labels: {"${key}": x}}}}`),
    /warning bad-pattern: "\S*team\S*" is no anchor: [^\n]*\n {2}hint: anchors are \(team\), =\(team\), \^\(team\)/,
  ]),
  [
    "a generate rule with data and clone",
    rule(
      "generate: {apiVersion: v1, kind: ConfigMap, name: a, namespace: b, data: {a: b}, clone: {name: x, namespace: y}}",
    ),
    /^p\.yaml:9:5: warning several-bodies: A generate rule has one of data, clone and cloneList, not data and clone/,
  ],
  [
    "a variable that does not end",
    rule('validate: {message: "by {{ request.operation", pattern: {}}'),
    /^p\.yaml:9:16: warning broken-template: The variable "\{\{ request\.operation" does not end/,
  ],
  [
    "an exclusion of a control that does not exist",
    rule("validate: {podSecurity: {level: baseline, version: latest, exclude: [{controlName: Seccom}]}}"),
    /warning bad-pod-security: There is no control "Seccom" to exclude\n {2}hint: did you mean "Seccomp"\?/,
  ],
  [
    "a call with too few arguments",
    deny('{key: "{{ split(request.object.metadata.name) }}", operator: Equals, value: 1}'),
    /warning bad-expression: [^\n]*split is called with 1 argument, so [^\n]*\n {2}hint: write split\(text, separator\)/,
  ],
  [
    "a text in double quotes",
    deny(`{key: '{{ request.object.metadata.name == "x" }}', operator: Equals, value: true}`),
    /error unknown-variable: [^\n]*\n {2}hint: a text has single quotes: 'x'/,
  ],
  [
    "a key with a dash",
    deny('{key: "{{ request.object.metadata.labels.my-app }}", operator: Equals, value: 1}'),
    /error bad-expression: [^\n]*\n {2}hint: quote a key with a dash: labels\."my-app"/,
  ],
  [
    "an expression of a context entry with an open bracket",
    rule(
      'context: [{name: x, apiCall: {urlPath: /api/v1/pods, jmesPath: "items["}}]\nvalidate: {pattern: {}}',
    ),
    /warning bad-expression: [^\n]*\n {2}hint: a \[ is not closed/,
  ],
  [
    "a loop without a list",
    rule("validate: {foreach: [{pattern: {}}]}"),
    /error bad-list: A foreach entry needs a list/,
  ],
  [
    'a message with ": " in it',
    rule("validate:\n  message: the label: team is required\n  pattern: {}"),
    /^p\.yaml:10:\d+: error invalid-yaml: [^\n]*\n {2}hint: a text with ": " in it must be quoted/,
  ],
  [
    "double quotes in an expression within double quotes",
    deny('{key: "{{ request.object.metadata.name || "" }}", operator: Equals, value: 1}'),
    /error invalid-yaml: [^\n]*\n {2}hint: within double quotes, write texts of an expression as 'x'/,
  ],
];

const table: [about: string, text: string, expected: RegExp][] = [
  ...mistakes,
  [
    "an object among the policies",
    "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\n",
    /error unknown-kind: "Pod" \(v1\) is not a policy\n {2}hint: a Kubernetes object belongs among the resources \(--resource\)/,
  ],
  [
    "a plural that is meant as a kind",
    rule("validate: {pattern: {}}", "{any: [{resources: {kinds: [Pods]}}]}"),
    /^p\.yaml:8:\d+: warning misspelt-kind: "Pods" is no kind of Kubernetes\n {2}hint: it is read as "Pod"/,
  ],
  [
    "a kind in small letters",
    rule("validate: {pattern: {}}", "{resources: {kinds: [deployment]}}"),
    /^p\.yaml:8:\d+: warning misspelt-kind: "deployment" is no kind of Kubernetes\n {2}hint: did you mean "Deployment"\?/,
  ],
  [
    "letters of a kind that were swapped",
    rule("validate: {pattern: {}}", "{any: [{resources: {kinds: [Pdo]}}]}"),
    /warning misspelt-kind: "Pdo" is no kind of Kubernetes\n {2}hint: did you mean "Pod"\?/,
  ],
  [
    "a misspelt kind with group and version",
    rule("validate: {pattern: {}}", "{any: [{resources: {kinds: [apps/v1/Deploymnet]}}]}"),
    /"apps\/v1\/Deploymnet" is no kind of Kubernetes\n {2}hint: did you mean "apps\/v1\/Deployment"\?/,
  ],
  [
    "a match without any criterion",
    rule("validate: {pattern: {}}", "{}"),
    /^p\.yaml:8:\d+: error empty-match: Rule "r" matches nothing\n {2}hint: name kinds, a selector or users/,
  ],
  [
    "a context entry that uses a later one",
    rule(`context:
- {name: one, variable: {value: "{{ two }}"}}
- {name: two, variable: {value: a}}
preconditions: {all: [{key: "{{ one }}", operator: Equals, value: a}]}
validate: {pattern: {}}`),
    /^p\.yaml:10:\d+: error declared-later: "two" is declared later: .*\n {2}hint: move the entry "two" up/,
  ],
  [
    "a paramRef with name and selector",
    rule(`validate:
  cel:
    paramKind: {apiVersion: v1, kind: ConfigMap}
    paramRef: {name: a, selector: {}}
    expressions: [{expression: "true"}]`),
    /error bad-cel: paramRef has a name, so it cannot have a selector/,
  ],
  [
    "an audit annotation whose key is no name",
    rule(`validate:
  cel:
    expressions: [{expression: "true"}]
    auditAnnotations: [{key: "a key", valueExpression: "'x'"}]`),
    /warning bad-name: "a key": name part must consist of/,
  ],
  [
    "two audit annotations with one key",
    rule(`validate:
  cel:
    expressions: [{expression: "true"}]
    auditAnnotations: [{key: a, valueExpression: "'x'"}, {key: a, valueExpression: "'y'"}]`),
    /^p\.yaml:\d+:\d+: warning bad-name: The key "a" occurs twice/,
  ],
  [
    "an audit annotation with a long expression",
    rule(`validate:
  cel:
    expressions: [{expression: "true"}]
    auditAnnotations: [{key: a, valueExpression: "'${"x".repeat(5200)}'"}]`),
    /warning bad-name: The expression has 5202 characters; 5120 are allowed/,
  ],
  [
    "a message that asks for permissions",
    rule(`validate:
  cel:
    expressions:
    - {expression: "true", messageExpression: "string(authorizer.requestResource.check('get').allowed())"}`),
    /warning bad-name: A messageExpression has no authorizer/,
  ],
  ["YAML that does not end", "a: [b", /^p\.yaml:1:\d+: error invalid-yaml: /],
  ["a key that occurs twice", "kind: A\nkind: B\n", /^p\.yaml:2:1: warning duplicate-key: /],
  ["a document that is no object", "just text", /^p\.yaml:1:1: error not-an-object: /],
  [
    "a kind that is no policy",
    "apiVersion: v1\nkind: Pod\n",
    /^p\.yaml:2:1: error unknown-kind: "Pod" \(v1\) is not a policy/,
  ],
  [
    "a misspelt kind",
    "apiVersion: kyverno.io/v1\nkind: ClusterPolice\n",
    /^p\.yaml:2:1: error unknown-kind: .*\n {2}hint: did you mean "ClusterPolicy"\?/,
  ],
  [
    "a policy kind of another API",
    "apiVersion: policies/v1\nkind: ClusterPolicy\n",
    /hint: is "policies\/v1" its apiVersion\?/,
  ],
  [
    "an unknown version",
    spec("background: false").replace("kyverno.io/v1", "kyverno.io/v9"),
    /^p\.yaml:1:1: warning unknown-version: "kyverno\.io\/v9" is read as kyverno\.io\/v1/,
  ],
  [
    "a policy without a name",
    spec("background: false").replace("{name: p}", "{}"),
    /error missing-name: A policy needs metadata\.name/,
  ],
  [
    "a policy without a spec",
    "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\n",
    /error missing-spec: /,
  ],
  [
    "a policy without rules",
    "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec: {}\n",
    /^p\.yaml:4:1: warning no-rules: /,
  ],
  [
    "two policies of one name",
    `${spec("background: false")}---\n${spec("background: false")}`,
    /error duplicate-policy: Policy "p" is defined twice/,
  ],
  [
    "an unknown field of spec",
    spec("backgroud: false"),
    /^p\.yaml:5:3: error unknown-field: Unknown field "backgroud" in spec\n {2}hint: did you mean "background"\?/,
  ],
  ["an unknown field without a similar one", spec("zzz: 1"), /hint: accepted fields: rules, admission/],
  [
    "a flag that is text",
    spec('background: "no"'),
    /^p\.yaml:5:3: error wrong-type: spec\.background must be true or false, not string "no"/,
  ],
  [
    "a number that is text",
    spec('webhookTimeoutSeconds: "5"'),
    /error wrong-type: spec\.webhookTimeoutSeconds must be a number/,
  ],
  [
    "an unknown action",
    spec("validationFailureAction: Enfroce"),
    /^p\.yaml:5:3: error unknown-value: validationFailureAction cannot be "Enfroce"\n {2}hint: did you mean "Enforce"\?/,
  ],
  [
    "an object for an action, with a field that JavaScript would call",
    spec("validationFailureAction: {toString: a}"),
    /error unknown-value: validationFailureAction cannot be \{"toString":"a"\}\n {2}hint: use one of/,
  ],
  [
    "an unknown failurePolicy",
    spec("failurePolicy: Never"),
    /error unknown-value: failurePolicy cannot be "Never"\n {2}hint: use one of Fail, Ignore/,
  ],
  ["an unknown applyRules", spec("applyRules: Some"), /error unknown-value: applyRules cannot be "Some"/],
  [
    "an unknown action of an override",
    spec("validationFailureActionOverrides: [{action: x}]"),
    /error unknown-value: action cannot be "x"/,
  ],
  [
    "rules that are text",
    spec("background: false").replace(/rules:\n.*/, "rules: text"),
    /warning no-rules: |error wrong-type: /,
  ],
  [
    "a rule without a name",
    rule("validate: {pattern: {}}").replace("- name: r\n    match", "- match"),
    /^p\.yaml:7:5: error missing-name: A rule needs a name/,
  ],
  [
    "two rules of one name",
    `${
      rule("validate: {pattern: {}}")
    }  - name: r\n    match: {any: [{resources: {kinds: [Pod]}}]}\n    validate: {pattern: {}}\n`,
    /error duplicate-rule: Two rules are named "r"/,
  ],
  [
    "a rule without match",
    rule("validate: {pattern: {}}").replace(/ {4}match:.*\n/, ""),
    /error empty-match: Rule "r" matches nothing\n {2}hint: name kinds/,
  ],
  [
    "an assignment in CEL",
    rule("validate: {cel: {expressions: [{expression: object.a = 1}]}}"),
    /error bad-cel: CEL 1:10: Syntax error: token recognition error at: '='\n {2}hint: write == to compare/,
  ],
  [
    "a misspelt variable of CEL",
    rule("validate: {cel: {expressions: [{expression: objct.a == 1}]}}"),
    /error bad-cel: CEL 1:1: undeclared reference to 'objct' .*\n {2}hint: did you mean "object"\?/,
  ],
  [
    "a missing expression of CEL",
    rule("validate: {cel: {expressions: [{message: m}]}}"),
    /error bad-cel: the expression is missing/,
  ],
  [
    "a selector that cannot be read",
    rule(
      "validate: {pattern: {}}",
      "{any: [{resources: {kinds: [Pod], selector: {matchExpressions: [{key: a, operator: Inn}]}}}]}",
    ),
    /^p\.yaml:8:\d+: warning bad-selector: The selector selects nothing: .*Inn/,
  ],
  [
    "a selector of a policy in CEL that cannot be read",
    constrained(
      "objectSelector: {matchExpressions: [{key: a, operator: Inn}]}",
      "{apiGroups: [''], apiVersions: [v1], resources: [pods]}",
    ),
    /^p\.yaml:6:\d+: error bad-selector: The selector selects nothing: .*Inn/,
  ],
  [
    "a policy in CEL without constraints",
    `apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: p}
spec:
  validations: [{expression: "true"}]
`,
    /^p\.yaml:4:\d+: warning empty-match: The policy selects nothing: it has no matchConstraints\n {2}hint: name/,
  ],
  [
    "a resource rule without a group in a policy in CEL",
    constrained("", "{apiVersions: [v1], resources: [pods]}"),
    /^p\.yaml:7:\d+: error empty-match: The rule selects nothing: it has no apiGroups\n {2}hint: write ""/,
  ],
  [
    "a kind for a resource in a policy in CEL",
    constrained("", "{apiGroups: [''], apiVersions: [v1], resources: [Pod/exec]}"),
    /warning misspelt-kind: "Pod\/exec" selects nothing: resources are plurals in lower case\n {2}hint: write "pods\/exec"$/,
  ],
  [
    "an operation that no request has",
    rule("validate: {pattern: {}}", "{any: [{resources: {kinds: [Pod], operations: [CREAT]}}]}"),
    /^p\.yaml:8:\d+: error unknown-value: operations cannot be "CREAT"\n {2}hint: did you mean "CREATE"\?$/,
  ],
  [
    "a rule that does nothing",
    rule("preconditions: {}"),
    /^p\.yaml:7:\d+: error empty-rule: Rule "r" does nothing\n.*$/,
  ],
  [
    "an unknown body",
    rule("validate:\n  message: m"),
    /error unsupported-rule: .*\n {2}hint: fields of validate: .*pattern, anyPattern/,
  ],
  [
    "a rule with two validations and a mutation",
    rule("validate: {pattern: {}, deny: {}}\nmutate: {patchStrategicMerge: {}}"),
    /warning several-bodies: Of rule "r" only validate\.deny runs, not validate\.pattern, mutate\n {2}hint: make a rule of each/,
  ],
  [
    "a misspelt body",
    rule("validate:\n  pattren: {}"),
    /error unknown-field: Unknown field "pattren" in spec\.rules\[0\]\.validate\n {2}hint: did you mean "pattern"\?/,
  ],
  [
    "a misspelt match field",
    rule("validate: {pattern: {}}", "{any: [{resources: {kind: [Pod]}}]}"),
    /error unknown-field: Unknown field "kind" in spec\.rules\[0\]\.match\.any\[0\]\.resources\n {2}hint: did you mean "kinds"\?/,
  ],
  [
    "match that is text",
    rule("validate: {pattern: {}}", "Pod"),
    /error wrong-type: spec\.rules\[0\]\.match must be an object/,
  ],
  [
    "a variable in match",
    rule("validate: {pattern: {}}", '{any: [{resources: {kinds: [Pod], names: ["{{ request.name }}"]}}]}'),
    /^p\.yaml:8:\d+: error variable-in-match: Variables are not possible in match/,
  ],
  [
    "a variable in exclude",
    rule('exclude: {any: [{resources: {namespaces: ["{{ x }}"]}}]}\nvalidate: {pattern: {}}'),
    /error variable-in-match: Variables are not possible in exclude/,
  ],
  [
    "an unknown operator",
    deny("{key: a, operator: Equlas, value: b}"),
    /^p\.yaml:13:\d+: error unknown-operator: there is no operator "Equlas"\n {2}hint: did you mean Equals\?/,
  ],
  [
    "a condition without an operator",
    deny("{key: a, value: b}"),
    /error unknown-operator: the condition has no operator/,
  ],
  [
    "a deprecated operator",
    deny("{key: a, operator: In, value: [b]}"),
    /info deprecated-operator: Operator In has been deprecated/,
  ],
  ["conditions that are text", rule("validate: {deny: {conditions: text}}"), /error bad-conditions: /],
  [
    "preconditions that are text",
    rule("preconditions: text\nvalidate: {pattern: {}}"),
    /error bad-conditions: /,
  ],
  [
    "a misspelt part of the request",
    deny('{key: "{{ request.obejct.metadata.name }}", operator: Equals, value: b}'),
    /^p\.yaml:13:\d+: error unknown-variable: Cannot resolve "request\.obejct" of "\{\{ request\.obejct\.metadata\.name \}\}"\n {2}hint: did you mean "request\.object"\?/,
  ],
  [
    "a variable that nobody declares",
    deny('{key: "{{ teams.data }}", operator: Equals, value: b}'),
    /error unknown-variable: Cannot resolve "teams"/,
  ],
  [
    "a target where a rule has none",
    deny('{key: "{{ target.metadata.name }}", operator: Equals, value: b}'),
    /error lost-target: Cannot resolve "target" of [^\n]*\n {2}hint: read request\.object/,
  ],
  [
    "a target in the name of a target",
    rule(targets("{{ target.metadata.name }}", "a")),
    /error lost-target: Cannot resolve "target" of [^\n]*\n {2}hint: read request\.object/,
  ],
  [
    "a misspelt predefined variable",
    deny('{key: "{{ serviceAccountNam }}", operator: Equals, value: b}'),
    /hint: did you mean "serviceAccountName"\?/,
  ],
  [
    "a misspelt context entry",
    rule(
      'context: [{name: settings, variable: {value: 1}}]\nvalidate: {message: "{{ setings }}", pattern: {}}',
    ),
    /hint: did you mean "settings"\?/,
  ],
  [
    "element outside foreach",
    deny('{key: "{{ element }}", operator: Equals, value: b}'),
    /error element-outside-foreach: "element" exists only inside foreach/,
  ],
  [
    "JMESPath that does not end",
    deny('{key: "{{ request.object. }}", operator: Equals, value: b}'),
    /error bad-expression: /,
  ],
  [
    "an unknown function",
    deny('{key: "{{ lenght(request.object) }}", operator: Equals, value: b}'),
    /error unknown-function: .*there is no function lenght\n {2}hint: did you mean length\?/,
  ],
  [
    "an unknown name in a function as a warning",
    deny('{key: "{{ to_string(nowhere) }}", operator: Equals, value: "null"}'),
    /warning unknown-variable: Cannot resolve "nowhere"/,
  ],
  [
    "a bare null",
    deny('{key: "{{ request.object == null }}", operator: Equals, value: true}'),
    /warning bare-literal: "null" is read as a key/,
  ],
  [
    "a variable that reads nothing",
    deny(`{key: "{{ 'text' }}", operator: Equals, value: b}`),
    /warning constant-variable: "\{\{ 'text' \}\}" is a constant\n {2}hint: write its value/,
  ],
  [
    "a variable that is a literal of another language",
    deny('{key: "{{ true }}", operator: Equals, value: b}'),
    /warning constant-variable: "\{\{ true \}\}" is a constant/,
  ],
  [
    "a user in a background scan",
    deny('{key: "{{ request.userInfo.username }}", operator: Equals, value: a}').replace(
      "background: false",
      "background: true",
    ),
    /warning background-variable: variable \{\{request\.userInfo[^}]*\}\} is not allowed: "request\.userInfo" has no value in background scans/,
  ],
  [
    "a reference that leads nowhere",
    rule('validate:\n  pattern: {spec: {a: "$(./../nowhere)"}}'),
    /error bad-reference: /,
  ],
  [
    "a context entry without a name",
    rule("context: [{variable: {value: 1}}]\nvalidate: {pattern: {}}"),
    /error missing-name: A context entry needs a name/,
  ],
  [
    "a context entry without a kind",
    rule("context: [{name: a}]\nvalidate: {pattern: {}}"),
    /error unknown-context: Context entry "a" is none of variable, configMap/,
  ],
  [
    "an API call to nowhere",
    rule("context: [{name: a, apiCall: {}}]\nvalidate: {pattern: {}}"),
    /error empty-call: Context entry "a" calls nothing/,
  ],
  ...([
    ["apiCall", "urlPath: /a, "],
    ["globalReference", "name: g, "],
    ["imageRegistry", "reference: a, "],
    ["variable", ""],
  ].map(([kind, fields]): [string, string, RegExp] => [
    `a query of ${kind} that does not compile`,
    rule(`context: [{name: a, ${kind}: {${fields}jmesPath: "a[["}}]\nvalidate: {pattern: {}}`),
    /warning bad-expression: "a\[\[": SyntaxError/,
  ])),
  ...([
    ["configMap", "name"],
    ["globalReference", "name"],
    ["imageRegistry", "reference"],
  ].map(([kind, field]): [string, string, RegExp] => [
    `a context entry ${kind} that names nothing`,
    rule(`context: [{name: a, ${kind}: {${field}: ""}}]\nvalidate: {pattern: {}}`),
    new RegExp(`warning missing-reference: A context entry ${kind} needs ${field}`),
  ])),
  ["a foreach without a body", rule("validate: {foreach: [{list: a}]}"), /error empty-foreach: /],
  [
    "a foreach over bad JMESPath",
    rule('validate: {foreach: [{list: "a[", pattern: {}}]}'),
    /error bad-list: foreach list: /,
  ],
  ["an empty mutation", rule("mutate: {}"), /error empty-mutate: /],
  ["a JSON patch that is none", rule('mutate: {patchesJson6902: "just text"}'), /error bad-patch: /],
  [
    "an overlay",
    rule("mutate: {overlay: {metadata: {labels: {a: b}}}}"),
    /^p\.yaml:9:\d+: warning deprecated-field: Field "mutate\.overlay" is deprecated\n {2}hint: write "patchStrategicMerge"/,
  ],
  [
    "an unknown pod security level",
    rule("validate: {podSecurity: {level: strict}}"),
    /error bad-pod-security: unknown pod security level "strict"/,
  ],
  [
    "an exception without policies",
    "apiVersion: kyverno.io/v2\nkind: PolicyException\nmetadata: {name: e}\nspec: {match: {}}\n",
    /^p\.yaml:4:1: error empty-exception: Exception "e" names no policy/,
  ],
];
for (const [about, text, expected] of table) {
  Deno.test(`load reports ${about}`, () => {
    const found = diagnostics(text);
    assert.ok(found.some((line) => expected.test(line)), `${expected} is none of:\n${found.join("\n")}`);
  });
}

Deno.test("load: the tables hold at least fifty broken policies", () => assert.ok(table.length >= 50));

const usual: [about: string, text: string][] = [
  [
    "a context entry named image",
    rule("context: [{name: image, variable: {value: 1}}]\nvalidate: {pattern: {}}"),
  ],
  [
    "every anchor where it can be",
    rule(
      'validate: {pattern: {spec: {"=(a)": 1, "X(b)": null, "<(c)": 2, "^(d)": [{e: 1}], "(f)": 3, "{{request.name}}(g": 1}}}',
    ),
  ],
  [
    "a variable in a variable and a text with \\{{",
    rule(
      String.raw`validate: {message: '{{ request.object.metadata.{{ request.name }} }} \{{', pattern: {}}`,
    ),
  ],
  [
    "quotation marks of a call that a variable in it has too",
    deny(`{key: "{{ regex_match('^v$', '{{ request.name || 'a, b' }}') }}", operator: Equals, value: true}`),
  ],
  [
    "an empty clone beside data",
    rule("generate: {apiVersion: v1, kind: ConfigMap, name: a, namespace: b, data: {a: b}, clone: {}}"),
  ],
];

for (const [about, text] of usual) {
  Deno.test(`load accepts ${about}`, () => assert.deepEqual(diagnostics(text), []));
}

Deno.test("load: a correct policy has no diagnostics", () => {
  assert.deepEqual(
    diagnostics(
      rule(
        'validate:\n  message: "{{ request.object.metadata.name }} is wrong"\n  pattern: {spec: {=(hostPID): false}}',
      ),
    ),
    [],
  );
});

Deno.test("load: an autogen rule does not repeat the diagnostics of its source", () => {
  const found = diagnostics(deny("{key: a, operator: Equlas, value: b}"));
  assert.equal(found.filter((line) => line.includes("unknown-operator")).length, 1);
});
