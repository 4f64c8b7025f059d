import { type Diagnostic, withPosition } from "../diagnostics/mod.ts";
import {
  asList,
  asString,
  asTexts,
  dig,
  type DocumentPath,
  field,
  isGiven,
  type Json,
  textField,
} from "../json/mod.ts";
import { nameOf } from "../kube/mod.ts";
import type { LocatedDocument } from "../policy/mod.ts";

type Report = (path: DocumentPath, message: string) => void;

/**
 * The problems for which the API server refuses admission policies and their bindings, besides expressions that do
 * not compile. Source: the validation of admissionregistration.k8s.io/v1 in Kubernetes 1.34.
 */
export function admissionPolicyProblems({ kind, group, document, locate }: LocatedDocument): Diagnostic[] {
  if (group !== "admissionregistration.k8s.io") return [];
  const problems: Diagnostic[] = [];
  const policy = nameOf(document);
  const report: Report = (path, message) => {
    const problem = { severity: "error", code: "refused-by-api-server", message, policy } as const;
    problems.push(withPosition({ ...problem, path: ["spec", ...path] }, locate));
  };
  const spec = field(document, "spec") ?? null;
  if (kind.endsWith("Binding")) checkBinding(kind, spec, report);
  else {
    checkParamKind(spec, report);
    checkNamed(
      spec,
      { list: "matchConditions", valid: isQualifiedName, what: "a qualified name", most: 64 },
      report,
    );
    checkNamed(spec, { list: "variables", valid: isIdentifier, what: "an identifier of CEL" }, report);
    if (kind === "ValidatingAdmissionPolicy") {
      checkValidations(spec, report);
      checkAuditAnnotations(spec, report);
    } else checkOperations(spec, report);
    checkLengths(spec, [], report);
  }
  return problems;
}

/** The most characters of an expression that CEL's parser accepts. */
const longestExpression = 100_000;
const longestAnnotation = 5 * 1024;
const expressionFields: readonly string[] = ["expression", "messageExpression", "valueExpression"];

function checkLengths(value: Json, path: DocumentPath, report: Report): void {
  if (typeof value === "string") {
    const isExpression = expressionFields.includes(String(path.at(-1)));
    if (isExpression && value.length > longestExpression) {
      report(path, `The expression has ${value.length} characters; ${longestExpression} are allowed`);
    }
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => checkLengths(item, [...path, index], report));
  } else if (value !== null && typeof value === "object") {
    for (const [key, item] of Object.entries(value)) checkLengths(item, [...path, key], report);
  }
}

function checkParamKind(spec: Json, report: Report): void {
  const paramKind = field(spec, "paramKind");
  if (!isGiven(paramKind)) return;
  for (const name of ["apiVersion", "kind"]) {
    if (!asString(field(paramKind, name))) report(["paramKind"], `paramKind needs ${name}`);
  }
}

function checkOperations(spec: Json, report: Report): void {
  const at = ["matchConstraints", "resourceRules"];
  asList(dig(spec, ...at)).forEach((rule, index) => {
    if (!asTexts(field(rule, "operations")).includes("DELETE")) return;
    report([...at, index, "operations"], "A policy that changes objects cannot be about DELETE");
  });
}

/** A list of named expressions, and what their names may be. */
interface NamedList {
  readonly list: string;
  readonly valid: (name: string) => boolean;
  /** The valid names, in words for messages. */
  readonly what: string;
  /** The most entries; any number when absent. */
  readonly most?: number;
}

function checkNamed(spec: Json, { list, valid, what, most }: NamedList, report: Report): void {
  const entries = asList(field(spec, list));
  if (most !== undefined && entries.length > most) {
    report([list], `${list} has ${entries.length} entries; ${most} are allowed`);
  }
  const seen = new Set<string>();
  entries.forEach((entry, index) => {
    const name = textField(entry, "name");
    if (!valid(name)) report([list, index, "name"], `${JSON.stringify(name)} is not ${what}`);
    if (seen.has(name)) {
      report([list, index, "name"], `The name ${JSON.stringify(name)} occurs twice in ${list}`);
    }
    seen.add(name);
    if (!asString(field(entry, "expression"))?.trim()) {
      report([list, index], `${list}[${index}] needs an expression`);
    }
  });
}

const reasons: readonly string[] = ["Unauthorized", "Forbidden", "Invalid", "RequestEntityTooLarge"];

function checkValidations(spec: Json, report: Report): void {
  const validations = asList(field(spec, "validations"));
  if (validations.length === 0 && asList(field(spec, "auditAnnotations")).length === 0) {
    report([], "The policy needs validations or auditAnnotations");
  }
  validations.forEach((validation, index) => {
    const text = (name: string): string => textField(validation, name);
    const at = (name: string): DocumentPath => ["validations", index, name];
    if (text("expression").trim() === "") {
      report(["validations", index], `validations[${index}] needs an expression`);
    }
    if (/[\r\n]/.test(text("message"))) report(at("message"), "A message must not have line breaks");
    if (text("message") === "" && /[\r\n]/.test(text("expression").trim())) {
      report(at("expression"), "An expression with line breaks needs a message");
    }
    if (text("reason") !== "" && !reasons.includes(text("reason"))) {
      report(at("reason"), `${JSON.stringify(text("reason"))} is none of ${reasons.join(", ")}`);
    }
    if (usesAuthorizer(text("messageExpression"))) {
      report(at("messageExpression"), "A messageExpression has no authorizer");
    }
  });
}

/** Whether an expression reads `authorizer`, apart from string literals. A literal without end takes the rest. */
function usesAuthorizer(expression: string): boolean {
  const code = expression.replace(/"(?:\\[^]|[^"\\])*(?:"|\\?$)|'(?:\\[^]|[^'\\])*(?:'|\\?$)/g, '""');
  return /(?<![.\w])authorizer\b/.test(code);
}

function checkAuditAnnotations(spec: Json, report: Report): void {
  const seen = new Set<string>();
  asList(field(spec, "auditAnnotations")).forEach((annotation, index) => {
    const key = textField(annotation, "key");
    const value = textField(annotation, "valueExpression");
    const at = (name: string): DocumentPath => ["auditAnnotations", index, name];
    if (!namePart.test(key) || key.length > 63) {
      report(at("key"), `${JSON.stringify(key)} is not a key: letters, digits, "-", "_" and ".", 63 at most`);
    }
    if (seen.has(key)) report(at("key"), `The key ${JSON.stringify(key)} occurs twice`);
    seen.add(key);
    if (value.trim() === "") {
      report(["auditAnnotations", index], `auditAnnotations[${index}] needs a valueExpression`);
    }
    if (value.length > longestAnnotation) {
      report(
        at("valueExpression"),
        `The expression has ${value.length} characters; ${longestAnnotation} are allowed`,
      );
    }
  });
}

const actions: readonly string[] = ["Deny", "Warn", "Audit"];

function checkBinding(kind: string, spec: Json, report: Report): void {
  if (!asString(field(spec, "policyName"))) report([], "The binding needs policyName");
  if (kind === "ValidatingAdmissionPolicyBinding") {
    const given = asTexts(field(spec, "validationActions"));
    if (given.length === 0) report([], `The binding needs validationActions: ${actions.join(", ")}`);
    for (const [index, action] of given.entries()) {
      if (!actions.includes(action)) {
        report(["validationActions", index], `${JSON.stringify(action)} is none of ${actions.join(", ")}`);
      }
      if (given.indexOf(action) < index) report(["validationActions", index], `${action} occurs twice`);
    }
    if (given.includes("Deny") && given.includes("Warn")) {
      report(["validationActions"], "Deny and Warn say the same twice: use one of them");
    }
  }
  const paramRef = field(spec, "paramRef");
  if (!isGiven(paramRef)) return;
  const name = textField(paramRef, "name");
  const isSelected = isGiven(field(paramRef, "selector"));
  if ((name !== "") === isSelected) {
    report(["paramRef"], `paramRef needs a name or a selector${isSelected ? ", not both" : ""}`);
  }
  const action = asString(dig(paramRef, "parameterNotFoundAction"));
  if (action !== "Allow" && action !== "Deny") {
    report(["paramRef"], "paramRef needs parameterNotFoundAction: Allow or Deny");
  }
}

const namePart = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

function isIdentifier(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name);
}

/** `name`, or `domain/name`. */
function isQualifiedName(name: string): boolean {
  const parts = name.split("/");
  const [last, domain] = [parts.at(-1)!, parts.length === 2 ? parts[0]! : undefined];
  if (parts.length > 2 || !namePart.test(last) || last.length > 63) return false;
  return domain === undefined ||
    (domain.length <= 253 &&
      /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/.test(domain));
}
