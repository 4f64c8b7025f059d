import { didYouMean, type PathDiagnostic, replacing } from "../diagnostics/mod.ts";
import { expressionHint, kyvernoFunctions, wrongArity } from "../jmespath/mod.ts";
import type { DocumentPath } from "../json/mod.ts";
import type { Rule } from "../policy/mod.ts";
import { namesWithin, type RuleBody } from "../rules/mod.ts";
import { requestVariables, type Use } from "../template/mod.ts";

/** The rule with the names that it declares, and the position of the checked template in it. */
export interface VariableCheckOptions {
  readonly rule: Rule<RuleBody>;
  /** The path of the template's document below the rule. */
  readonly path: DocumentPath;
  /** Whether the policy also runs in background scans, which have no user. */
  readonly withoutUser: boolean;
}

/** The names that a rule can read without a declaration; some only in loops, targets or rules about images. */
const predefined = [...requestVariables, "image", "element", "elementIndex", "target"];

/** Those that come from the user. */
const accountNames = ["serviceAccountName", "serviceAccountNamespace"];

/** Those that are literals in other languages. */
const literalNames = ["null", "true", "false"];

/** The fields of an AdmissionRequest, and those that Kyverno adds. */
const requestFields = [
  "uid",
  "kind",
  "resource",
  "subResource",
  "requestKind",
  "requestResource",
  "requestSubResource",
  "name",
  "namespace",
  "operation",
  "userInfo",
  "roles",
  "clusterRoles",
  "object",
  "oldObject",
  "dryRun",
  "options",
];

/**
 * The problems of a template's variables: unknown names, bad expressions, and names that are not available at this
 * position.
 */
export function variableProblems(uses: readonly Use[], setting: VariableCheckOptions): PathDiagnostic[] {
  return uses.flatMap((use) => problemsOf(use, setting));
}

function problemsOf(use: Use, setting: VariableCheckOptions): PathDiagnostic[] {
  const { withoutUser } = setting, path = [...setting.path, ...use.path];
  if (use.problem !== undefined) {
    return [{
      severity: "error",
      code: "bad-expression",
      message: `"${use.expression}": ${use.problem.message}`,
      ...hinting(expressionHint(use.expression)),
      path,
    }];
  }
  const declared = [...setting.rule.context.map(({ name }) => name), ...namesWithin(setting.rule.body)];
  return [
    ...use.names.flatMap((name) => problemsOfName(name, use, { ...setting, path, declared })),
    ...constantProblems(use, { path, withoutUser }),
    ...functionProblems(use, path),
  ];
}

/** The problems of a name that an expression reads; `path` is that of the expression. */
function problemsOfName(
  name: string,
  use: Use,
  { rule, path, withoutUser, declared }: VariableCheckOptions & {
    readonly path: (string | number)[];
    /** The names that the rule declares. */
    readonly declared: readonly string[];
  },
): PathDiagnostic[] {
  const base = name.replace(/^(element|elementIndex)\d+$/, "$1"), isDeclared = declared.includes(name);
  if ((base === "element" || base === "elementIndex") && !isDeclared && !isInLoop(rule, path)) {
    const message = `"${name}" exists only inside foreach`;
    return [{ severity: "error", code: "element-outside-foreach", message, path }];
  }
  if (base === "request") return requestProblems(use, { path, withoutUser });
  if (withoutUser && accountNames.includes(name)) return [absentUser(use, name, path)];
  if (name === "target" && !isDeclared && !hasTarget(rule, path)) return [withoutTarget(use, { rule, path })];
  if (name === "" || predefined.includes(base)) return [];
  if (isDeclared) return isDeclaredLater(name, rule, path) ? [declaredLater(name, path)] : [];
  if (literalNames.includes(name)) return [literalName(name, path)];
  return [unknownName(name, { candidates: [...predefined, ...declared], use, path })];
}

/** A validate rule with loops is evaluated inside them, its message too. */
function isInLoop({ body }: Rule<RuleBody>, path: (string | number)[]): boolean {
  return path.includes("foreach") || path[0] === "validate" && body.kind === "foreach";
}

/**
 * Kyverno parity: a policy with a variable that reads nothing is refused, such as `{{ 'text' }}`. Pinned by "a variable
 * that reads nothing".
 */
function constantProblems(
  { names, expression }: Use,
  { path, withoutUser }: { path: (string | number)[]; withoutUser: boolean },
): PathDiagnostic[] {
  if (!names.every((name) => literalNames.includes(name)) || expression.includes("{{")) return [];
  // The texts by which Kyverno takes an expression for one that reads something.
  const reading = withoutUser
    ? /request\.|element|@|image[s.]|[a-z_0-9]\([^{}]/
    : /request|serviceAccountName|element|@|image|[a-z_0-9]\([^{}]/;
  if (reading.test(expression.replaceAll('"', ""))) return [];
  const message = `"{{ ${expression} }}" is a constant`;
  return [{ severity: "warning", code: "constant-variable", message, hint: "write its value", path }];
}

/** A rule reads its targets where it changes them, and in their conditions; their names come before them. */
function hasTarget({ body }: Rule<RuleBody>, [section, field, , name]: (string | number)[]): boolean {
  if (body.kind !== "mutateExisting") return false;
  const isName = section === "mutate" && field === "targets" &&
    ["apiVersion", "kind", "name", "namespace"].includes(`${name}`);
  return !isName;
}

/** Kyverno parity: such a policy is refused. Pinned by "a target where a rule has none". */
function withoutTarget(
  use: Use,
  { rule, path }: { readonly rule: Rule<RuleBody>; readonly path: (string | number)[] },
): PathDiagnostic {
  return {
    severity: severityOf(use),
    code: "lost-target",
    message:
      `Cannot resolve "target" of "{{ ${use.expression} }}": the rule ${rule.name} has no target there`,
    hint: "read request.object, or change the rule to mutate.targets",
    path,
  };
}

function hinting(hint: string | undefined): { readonly hint?: string } {
  return hint === undefined ? {} : { hint };
}

/** Whether a context entry uses a name that only this entry or later ones declare. */
function isDeclaredLater(name: string, { context }: Rule, [block, index]: (string | number)[]): boolean {
  if (block !== "context" || typeof index !== "number") return false;
  const first = context.findIndex((entry) => entry.name === name);
  return first >= index;
}

function declaredLater(name: string, path: (string | number)[]): PathDiagnostic {
  return {
    severity: "error",
    code: "declared-later",
    message: `"${name}" is declared later: an entry reads only those before it`,
    hint: `move the entry "${name}" up`,
    path,
  };
}

const functions = kyvernoFunctions();

/** Calls of functions that do not exist, or with too few or too many arguments. Kyverno reports them when they run. */
function functionProblems(
  { expression, functions: called, calls }: Use,
  path: (string | number)[],
): PathDiagnostic[] {
  return [
    ...called.filter((name) => !functions.has(name)).map((name) => unknownFunction(name, expression, path)),
    ...calls.flatMap(({ name, count }): PathDiagnostic[] => {
      const record = functions.get(name);
      if (record === undefined || wrongArity(record, count) === undefined) return [];
      const parameters = record.parameters.map((parameter) => parameter.name).join(", ");
      return [{
        severity: "warning",
        code: "bad-expression",
        message: `"${expression}": ${name} is called with ${count} ${
          count === 1 ? "argument" : "arguments"
        }, so the rule ends with an error`,
        hint: `write ${name}(${parameters}); \`jp function ${name}\` has examples`,
        path,
      }];
    }),
  ];
}

function unknownFunction(name: string, expression: string, path: (string | number)[]): PathDiagnostic {
  const meant = didYouMean(name, functions.keys());
  return {
    severity: "error",
    code: "unknown-function",
    message: `"${expression}": there is no function ${name}`,
    hint: meant === undefined ? "`jp function` lists all functions" : `did you mean ${meant}?`,
    ...replacing(name, meant),
    path,
  };
}

/**
 * In JMESPath a bare `null` is a key of that name, which is never present. The result is often what the author meant,
 * but by accident.
 */
function literalName(name: string, path: (string | number)[]): PathDiagnostic {
  const message = `"${name}" is read as a key of that name`;
  return {
    severity: "warning",
    code: "bare-literal",
    message,
    hint: `write \`${name}\` between backticks`,
    path,
  };
}

function requestProblems(
  use: Use,
  { path, withoutUser }: { path: (string | number)[]; withoutUser: boolean },
): PathDiagnostic[] {
  const fields = new Set(
    use.paths.filter(([root, field]) => root === "request" && field !== undefined).map(([, field]) => field!),
  );
  return [...fields].flatMap((field): PathDiagnostic[] => {
    if (withoutUser && ["userInfo", "roles", "clusterRoles"].includes(field)) {
      return [absentUser(use, `request.${field}`, path)];
    }
    if (requestFields.includes(field) || field === "[]") return [];
    return [
      unknownField(field, use.expression, path),
    ];
  });
}

/** A value of the user, whom a background scan does not have. */
function absentUser({ expression }: Use, name: string, path: (string | number)[]): PathDiagnostic {
  return {
    severity: "warning",
    code: "background-variable",
    message: `variable {{${expression}}} is not allowed: "${name}" has no value in background scans`,
    hint: "set spec.background to false",
    path,
  };
}

function unknownName(
  name: string,
  { candidates, use, path }: {
    candidates: readonly string[];
    use: Use;
    path: (string | number)[];
  },
): PathDiagnostic {
  const { expression } = use, meant = didYouMean(name, candidates);
  const others = expression.includes(JSON.stringify(name))
    ? `a text has single quotes: '${name}'; what stands in double quotes is the name of a variable`
    : `declare it in the rule's context, or use one of ${candidates.join(", ")}`;
  return {
    severity: severityOf(use),
    code: "unknown-variable",
    message: `Cannot resolve "${name}" of "{{ ${expression} }}"`,
    hint: meant === undefined ? others : `did you mean "${meant}"?`,
    ...replacing(name, meant),
    path,
  };
}

/**
 * Kyverno parity: a policy whose expression calls a function is accepted whatever it names, and what is missing is
 * null: `{{ to_string(later) }}` is `null` until a rule declares `later`; pinned by "an unknown name in a function as a
 * warning".
 */
function severityOf({ functions }: Use): "warning" | "error" {
  return functions.length > 0 ? "warning" : "error";
}

/**
 * An unknown field of the request is an error when it resembles one that exists. Any other is only a warning, because
 * the command line may give it.
 */
function unknownField(field: string, expression: string, path: (string | number)[]): PathDiagnostic {
  const meant = didYouMean(field, requestFields);
  return {
    severity: meant === undefined ? "warning" : "error",
    code: "unknown-variable",
    message: `Cannot resolve "request.${field}" of "{{ ${expression} }}"`,
    hint: meant === undefined
      ? `an admission request has ${requestFields.join(", ")}`
      : `did you mean "request.${meant}"?`,
    ...replacing(`request.${field}`, meant && `request.${meant}`),
    path,
  };
}
