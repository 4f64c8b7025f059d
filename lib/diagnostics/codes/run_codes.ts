import type { CodeNote } from "./code_note.ts";

/** Codes about tests and runs of commands. */
export const runCodes = {
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
  "unusable-answer": {
    cause: "A test gives an answer of a service, or a global context entry, that cannot be used.",
    fix: "The message says why.",
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
    cause: "A test names an operation that no admission request has.",
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
