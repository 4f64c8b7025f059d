/**
 * Suggestions while typing: fields and values from the schemas, functions in variables, whole policies at the start.
 */
import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  snippetCompletion,
} from "@codemirror/autocomplete";
import { languageNotes } from "./language_notes.ts";
import { schemaAt, typeText, valuesOf } from "./schema.ts";
import { yamlPositionAt } from "./yaml_path.ts";

/** Suggestions for policies and exceptions. */
export function completePolicy(context: CompletionContext): CompletionResult | null {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  return inVariable(context, before) ?? atKey(context, before) ?? atValue(context, before);
}

/** Names that variables begin with. */
const roots: readonly string[] = [
  "request.object",
  "request.oldObject",
  "request.operation",
  "request.namespace",
  "request.userInfo.username",
  "request.roles",
  "request.clusterRoles",
  "serviceAccountName",
  "serviceAccountNamespace",
  "images",
  "element",
  "elementIndex",
];

function inVariable(context: CompletionContext, before: string): CompletionResult | null {
  const begin = before.indexOf("{{", Math.max(0, before.lastIndexOf("}}") - 1));
  if (begin < 0) return null;
  const expression = before.slice(begin + 2);
  const word = /(?<![\w.])[\w.]*$/.exec(expression)![0];
  const functions = languageNotes().functions.map(({ name, signature, summary }): Completion => ({
    label: name,
    apply: `${name}(`,
    type: "function",
    detail: signature.slice(name.length),
    info: summary,
  }));
  const names = roots.map((label): Completion => ({ label, type: "variable" }));
  return { from: context.pos - word.length, options: [...names, ...functions], validFor: /^[\w.]*$/ };
}

function atKey(context: CompletionContext, before: string): CompletionResult | null {
  const [, lead, word] = /^(\s*(?:-\s+)*)([\w.-]*)$/.exec(before) ?? [];
  if (lead === undefined || word === undefined) return null;
  if (word === "" && !context.explicit && !lead.endsWith("- ")) return null;
  const number = context.state.doc.lineAt(context.pos).number - 1;
  const { path, kind } = yamlPositionAt(context.state.doc.toString(), number, lead.length);
  const from = context.pos - word.length;
  const validFor = /^[\w.-]*$/;
  if (kind === "" && path.length === 0) return { from, options: [...beginnings, ...topLevel], validFor };
  const schema = schemaAt(languageNotes().schemas[kind], path);
  const properties = schema?.properties ?? schema?.items?.properties;
  if (properties === undefined) return null;
  const indent = " ".repeat(lead.length + 2);
  const options = Object.entries(properties).map(([label, field]): Completion => {
    const next = field.items === undefined ? `\n${indent}` : `\n${indent}- `;
    const isNested = field.properties !== undefined || field.items?.properties !== undefined;
    return {
      label,
      type: "property",
      detail: typeText(field),
      ...(field.description !== undefined && { info: field.description }),
      apply: isNested ? `${label}:${next}` : `${label}: `,
    };
  });
  return { from, options, validFor };
}

const topLevel: readonly Completion[] = ["apiVersion", "kind", "metadata", "spec"]
  .map((label) => ({ label, type: "property", apply: `${label}: ` }));

function atValue(context: CompletionContext, before: string): CompletionResult | null {
  const [, lead, key, word] = /^(\s*(?:-\s+)*)([\w./-]+):\s+(["']?[\w./-]*)$/.exec(before) ?? [];
  if (lead === undefined || key === undefined || word === undefined) return null;
  const number = context.state.doc.lineAt(context.pos).number - 1;
  const { path, kind } = yamlPositionAt(context.state.doc.toString(), number, lead.length);
  const { schemas, operators } = languageNotes();
  const isCondition = key === "operator" && path.some((step) => /^(pre)?conditions$/i.test(step));
  const values = path.length === 0 && key === "kind" && !(kind in schemas)
    ? Object.keys(schemas)
    : isCondition
    ? operators
    : valuesOf(schemaAt(schemas[kind], [...path, key]));
  if (values.length === 0) return null;
  const options = values.map((label): Completion => ({ label, type: "enum" }));
  return { from: context.pos - word.length, options, validFor: /^["']?[\w./-]*$/ };
}

const beginnings: readonly Completion[] = [
  snippetCompletion(
    `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: \${name}
spec:
  rules:
    - name: \${rule}
      match:
        any:
          - resources:
              kinds: [\${Pod}]
      validate:
        failureAction: Enforce
        message: \${message}
        pattern:
          \${}
`,
    { label: "ClusterPolicy", detail: "validate with a pattern", type: "class", boost: 9 },
  ),
  snippetCompletion(
    `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: \${name}
spec:
  rules:
    - name: \${rule}
      match:
        any:
          - resources:
              kinds: [\${Pod}]
      mutate:
        patchStrategicMerge:
          \${}
`,
    { label: "ClusterPolicy, mutate", detail: "patch objects", type: "class", boost: 8 },
  ),
  snippetCompletion(
    `apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata:
  name: \${name}
spec:
  validationActions: [Deny]
  matchConstraints:
    resourceRules:
      - apiGroups: [""]
        apiVersions: [v1]
        operations: [CREATE, UPDATE]
        resources: [\${pods}]
  validations:
    - expression: \${object.metadata.name != ''}
      message: \${message}
`,
    { label: "ValidatingPolicy", detail: "expressions in CEL", type: "class", boost: 7 },
  ),
];
