/** The documentation of a diagnostic code, from which docs/diagnostics.md is written. */
export interface CodeNote {
  /** The reason for the diagnostic. */
  readonly cause: string;
  /** How the author of the document can fix it. */
  readonly fix: string;
}

/** Codes about documents and files. */
const files = {
  "duplicate-key": {
    cause: "A mapping has a key twice. The later value counts, as in the API server.",
    fix: "Remove one of the two.",
  },
  "former-version": {
    cause: "A policy file that was in force can no longer be read.",
    fix: "Mend the file; delete it to take its policies out of force.",
  },
  "invalid-yaml": {
    cause: "The text is no YAML, or goes beyond its limits of depth and aliases.",
    fix: "Go to the line that is named; the hint says what is often wrong there.",
  },
  "deep-folder": { cause: "Folders nest deeper than they are read.", fix: "Name the inner folder." },
  "empty-folder": {
    cause: "A folder holds no `.yaml`, `.yml` or `.json` file.",
    fix: "Check the path; files with other names are read when they are named themselves.",
  },
  "missing-file": { cause: "A path names no file or folder.", fix: "Check the path." },
  "large-file": { cause: "A file is longer than what is read of one.", fix: "Split it." },
  "long-document": { cause: "A document is longer than what is read of one.", fix: "Split it at `---`." },
  "too-many-files": { cause: "Folders hold more files than are read at once.", fix: "Name fewer folders." },
  "large-document": { cause: "A document is longer than 4 MB.", fix: "Split it at `---`." },
  "large-files": {
    cause: "Files are longer than what is read at once.",
    fix: "Name fewer files, or smaller ones.",
  },
  "more-documents": {
    cause: "Several documents stand where one counts.",
    fix: "Keep the one that is meant.",
  },
  "no-object": {
    cause: "A document is no Kubernetes object.",
    fix: "Give it `apiVersion`, `kind` and `metadata.name`.",
  },
  "no-policies": {
    cause: "The paths hold no policy.",
    fix: "Check the paths; folders are read with their subfolders.",
  },
  "no-policy": {
    cause: "A document in a folder of policies is none.",
    fix: "Move it, or name its file to have it checked.",
  },
  "recorded-images": {
    cause: "What was recorded of image registries cannot be read, or lacks an image that a rule reads.",
    fix: "Record the images again, with the policies and objects of today.",
  },
  "unreadable-address": {
    cause: "A git repository or a URL could not be read.",
    fix: "The message has the reason.",
  },
  "unreadable-cluster": {
    cause: "Objects of the cluster could not be listed.",
    fix: "Check the kubeconfig and the rights of its user.",
  },
  "unreadable-file": { cause: "A file is missing, or may not be read.", fix: "Check its path and rights." },
  "unwritable": {
    cause: "A report or another file could not be written.",
    fix: "Check its folder and rights.",
  },
  "docker-configuration": {
    cause: "A login of `~/.docker/config.json` cannot be used.",
    fix: "Put name and password under `auths`: credential helpers are not run.",
  },
} satisfies Readonly<Record<string, CodeNote>>;

/** Codes about the shape of a policy. */
const shape = {
  "deprecated-field": {
    cause: "A field of an older version is read as its successor.",
    fix: "Write the successor; `postern fix policy` does.",
  },
  "duplicate-policy": {
    cause: "Two policies have one key (namespace and name); the first one is used.",
    fix: "Rename one.",
  },
  "duplicate-rule": {
    cause: "Two rules of a policy have one name.",
    fix: "Rename one: exceptions and reports name rules.",
  },
  "empty-rule": {
    cause: "A rule has no `validate`, `mutate`, `generate` or `verifyImages`.",
    fix: "Give it one.",
  },
  "empty-match": {
    cause: "A rule would match nothing, or has no `match`, or a policy in CEL no `matchConstraints`.",
    fix:
      "Name kinds, a selector or users under `match`, and in a policy in CEL `apiGroups`, `apiVersions`, " +
      "`operations` and `resources` in each resource rule.",
  },
  "missing-spec": { cause: "A policy has no `spec`.", fix: "Write what it does under `spec`." },
  "not-an-object": {
    cause: "A document of a policy file is a text or a list.",
    fix: "Write an object with `apiVersion` and `kind`; `---` separates several.",
  },
  "no-rules": {
    cause: "A policy has no rules, or in CEL no validations, mutations or expressions that generate.",
    fix: "Add one, or delete the policy.",
  },
  "misspelt-kind": {
    cause: "A kind has a name that no kind of Kubernetes has.",
    fix: "Write the name that the hint suggests.",
  },
  "several-bodies": {
    cause:
      "A rule, a match block or a context entry has several bodies where one counts. Kyverno's webhook refuses it.",
    fix: "Make a rule or an entry of each; write filters under `any` or `all` alone.",
  },
  "early-action": {
    cause: "An action is written as in early versions of Kyverno. It works as before.",
    fix: "Write `Enforce` or `Audit`.",
  },
  "left-out-controllers": {
    cause:
      "A rule about Pods names controllers for which rules are derived, and leaves out others. It is still about the Pods of those.",
    fix: "Exclude such Pods with a precondition, or name all controllers.",
  },
  "missed-subresource": {
    cause:
      "A rule reads `replicas` or `status`, which are also changed through a subresource that it does not match: `kubectl scale` passes it by.",
    fix: "Match `Deployment/scale`, or the like, too, with `background: false`.",
  },
  "patched-pods": {
    cause:
      "A JSON patch changes Pods, also those that a controller makes: the next Pod is made from the controller's template again.",
    fix: "Match the controllers, or use `patchStrategicMerge`, from which rules for controllers are derived.",
  },
  "too-large": {
    cause: "The spec of a policy or an exception has more values than are compiled.",
    fix: "Split it, or put lists into a ConfigMap.",
  },
  "more-problems": {
    cause: "A policy has more problems than a server keeps: those of all policies must fit into its memory.",
    fix: "`lint` shows all of them.",
  },
  "too-many-policies": {
    cause:
      "All policies together take more memory than the server has for them: some are left out, and the requests that they match are denied.",
    fix: "Delete policies, or give the server a larger heap.",
  },
  "too-many-rules": {
    cause: "A policy has more rules than are compiled, with those made for controllers.",
    fix: "Split the policy.",
  },
  "unknown-field": {
    cause: "A field is not in the schema of its kind. It has no effect.",
    fix: "Take the spelling of the hint, or delete it.",
  },
  "unknown-kind": {
    cause: "A document is of a kind that is no policy of Postern.",
    fix: "The list of what is supported has all kinds.",
  },
  "unknown-value": {
    cause: "A field has a value that is none of its choices.",
    fix: "Take one that the hint names.",
  },
  "unknown-version": {
    cause: "The `apiVersion` is not supported; a supported one is assumed.",
    fix: "Write one that the hint names.",
  },
  "unsupported-rule": {
    cause: "The body of a rule is none that Postern runs. The rule answers as its failurePolicy says.",
    fix: "See the kinds of rules in the list of what is supported.",
  },
  "refused-by-api-server": {
    cause: "The API server, or Kyverno's own webhook, would refuse to store the policy.",
    fix: "The message says which rule of Kubernetes it breaks.",
  },
  "wrong-type": {
    cause: "A value has another type than its field.",
    fix: "Write the type that the message names.",
  },
  "empty-exception": {
    cause: "A PolicyException names no policy.",
    fix: "List `policyName` and `ruleNames` under `spec.exceptions`.",
  },
  "bad-exception": {
    cause: "An exception cannot be used, such as one with an expression that does not compile.",
    fix: "The message has the reason.",
  },
  "stray-exception": {
    cause: "`lint` found an exception for a policy or a rule that is not among its files.",
    fix: "Check the name, or name the file of the policy, too.",
  },
  "unused-exception": {
    cause: "Exceptions stand among the policies of a command.",
    fix: "Add `--exceptions-within-policies`, or name them with `--exception`.",
  },
} satisfies Readonly<Record<string, CodeNote>>;

/** Codes about the content of a rule. */
const rules = {
  "background-variable": {
    cause: "A rule reads what only an admission request has, and its policy is also for background scans.",
    fix: "Set `spec.background: false`.",
  },
  "bad-assertion": { cause: "An assertion tree cannot be read.", fix: "The message has path and reason." },
  "bad-cel": {
    cause: "An expression in CEL does not compile.",
    fix: "`postern cel check` shows the type of each part.",
  },
  "bad-conditions": {
    cause: "Conditions have a shape that cannot be read.",
    fix: "Write a list of `key`, `operator`, `value`, under `any` or `all`.",
  },
  "bad-selector": {
    cause: "A label selector of a filter or of `matchConstraints` cannot be read, so it selects nothing.",
    fix: "The message has the reason.",
  },
  "bad-expression": {
    cause: "An expression in JMESPath does not compile.",
    fix: "`postern jp parse` shows where.",
  },
  "bad-generate": {
    cause: "A generate rule does not say what it makes.",
    fix: "Give it `data` or `clone`, with kind and name.",
  },
  "bad-image-verification": {
    cause: "Kyverno would refuse this way to verify images.",
    fix: "The message has the reason.",
  },
  "bad-list": {
    cause: "The list of a `foreach` does not compile.",
    fix: "Write an expression that gives a list.",
  },
  "bad-name": {
    cause: "A name, key or expression of CEL is none that the API server would take.",
    fix: "The message has the reason; names have letters, digits and `_`.",
  },
  "bad-patch": { cause: "A patch cannot be read.", fix: "The message has path and reason." },
  "bad-pattern": {
    cause: "A pattern has an anchor or an operator where none can be, or a key that is almost an anchor.",
    fix: "The message has path and reason.",
  },
  "bad-pod-security": {
    cause: "A level, version or exclusion of the Pod Security Standards is unknown.",
    fix: "Take one of those that the message names.",
  },
  "bad-reference": {
    cause: "A `$(…)` of a pattern leads nowhere.",
    fix: "Paths start at the reference: `$(./../other)`.",
  },
  "bare-literal": {
    cause: "A word in an expression is read as a field of that name.",
    fix: "Write literals between backticks.",
  },
  "broken-template": {
    cause: "A `{{ … }}` does not end, or is empty.",
    fix: "Close it; `\\{{` writes the characters themselves.",
  },
  "conflicting-mutation": {
    cause: "Two rules write one field differently; the later one wins.",
    fix: "Take one of them away, or make their conditions exclude each other.",
  },
  "declared-later": { cause: "A context entry uses one that comes after it.", fix: "Move the other one up." },
  "deprecated-operator": {
    cause: "An operator is one that Kyverno has deprecated. It works.",
    fix: "Take the operator of the hint.",
  },
  "element-outside-foreach": {
    cause: "`element` is used outside `foreach`.",
    fix: "Use `request.object`, or move the expression into the loop.",
  },
  "empty-call": {
    cause: "A context entry `apiCall` has neither `urlPath` nor `service`.",
    fix: "Give it one.",
  },
  "empty-foreach": {
    cause: "An entry of `foreach` checks or changes nothing.",
    fix: "Give it a pattern, conditions or a patch.",
  },
  "empty-mutate": {
    cause: "A mutate rule has no patch.",
    fix: "Give it `patchStrategicMerge`, `patchesJson6902` or `foreach`.",
  },
  "impossible-path": {
    cause: "The path of a JSON patch can never exist.",
    fix: "The hint has the path that is probably meant.",
  },
  "left-out": {
    cause: "A bundle was made without a part of the engine that a policy needs.",
    fix: "Make the bundle again, from all its policies.",
  },
  "ineffective-conditions": {
    cause: "Conditions have no effect as they are written.",
    fix: "The hint says how they would.",
  },
  "lost-target": {
    cause:
      "`target` is read where no target is: outside `mutate.targets`, in the name of one, or in an autogen rule.",
    fix: "Use `request.object`; for an autogen rule, set the annotation of the hint.",
  },
  "missing-kind": { cause: "A target of a mutation has no kind.", fix: "Name `apiVersion` and `kind`." },
  "unfound-targets": {
    cause: "Resource rules of targets find nothing: they have wildcards, or too many combinations.",
    fix: "Name group, version, resource and subresource of each kind of target.",
  },
  "missing-name": { cause: "A context entry has no name.", fix: "Name it: rules read it as `{{ NAME }}`." },
  "missing-path": {
    cause: "An image extractor has no path.",
    fix: "Write one, such as `/spec/steps/*/image`.",
  },
  "missing-reference": {
    cause: "A context entry does not name the object or image that it reads, or has no value.",
    fix: "Name it, also by a variable; or delete the entry.",
  },
  "never-matches": {
    cause: "A pattern of `verifyImages` is the text of no image, or all its images are left out.",
    fix:
      "Write registry, path and tag as the hint does: images are matched with the default registry and tag filled in.",
  },
  "never-passes": {
    cause: "No signature can satisfy an entry or an attestor, so its images are always refused.",
    fix: "The message says what stands against it, the hint what to write instead.",
  },
  "not-evaluated": {
    cause: "The kind is not evaluated by this command.",
    fix: "Policies that delete work in a cluster: `serve --watch-policies`.",
  },
  "not-yet": { cause: "A feature of the kind is not supported here.", fix: "The hint says what is." },
  "reserved-name": {
    cause: "A context entry has the name of a value that the request gives. Kyverno's webhook refuses it.",
    fix: "Give it another name.",
  },
  "unknown-context": {
    cause: "A context entry has no supported kind.",
    fix: "Take one that the message names.",
  },
  "unknown-function": {
    cause: "There is no JMESPath function of that name.",
    fix: "Take the one of the hint; `postern jp function` lists all.",
  },
  "unknown-operator": {
    cause: "There is no operator of that name.",
    fix: "Take the one of the hint. Upper and lower case count.",
  },
  "unknown-variable": {
    cause: "Nothing declares a variable, or a request has no such field.",
    fix: "Declare it in the rule's `context`, or take the spelling of the hint.",
  },
  "variable-in-match": {
    cause: "`match` or `exclude` has a variable.",
    fix: "Use `preconditions` for what depends on the request.",
  },
  "variable-in-path": {
    cause: "The path of a JSON patch has a variable.",
    fix: "Move the patch into `mutate.foreach`, or use `patchStrategicMerge`.",
  },
} satisfies Readonly<Record<string, CodeNote>>;

/** Codes about tests and runs of commands. */
const runs = {
  "duplicate-resource": {
    cause: "A test has two objects of one name; the first counts.",
    fix: "Rename one.",
  },
  "unknown-result": {
    cause: "A test expects a result that policies do not have.",
    fix: "Write one of those that the message names.",
  },
  "unknown-policy": {
    cause: "A test names a policy that its files do not have.",
    fix: "Check its name and `policies`.",
  },
  "unknown-rule": { cause: "A test names a rule that its policy does not have.", fix: "Check its name." },
  "unknown-resource": {
    cause: "A test names an object that its files do not have.",
    fix: "Check its name and `resources`.",
  },
  "empty-check": { cause: "A check of a test is about no result.", fix: "Check its `match`." },
  "empty-test": {
    cause: "A test has no result that is about any object.",
    fix: "Check the names of policies, rules and resources in `results`.",
  },
  "invalid-policy": {
    cause: "A test expects results of a policy that cannot be used.",
    fix: "`postern lint` says what is wrong with the policy.",
  },
  "missing-field": {
    cause: "An entry of a test lacks a field.",
    fix: "Give it the field that the message names.",
  },
  "not-a-test": {
    cause: "A document of a test file is no Test.",
    fix: "Write `apiVersion: cli.kyverno.io/v1alpha1` and `kind: Test`; `postern fix test` does.",
  },
  "not-applied": {
    cause: "A test expects a result where the policy or rule has none.",
    fix: "`postern explain` says why it does not apply.",
  },
  "not-compared": {
    cause: "An expected object was compared with nothing, so the entry proves nothing.",
    fix: "Check the file that the message names.",
  },
  "unknown-operation": {
    cause: "A test or a filter names an operation that no admission request has.",
    fix: "Write one of those that the message names.",
  },
  "ignored-value": {
    cause:
      "A value for variables does not count: one of `--set` that cannot be read, or an operation for a policy in CEL.",
    fix: "The message says why. `globalValues` of a values file gives operations to all kinds of policies.",
  },
  "not-loaded": {
    cause: "A rule reads a ConfigMap, the user or another value from outside, which the command has not.",
    fix:
      "Give the value, or the objects of the cluster: what reads a missing value may pass or fail by chance.",
  },
  "no-review": {
    cause: "A document is no AdmissionReview.",
    fix: "Give the review as the API server sends it, with `request`.",
  },
  "nothing-checked": {
    cause: "A run had nothing to check, and must not look like a success.",
    fix: "Name objects that the policies are about.",
  },
  "unsupported-payload": {
    cause: "A test has a payload of HTTP or Envoy requests.",
    fix: "Those policies belong to Kyverno's authorization server.",
  },
} satisfies Readonly<Record<string, CodeNote>>;

/** The name of a problem in a document, a file or a run, for searching and for tests. */
export type DiagnosticCode = keyof typeof files | keyof typeof shape | keyof typeof rules | keyof typeof runs;

/** Every code of a diagnostic, with its meaning: `docs/diagnostics.md` is made from it. */
export const codeNotes: Readonly<Record<string, Readonly<Record<string, CodeNote>>>> = {
  "Files and documents": files,
  "The shape of a policy": shape,
  "What a rule says": rules,
  "Tests and commands": runs,
};
