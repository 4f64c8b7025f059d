/** Every flag of Kyverno's command line, what Postern does with it, and a command line that shows it. */

/** How far Postern supports a flag of Kyverno's. */
export type FlagVerdict = "works" | "differs" | "not supported";

export interface KyvernoFlag {
  readonly command: string;
  /** As Kyverno's help has it. */
  readonly flag: string;
  readonly verdict: FlagVerdict;
  /** How it differs, or what to use instead. */
  readonly note: string;
  /** A command line that uses it; `@name` stands for a file of the test. */
  readonly line: readonly string[];
  /** The exit code. */
  readonly code: number;
  /** A pattern that standard output followed by standard error must match. */
  readonly shows: RegExp;
}

type Row = readonly [
  flag: string,
  verdict: FlagVerdict,
  note: string,
  args: readonly string[],
  shows: RegExp,
  code?: number,
];

function flags(command: string, base: readonly string[], rows: readonly Row[]): KyvernoFlag[] {
  return rows.map(([flag, verdict, note, args, shows, code = verdict === "not supported" ? 2 : 0]) => ({
    command,
    flag,
    verdict,
    note,
    line: [...command === "" ? [] : command.split(" "), ...base, ...args],
    code,
    shows,
  }));
}

const pass = /pass: 1, fail: 0/;
const applied = ["@policy.yaml"];
const onGood = ["-r", "@good.yaml"];
const authorization = "policies for HTTP and Envoy requests belong to Kyverno's authorization server";

const apply = flags("apply", applied, [
  ["--audit-warn", "works", "", ["-r", "@bad.yaml", "--audit-warn"], /pass: 0, fail: 0, warn: 1/],
  ["--batch-size", "works", "", [...onGood, "--batch-size", "10"], pass],
  ["-c, --cluster", "works", "", ["--cluster", "--kubeconfig", "@none"], /cannot read kubeconfig/, 2],
  [
    "--cluster-wide-resources",
    "differs",
    "with -n, objects without a namespace and those of the namespace; Kyverno reads the latter alone",
    [...onGood, "--cluster-wide-resources"],
    pass,
  ],
  ["--concurrent", "works", "", [...onGood, "--concurrent", "2"], pass],
  [
    "--context",
    "works",
    "",
    ["--cluster", "--kubeconfig", "@kubeconfig", "--context", "none"],
    /no context "none"/,
    2,
  ],
  ["--context-file", "works", "", [...onGood, "--context-file", "@context.yaml"], pass],
  ["--continue-on-error", "differs", "Postern always goes on; what could not be listed ends with 1", [
    ...onGood,
    "--continue-on-error=false",
  ], pass],
  ["--continue-on-fail", "differs", "Postern always goes on; what failed ends with 1", [
    ...onGood,
    "--continue-on-fail",
  ], pass],
  ["--crd-paths, --crd-path", "not supported", "schemas are not needed for patches of custom resources", [
    ...onGood,
    "--crd-paths",
    "x",
  ], /not supported: --crd-paths/],
  ["--detailed-results", "works", "", [...onGood, "-t", "--detailed-results"], /MESSAGE/],
  [
    "--envoy-payload",
    "not supported",
    authorization,
    [...onGood, "--envoy-payload", "x"],
    /not supported: --envoy-payload/,
  ],
  ["-e, --exception, --exceptions", "works", "", ["-r", "@bad.yaml", "-e", "@exception.yaml"], /skip: 1/],
  ["--exceptions-with-resources, --exceptions-within-resources", "works", "", [
    "-r",
    "@bad.yaml,@exception.yaml",
    "--exceptions-within-resources",
  ], /skip: 1/],
  ["--exceptions-within-policies", "works", "", [
    "@exception.yaml",
    "-r",
    "@bad.yaml",
    "--exceptions-within-policies",
  ], /skip: 1/],
  [
    "--generate-exceptions",
    "differs",
    "exceptions are kyverno.io/v2, and those for policies in CEL policies.kyverno.io",
    ["-r", "@bad.yaml", "--generate-exceptions"],
    /kind: PolicyException/,
    1,
  ],
  [
    "--generated-exception-ttl",
    "works",
    "",
    ["-r", "@bad.yaml", "--generate-exceptions", "--generated-exception-ttl", "1h"],
    /ttl: 1h0m0s/,
    1,
  ],
  ["-b, --git-branch", "works", "with git itself", [...onGood, "-b", "main"], pass],
  [
    "--http-payload",
    "not supported",
    authorization,
    [...onGood, "--http-payload", "x"],
    /not supported: --http-payload/,
  ],
  ["--json", "works", "", ["--json", "@good.yaml", "@cel.yaml"], pass],
  [
    "--kubeconfig",
    "differs",
    "without --cluster, policies look up objects there",
    ["--cluster", "--kubeconfig", "@none"],
    /cannot read kubeconfig/,
    2,
  ],
  ["-n, --namespace", "works", "", [...onGood, "-n", "shop"], pass],
  [
    "-o, --output",
    "differs",
    "FORMAT=PATH writes a report, several at once; a path alone is for changed and generated objects, as with Kyverno",
    [...onGood, "-o", "@made.yaml"],
    pass,
  ],
  ["--output-format", "works", "", [...onGood, "-p", "--output-format", "json"], /"kind":"ClusterReport"/],
  ["--parameter-resource", "works", "", [...onGood, "--parameter-resource", "@good.yaml"], pass],
  ["--password", "works", "", [...onGood, "--password", "x"], pass],
  [
    "-p, --policy-report",
    "differs",
    "prints the report and nothing else; one report for each namespace, with a summary",
    [...onGood, "-p"],
    /^apiVersion: openreports\.io\/v1alpha1\nkind: ClusterReport/,
  ],
  ["--registry", "works", "", [...onGood, "--registry"], pass],
  ["--remove-color", "works", "", [...onGood, "--remove-color"], pass],
  ["-r, --resource, --resources", "works", "", ["--resources", "@good.yaml"], pass],
  ["-s, --set", "works", "", [...onGood, "-s", "request.operation=UPDATE"], pass],
  ["--show-performance", "works", "", [...onGood, "--show-performance"], /1 objects in \d+ ms/],
  ["-i, --stdin", "differs", "prints objects and nothing else, so that kubectl can read them", [
    ...onGood,
    "-i",
  ], /^apiVersion: v1\nkind: Pod/],
  ["-t, --table", "works", "", [...onGood, "-t"], /│ POLICY/],
  [
    "--target-resource, --target-resources",
    "works",
    "",
    [...onGood, "--target-resources", "@bad.yaml"],
    pass,
  ],
  ["-u, --userinfo", "works", "", [...onGood, "-u", "@user.yaml"], pass],
  ["--username", "works", "", [...onGood, "--username", "x"], pass],
  ["-f, --values-file", "works", "", [...onGood, "-f", "@values.yaml"], pass],
  [
    "--warn-exit-code",
    "works",
    "",
    ["-r", "@bad.yaml", "--audit-warn", "--warn-exit-code", "5"],
    /exit as warnExitCode is 5/,
    5,
  ],
  [
    "--warn-no-pass",
    "works",
    "",
    ["-r", "@bad.yaml", "--audit-warn", "--warn-no-pass", "--warn-exit-code", "6"],
    /exit as/,
    6,
  ],
]);

const summary = /Test Summary: 1 tests passed and 0 tests failed/;
const test = flags("test", ["@tests"], [
  ["--detailed-results", "works", "", ["--detailed-results"], /MESSAGE/],
  ["--fail-only", "works", "", ["--fail-only"], /0 out of 1 tests failed/],
  ["-f, --file-name", "works", "", ["-f", "kyverno-test.yaml"], summary],
  ["-b, --git-branch", "works", "with git itself", ["-b", "main"], summary],
  ["-o, --output-format", "differs", "prints one clean document: everything else goes to standard error", [
    "-o",
    "junit",
  ], /^<\?xml/],
  [
    "--registry",
    "differs",
    "needed for signatures and image policies, too; Kyverno calls registries for these without it",
    ["--registry"],
    summary,
  ],
  ["--remove-color", "works", "", ["--remove-color"], summary],
  ["--require-tests", "differs", "always so: a run that tests nothing fails", ["--require-tests"], summary],
  [
    "-t, --test-case-selector",
    "differs",
    "resource=WILDCARD selects those objects; Kyverno compares the others of the row with a wrong result",
    ["-t", "policy=require-team"],
    summary,
  ],
]);

const others: readonly KyvernoFlag[] = [
  ...flags("jp query", ["metadata.name", "-i", "@good.yaml"], [
    ["-c, --compact", "works", "", ["-c"], /^# metadata\.name\n"good"/],
    ["-i, --input", "works", "without it, the prompt is on standard error", [], /"good"/],
    ["-q, --query", "works", "", ["-q", "@query.txt"], /"v1"/],
    ["-u, --unquoted", "works", "", ["-u"], /\ngood$/],
  ]),
  ...flags("jp parse", [], [["-f, --file", "works", "", ["-f", "@query.txt"], /apiVersion/]]),
  ...flags("jp function", [], [[
    "[function_name]...",
    "works",
    "with examples",
    ["truncate"],
    /Name: truncate/,
  ]]),
  ...flags("version", [], [["-o, --output", "works", "", ["-o", "json"], /"version"/]]),
  ...flags("completion", [], [["bash|zsh|fish|powershell", "works", "", ["fish"], /complete -c postern/]]),
  ...flags("docs", ["-o", "@pages"], [
    ["-o, --output", "works", "", [], /^\d+ pages in pages$/],
    ["--website", "works", "", ["--website"], /^\d+ pages in pages$/],
    [
      "--autogenTag, --noDate, --markdownLinks",
      "differs",
      "taken, and without effect: Postern's pages hold no date, and link to each other",
      ["--autogenTag=false", "--noDate", "--markdownLinks"],
      /^\d+ pages in pages$/,
    ],
  ]),
  ...flags("create test", [], [
    ["-n, --name", "works", "", ["-n", "x"], /name: x/],
    ["-o, --output", "works", "", ["-o", "@made.yaml"], /^$/],
    ["--pass, --fail, --skip", "works", "", ["--pass", "p,r,x"], /result: pass/],
    ["-p, --policy", "works", "", ["-p", "x.yaml"], /- x\.yaml/],
    ["-r, --resource", "works", "", ["-r", "x.yaml"], /- x\.yaml/],
    ["-f, --values", "works", "", ["-f", "x.yaml"], /variables: x\.yaml/],
  ]),
  ...flags("create values", [], [
    ["-g, --global", "works", "", ["-g", "a=b"], /a: b/],
    ["-n, --ns-selector", "works", "", ["-n", "shop,a=b"], /name: shop/],
    ["-o, --output", "works", "", ["-o", "@made.yaml"], /^$/],
    ["--resource", "works", "", ["--resource", "p,x,a=b"], /resources:/],
    ["--rule", "works", "", ["--rule", "p,x,a=b"], /rules:/],
  ]),
  ...flags("create user-info", [], [
    ["-c, --cluster-role", "works", "", ["-c", "admin"], /clusterRoles:/],
    ["-g, --group", "works", "", ["-g", "dev"], /- dev/],
    ["-o, --output", "works", "", ["-o", "@made.yaml"], /^$/],
    ["-r, --role", "works", "", ["-r", "shop:edit"], /- shop:edit/],
    ["-u, --username", "works", "", ["-u", "ann"], /username: ann/],
  ]),
  ...flags("create exception", ["x", "--policy-rules", "p,r", "--any", "kind=Pod"], [
    ["--all, --any", "works", "", ["--all", "name=x"], /all:/],
    ["-b, --background", "works", "", ["--background=false"], /background: false/],
    ["--namespace", "works", "", ["--namespace", "shop"], /namespace: shop/],
    ["-o, --output", "works", "", ["-o", "@made.yaml"], /^$/],
    ["--policy-rules", "works", "", [], /policyName: p/],
  ]),
  ...flags("fix test", ["@tests"], [
    ["--compress", "works", "comments stay", ["--compress"], /^nothing to fix in 1 file$/],
    ["-f, --file-name", "works", "", ["-f", "kyverno-test.yaml"], /^nothing to fix in 1 file$/],
    [
      "--force",
      "differs",
      "a file that cannot be read is never written",
      ["--force"],
      /^nothing to fix in 1 file$/,
    ],
    ["--save", "works", "", ["--save"], /^nothing to fix in 1 file$/],
  ]),
  ...flags("fix policy", ["@policy.yaml"], [[
    "--save",
    "works",
    "comments stay",
    ["--save"],
    /^nothing to fix in 1 file$/,
  ]]),
  ...flags("json scan", ["--payload", "@good.yaml", "--policy", "@json.yaml"], [
    ["--bindings", "works", "", ["--bindings", "@values.yaml"], /\n- kind -> Values\n/],
    ["--labels", "works", "", ["--labels", "a=b"], /no policy has such labels/, 2],
    ["--output", "works", "", ["--output", "json"], /^\[\n {2}\{\n {4}"resource": \{/],
    ["--payload", "works", "", [], /PASSED/],
    ["--policy", "works", "", [], /PASSED/],
    ["--pre-process", "works", "", ["--pre-process", "metadata"], /evaluating 1 resource/, 1],
  ]),
  ...flags("oci push", [], [[
    "-i, --image",
    "not supported",
    "oras pushes the files; git repositories are read",
    ["-i", "x"],
    /not supported: oci push/,
  ]]),
  ...flags("oci pull", [], [[
    "-i, --image",
    "not supported",
    "oras pulls the files; git repositories are read",
    ["-i", "x"],
    /not supported: oci pull/,
  ]]),
  ...flags("migrate", [], [[
    "--resource, --kubeconfig, --context",
    "not supported",
    "Postern stores no custom resources",
    ["--resource", "x"],
    /not supported: migrate/,
  ]]),
  ...flags("create metrics-config", [], [[
    "all",
    "not supported",
    "metrics need no configuration",
    [],
    /not supported: create metrics-config/,
  ]]),
  ...flags("create cluster-role", [], [[
    "all",
    "not supported",
    "postern manifests writes the roles that policies need",
    [],
    /not supported: create cluster-role/,
  ]]),
];

const noLog = "taken, and without effect: Postern writes no log";
const refusedLog = "no log is written: redirect standard error to a file";

/** Flags that every command of Kyverno accepts, before its name or after it. */
const everywhere: readonly KyvernoFlag[] = flags("", [], [
  ["-v, --v", "differs", noLog, ["-v", "4", "version", "--v=4"], /^Version: /],
  ["--vmodule, --log_backtrace_at", "differs", noLog, [
    "version",
    "--vmodule",
    "a=1",
    "--log_backtrace_at=a:1",
  ], /^Version: /],
  ["--add_dir_header, --skip_headers, --skip_log_headers, --one_output", "differs", noLog, [
    "version",
    "--add_dir_header",
    "--skip_headers",
    "--skip_log_headers",
    "--one_output=true",
  ], /^Version: /],
  ["--logtostderr, --alsologtostderr, --legacy_stderr_threshold_behavior", "differs", noLog, [
    "version",
    "--logtostderr=false",
    "--alsologtostderr",
    "--legacy_stderr_threshold_behavior",
  ], /^Version: /],
  ["--stderrthreshold, --alsologtostderrthreshold, --log_file_max_size", "differs", noLog, [
    "--stderrthreshold=2",
    "version",
    "--alsologtostderrthreshold",
    "1",
    "--log_file_max_size",
    "10",
  ], /^Version: /],
  [
    "--log_dir",
    "not supported",
    refusedLog,
    ["version", "--log_dir", "x"],
    /not supported: --log_dir; no log/,
  ],
  [
    "--log_file",
    "not supported",
    refusedLog,
    ["version", "--log_file=x"],
    /not supported: --log_file; no log/,
  ],
  [
    "--kubeconfig",
    "differs",
    "commands that read no cluster refuse it",
    ["jp", "function", "truncate", "--kubeconfig", "x"],
    /not supported: --kubeconfig; this command reads no cluster/,
    2,
  ],
]).map((row) => ({ ...row, command: "with every command" }));

export const kyvernoFlags: readonly KyvernoFlag[] = [...apply, ...test, ...others, ...everywhere];

/** Deliberate differences from Kyverno. */
export const deliberate: readonly string[] = [
  "Input that cannot be used (a missing file, a kind that is not evaluated, a broken document, an object without a kind) is reported with file and line, and changes the exit code; so does a run that checks nothing.",
  "With `-o json`, `yaml`, `markdown`, `junit`, and with any report on standard output, standard output holds that one document.",
  "Kyverno's command line silently drops a policy when a field has the wrong type (`message: 5`) or a value that does not exist, when a key occurs twice, or because of its metadata. Postern names such a policy with line and hint. If it can be read, it is evaluated with a warning, because `lint` and the API server refuse it; otherwise its rules are errors. A policy whose metadata alone the API server refuses (`name: Foo_Bar`) is evaluated by `--dialect classic`, and refused by `current`.",
  "With `--cluster`, policies in CEL about Pods are evaluated for the pod controllers of the cluster, too, as in files; Kyverno's command line lists Pods alone. ConfigMaps are read from the cluster, where Kyverno's reports errors.",
  "A rule that generates a cluster-wide object (a ClusterRoleBinding, a Namespace) is evaluated. Kyverno's command line has no scopes of kinds without a cluster, and drops the whole policy.",
  "One policy that cannot be read or compiled leaves the others in force. Kyverno's command line drops all policies of a folder with a file that it cannot read, and ends at a policy in CEL that does not compile.",
  "An API call for an object that is not given fails with the API server's message, and `/api/v1/namespaces/NAME` is answered. Kyverno's command line has another message, and cannot read that path.",
  "An expression or variable of `validate.cel` that does not compile is an error of the rule; Kyverno reports a failure, and passes over a variable that nothing reads.",
  "With `parameterNotFoundAction: Allow` a rule of `validate.cel` passes when the parameter that it names does not exist, as the field's description says; Kyverno reports an error, and passes only without the objects of a selector.",
  "With a value for `request.object.metadata.name`, results name the object as its file does; Kyverno's name it as the value does.",
  "`apply` goes on after every problem, and prints errors of rules apart from their failures.",
  "`apply` prints mutated and generated objects only where a rule changed or made something; with `--table` only the table.",
  "`apply` prints the result for an object as soon as it is decided, so that changed objects and failures of several objects come in another order. The note of a mutation ends its line.",
  "After a mutate rule with an error, `apply` prints what the other rules left, and the rules that follow see that; Kyverno prints `{}`. Whole numbers are printed as such (`1000000`), by Kyverno from a million on as `1e+06`.",
  "A ClusterPolicy with a `metadata.namespace`, which the API server ignores, is evaluated, and so is a policy with fields of metadata that the API server sets itself; Kyverno drops both.",
  "Without values and user information, an admission policy of Kubernetes sees the name of the Namespace and its label `kubernetes.io/metadata.name`, and no user; for Kyverno the Namespace is empty, and the user is the one of its background controller.",
  "An admission policy of Kubernetes with bindings is evaluated as in the API server: for the objects that its `matchConstraints` select (a resource rule without `operations`, which the API server refuses and `lint` names, selects none), with the parameters of the namespace that `paramRef` selects, once for each of them, and by `parameterNotFoundAction` when there are none. Kyverno's command line evaluates it for objects of every kind, looks for parameters by name or label alone, gives those that a selector finds as one list, and reports the result of the last binding. Other than in the API server, `reinvocationPolicy` has no effect: each policy runs once.",
  "An admission policy of Kubernetes may use `authorizer`, which allows nothing, and an audit annotation that cannot be evaluated is an error under `failurePolicy: Fail`. Kyverno's command line refuses the first, and does not evaluate the second.",
  "A `MutatingAdmissionPolicy` of every version has its `variables` in mutations, its patches merge lists as the API server does (containers by their names), and what cannot be evaluated is an error. Kyverno's command line reads `v1alpha1` alone, knows no variables there, replaces lists as a whole, and passes over a policy with an error without a word.",
  "Objects of `--parameter-resource` are parameters of `validate.cel`, too. `request.resource` has its value there; with Kyverno it is empty.",
  "An exception exempts from the GeneratingPolicies that it names; with Kyverno's command line from all of them. That panics at a `NamespacedGeneratingPolicy`.",
  "With a context file, `resource.List` of a kind that it has no objects of is an empty list, as in a cluster; Kyverno reports an error.",
  "A result of a MutatingPolicy is counted once, where Kyverno counts it twice; what is printed is what that policy left, where Kyverno prints what all of them made.",
  "Reports are named `merged` in every namespace, say `source: postern`, and have no property `cel.validationIndex`.",
  "`test` names a test by `metadata.name`, and explains rows that fail after their table. It names generated " +
  "objects in full (`v1/ConfigMap/shop/a`; Kyverno `/a`), and payloads by their path alone (Kyverno `/a.json`). " +
  "The policies that follow a failed mutation are " +
  '"Not found", where Kyverno evaluates them for an empty object, and their rows pass as "Excluded".',
  "The rows of `test` are the same in each run; Kyverno's order of generated objects and of objects with one name " +
  "changes, and so does whether a policy in CEL has a second row for a controller, `Excluded`.",
  "A `test` with `clusterResources` evaluates objects of Namespaces that it does not have; Kyverno ends with an error.",
  "Of two policies with one name and kind the first is evaluated, and the second is an error; Kyverno evaluates both.",
  "`create` writes the current format (`apiVersion`, `kind`, `metadata`) without comments; `jp function` and `version` say more. `fix` prints the fixed file alone, and reads the older fields that Kyverno's refuses.",
  "Without a values file, `namespaceObject` is null, as with Kyverno; with `--cluster` it is the cluster's Namespace, which Kyverno's command line does not read for policies in CEL.",
  "`apply` and `test` evaluate a `NamespacedValidatingPolicy`, `NamespacedMutatingPolicy`, `NamespacedGeneratingPolicy` or `NamespacedDeletingPolicy` for objects of its namespace alone, as in a cluster; Kyverno's command line for all.",
  "Under `request.operation: DELETE` a mutate rule is an error, as with Kyverno, and a `MutatingPolicy` passes over the object. When a mutation is skipped the validations follow, where Kyverno's find no object; generate rules work, where Kyverno's program ends.",
  "A value of `--set` with several `=` counts, and values files may leave out `apiVersion` and `kind`. A warning says which values do not count.",
  'With `--audit-warn`, failures of rules and of policies in CEL with the action Audit are warnings everywhere. Kyverno reports all failures of policies in CEL as warnings, whatever their action, and those of rules by the action of the policy\'s first rule; those in CEL it counts as failures, and ends with 1. So it does with failures of policies in CEL and admission policies with the annotation `policies.kyverno.io/scored: "false"`.',
  "Folders of resources are read with their subfolders and JSON files, without files whose names begin with a dot; Kyverno reads the YAML files of the folder itself.",
  "A policy may be in a file of any name, and folders of policies are read with their JSON files; Kyverno passes over all but `.yaml` and `.yml` without a message.",
  "`apply --json` evaluates a DeletingPolicy of mode JSON, too. Lists of objects and objects with one name are evaluated; Kyverno's program panics.",
  "Text that YAML 1.1 and 1.2 read differently in brackets, anchors and tags is an error: `{a:}`, `[?a]`, `&a:b`, `[!!str, a]`; Kyverno reads it by YAML 1.1.",
  "`json scan` ends with 1 when a check fails.",
  "`apply --table` prints more than 10,000 rows as tables of 10,000 rows, so that memory does not grow with the input.",
  "Exit codes: 0 all is well, 1 failures, errors or unusable input, 2 the command cannot run, 130 interrupted, 141 the reader of a pipe ended; `--warn-exit-code` as with Kyverno.",
];
