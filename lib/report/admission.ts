import {
  type Decision,
  isDeniedByMutation,
  isFailOrError,
  type PolicyIdentity,
  type PolicyResult,
  type RuleResult,
} from "../engine/mod.ts";
import { asString, type Fault, isFault, type JsonObject, setField } from "../json/mod.ts";
import { encodeBase64Text } from "../kube/mod.ts";
import { type LongNumbers, patchText } from "../patch/mod.ts";
import { goYaml } from "../yaml/mod.ts";
import { AnswerRoom } from "./answer_room.ts";

/** The `response` of an AdmissionReview. */
export interface AdmissionResponse {
  readonly uid: string;
  readonly allowed: boolean;
  readonly status?: { readonly status: "Failure"; readonly message: string; readonly code: number };
  readonly warnings?: readonly string[];
  /** Base64 of a JSON patch. */
  readonly patch?: string;
  readonly patchType?: "JSONPatch";
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/** The names of the object that a request is about, for messages. */
interface ReviewedResource {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** Makes the admission response of a decision. */
export function admissionResponse(decision: Decision, request: ReviewedResource): AdmissionResponse;
/** The same with the digits of the request's long numbers; a fault when its patch would change such a number. */
export function admissionResponse(
  decision: Decision,
  request: ReviewedResource,
  longNumbers: LongNumbers | undefined,
): AdmissionResponse | Fault;
export function admissionResponse(
  decision: Decision,
  request: ReviewedResource,
  longNumbers?: LongNumbers,
): AdmissionResponse | Fault {
  const { uid, allowed, results, patch } = decision;
  const response: Writable<AdmissionResponse> = { uid, allowed };
  const warnings = warningsOf(allowed ? results : warnedBesideDenial(decision));
  if (warnings.length > 0) response.warnings = warnings;
  if (allowed) {
    if (patch.length > 0) {
      const text = patchText(patch, longNumbers);
      if (isFault(text)) return text;
      response.patch = encodeBase64Text(text);
      response.patchType = "JSONPatch";
    }
  } else {
    response.status = { status: "Failure", message: denialMessage(decision, request), code: 400 };
  }
  const annotations = auditAnnotations(results);
  if (annotations !== undefined) response.auditAnnotations = annotations;
  return response;
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The message for the user of a denied request: the policies and rules that denied it, with their messages. */
export function denialMessage(
  decision: Decision,
  request: ReviewedResource,
): string {
  return isDeniedByMutation(decision) ? mutationDenial(decision, request) : blockedMessage(decision, request);
}

/**
 * The message that names the rules of a denial. Kyverno parity: it names every rule that did not pass or skip, of every
 * evaluated policy that is enforced, and of audited policies that verify images. Pinned by "a denial names the object,
 * and every rule that did not pass, by policy".
 */
function blockedMessage(
  { results, denying }: Decision,
  { kind, namespace, name }: ReviewedResource,
): string {
  const blocked: { [policy: string]: JsonObject } = {};
  const lines: string[] = [];
  const room = new AnswerRoom();
  const denyingRules = new Set(denying.map(({ rule }) => rule));
  for (const { policy, rules } of results) {
    let messages: { [rule: string]: string } | undefined;
    for (const rule of rules) {
      const isAudited = policy.language === "cel" && rule.action !== "Enforce";
      const isNamed = denyingRules.has(rule) || !isAudited && isBlocking(rule) && isFailOrError(rule);
      if (!isNamed || !room.takesMore()) continue;
      if (policy.language === "cel") lines.push(room.fit(celMessage(policy, rule)));
      else setField(messages ??= {}, rule.rule, room.fit(rule.message));
    }
    if (messages !== undefined) setField(blocked, policy.name, messages);
  }
  const inCel = lines.join("; ");
  if (Object.keys(blocked).length === 0) return inCel;
  return `${inCel}\n\nresource ${kind}/${namespace}/${name} was blocked due to the following policies \n\n${
    goYaml(blocked)
  }`;
}

/**
 * Kyverno parity: each failure of a CEL policy has one line, those of admission policies in the API server's words.
 * Pinned by tests/report/admission_test.ts.
 */
function celMessage(
  { kind, name }: PolicyIdentity,
  { result, message, properties }: RuleResult,
  as: "denial" | "warning" = "denial",
): string {
  if (kind === "ValidatingAdmissionPolicy") {
    const binding = asString(properties?.["binding"]);
    const source = `${kind} '${name}'${binding === undefined ? "" : ` with binding '${binding}'`}`;
    return as === "denial"
      ? `${source} denied request: ${message}`
      : `Validation failed for ${source}: ${message}`;
  }
  return `Policy ${name} ${result === "fail" ? "failed" : "error"}: ${message}`;
}

function mutationDenial(
  { denying }: Decision,
  { kind, namespace, name }: ReviewedResource,
): string {
  const policy = denying[0]!.policy;
  const room = new AnswerRoom();
  const errors = denying.filter((each) => each.policy === policy && room.takesMore()).map(({ rule }) => rule);
  if (policy.language === "cel") {
    const errorTexts = errors.map((rule) => room.fit(`Policy ${policy.name}: ${rule.message}`)).join(" ");
    return `Resource: ${namespace}/${name}, Kind: ${kind}, Errors: [${errorTexts}]`;
  }
  const list = errors.map((rule) => room.fit(`${rule.rule}: ${rule.message}`)).join(" ");
  return `mutation policy ${policy.name} error: failed to apply policy ${policy.name} rules [${list}]`;
}

/**
 * The results of which the user of a denied request is warned. Kyverno parity: those of policies in CEL, and none when
 * a mutation failed. Pinned by "a denied request has a status, and the warnings of policies in CEL".
 */
function warnedBesideDenial(decision: Decision): readonly PolicyResult[] {
  if (isDeniedByMutation(decision)) return [];
  return decision.results.filter(({ policy }) => policy.language === "cel");
}

function warningsOf(results: readonly PolicyResult[]): readonly string[] {
  const warnings: string[] = [];
  const room = new AnswerRoom();
  for (const { policy, rules } of results) {
    for (const rule of rules) {
      const warning = warningOf(policy, rule);
      if (warning !== undefined && room.takesMore()) warnings.push(room.fit(warning));
    }
  }
  return warnings;
}

/** The warning about a result; `undefined` when there is none. */
function warningOf(policy: PolicyIdentity, rule: RuleResult): string | undefined {
  if (policy.language === "cel") {
    const warns = policy.emitWarning && isFailOrError(rule) && !isIgnored(policy, rule);
    return warns ? celMessage(policy, rule, "warning") : undefined;
  }
  const warns = isFailOrError(rule) || rule.result === "skip" && rule.warns ||
    rule.type === "mutate" && policy.emitWarning && rule.result !== "skip";
  return warns ? `policy ${policy.name}.${rule.rule}: ${rule.message}` : undefined;
}

/**
 * Whether an error counts as if the policy had not been evaluated. Kubernetes parity: the API server warns of no such
 * error of its policies; Kyverno warns of those of its own. Pinned by "an ignored error of an admission policy gives no
 * warning".
 */
function isIgnored({ kind, failurePolicy }: PolicyIdentity, { result }: RuleResult): boolean {
  return kind === "ValidatingAdmissionPolicy" && result === "error" && failurePolicy === "Ignore";
}

function isBlocking({ type, action }: RuleResult): boolean {
  if (type === "mutate") return false;
  return action === "Enforce" || type === "verifyImages" || type === "checkImages";
}

function auditAnnotations(results: readonly PolicyResult[]): Record<string, string> | undefined {
  let found: [string, string][] | undefined;
  const room = new AnswerRoom();
  for (const { rules } of results) {
    for (const { auditAnnotations } of rules) {
      if (auditAnnotations === undefined) continue;
      for (const [name, value] of Object.entries(auditAnnotations)) {
        if (room.takesMore()) (found ??= []).push([name, room.fit(value)]);
      }
    }
  }
  return found && Object.fromEntries(found);
}

/** The AdmissionReview with the response. The API server requires the apiVersion and kind of its request. */
export function admissionReview(response: AdmissionResponse): JsonObject {
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: response as unknown as JsonObject,
  };
}
