import type { CodeNote } from "./code_note.ts";

/** Codes about the content of a rule. */
export const ruleCodes = {
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
  "constant-variable": {
    cause: "A `{{ … }}` reads nothing, so that Kyverno refuses the policy.",
    fix: "Write its value, or what it should read.",
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
    cause: "`target` is read where no target is: outside `mutate.targets`, or in the name of one.",
    fix: "Use `request.object`.",
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
