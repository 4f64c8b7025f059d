import type { CodeNote } from "./code_note.ts";

/** Codes about the shape of a policy. */
export const shapeCodes = {
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
