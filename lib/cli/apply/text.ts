import { isValidating, planErrorsOf } from "../../rules/mod.ts";
import { type Applied, type AppliedStep, faultyPolicies } from "../../apply/mod.ts";
import type { CompiledPolicy, RuleResult, Snapshot } from "../../engine/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { nameOf, namespaceOf } from "../../kube/mod.ts";
import { type ReportedResult, reportedResult, type ReportSummary } from "../../report/mod.ts";
import { goYaml } from "../../yaml/mod.ts";

/** The options of the text that `apply` prints. */
export interface TextOptions {
  readonly auditWarn: boolean;
  /** Whether to print changed and generated objects; false when they are written to files. */
  readonly objects: boolean;
}

const divider = "-".repeat(70);

/** The numbers of the first line of the text, besides those of the compiled rules. */
export interface StartCounts {
  /** Of cleanup policies, each of which counts as one rule. */
  readonly cleanups: number;
  /** `undefined` when not all are read yet. */
  readonly resources: number | undefined;
  readonly exceptions: number;
}

/**
 * `Applying 3 policy rule(s) to 2 resource(s)...` Kyverno parity: autogen rules count, but a CEL policy counts as one
 * rule. Pinned by tests/cli/kyverno_texts_test.ts.
 */
export function startText(
  { written }: Snapshot,
  { cleanups, resources, exceptions }: StartCounts,
): string {
  const rules = written.reduce((sum, compiled) => sum + countOfRules(compiled), cleanups);
  const to = resources === undefined ? "resources as they are read" : `${resources} resource(s)`;
  const besides = exceptions === 0 ? "" : ` with ${exceptions} exception(s)`;
  return `\nApplying ${rules} policy rule(s) to ${to}${besides}...`;
}

/**
 * The number of rules of a policy. The engine compiles a rule that verifies images twice, once for each phase; here it
 * counts once.
 */
function countOfRules({ policy, rules }: CompiledPolicy): number {
  return policy.language === "cel"
    ? 1
    : Math.max(1, rules.filter(({ type }) => type !== "checkImages").length);
}

/** The framed text that names the policies with errors; empty when there are none. */
export function skippedText(snapshot: Snapshot): string {
  const faulty = faultyPolicies(snapshot);
  if (faulty.length === 0) return "";
  const lines = faulty.map(({ key, message }, index) => `${index + 1}. ${key}: ${message}`);
  return [divider, "Policies Skipped:", ...lines, divider].join("\n");
}

/** A part of the text, without the line break at its end. */
export interface OutputPart {
  readonly text: string;
  /** Whether the part's last line is open. A line break at the beginning of the next part then ends it. */
  readonly isOpen?: true;
}

/**
 * Joins parts. Kyverno parity: Kyverno prints no line break after the note of a mutation or generation, so the blank
 * line at the beginning of most parts is missing there. Unlike Kyverno, Postern puts a part without such a blank line
 * on a new line. Pinned by tests/cli/kyverno_texts_test.ts.
 */
export class OutputText {
  #isOpen = false;

  /** Joins the next parts into one text, without the line break at its end. */
  join(parts: readonly OutputPart[]): string {
    return parts.map(({ text, isOpen = false }) => {
      const shown = this.#isOpen && text.startsWith("\n") ? text.slice(1) : text;
      this.#isOpen = isOpen;
      return shown;
    }).join("\n");
  }
}

/**
 * The text for one object: changed and generated objects, then failures, then errors. It is empty when every rule
 * passed.
 */
export function objectParts(applied: Applied, options: TextOptions): OutputPart[] {
  const lines = applied.results.flatMap((result) => resultLines(result, options));
  return [
    ...applied.steps.flatMap((step) => madeParts(step, pathOf(applied.resource), options)),
    ...lines.map((text) => ({ text })),
  ];
}

/**
 * The objects that a step changed or made. Kyverno parity: a changed target follows the object that is its trigger.
 * Pinned by tests/cli/kyverno_texts_test.ts.
 */
function madeParts(
  { policy, object, changed, targets, generated }: AppliedStep,
  path: string,
  options: TextOptions,
): OutputPart[] {
  const parts: OutputPart[] = [];
  const show = (made: JsonObject): void => {
    if (!options.objects) return;
    parts.push({ text: `\npolicy ${policy.name} applied to ${path}:\n${documentText(made)}` });
  };
  if (object !== undefined && (changed || targets.length > 0)) {
    show(object);
    if (options.objects && targets.length > 0) {
      parts.push({
        text: ["patched targets: ", ...targets.map((each) => `\n${documentText(each)}\n`)].join("\n"),
      });
    }
    parts.push({ text: "\n\nMutation:\nMutation has been applied successfully.", isOpen: true });
  }
  for (const each of generated) {
    show(each);
    parts.push({ text: "\n\nGenerate:\nGeneration completed successfully.", isOpen: true });
  }
  return parts;
}

function documentText(object: JsonObject): string {
  return `${goYaml(object, 4)}\n---`;
}

/** The lines about failures and errors of an object; empty when every rule passed. */
export function failureText(
  results: readonly ReportedResult[],
  options: Pick<TextOptions, "auditWarn">,
): string {
  return results.flatMap((result) => resultLines(result, options)).join("\n");
}

function resultLines(
  { policy, resource, rules }: ReportedResult,
  { auditWarn }: Pick<TextOptions, "auditWarn">,
): string[] {
  if (rules.every((rule) => rule.result === "pass" && planErrorsOf(rule).length === 0)) return [];
  const path = pathOf(resource);
  const lines: string[] = [];
  for (const rule of rules) lines.push(...effectLines(rule, { policy: policy.name, path }));
  const validating = rules.filter(({ type }) => isValidating(type));
  const failed = validating.filter(({ result }) => result === "fail");
  if (failed.length > 0) {
    const isWarning = auditWarn &&
      failed.every((rule) => reportedResult(policy, rule, { auditWarn }) === "warn");
    const how = isWarning ? "failed as audit warning" : "failed";
    lines.push(`policy ${policy.name} -> resource ${path} ${how}:`, ...failed.map(numbered));
  }
  const errors = validating.filter(({ result }) => result === "error");
  if (errors.length > 0) {
    lines.push(`policy ${policy.name} -> resource ${path} error:`, ...errors.map(numbered));
  }
  return lines;
}

function numbered({ rule, message }: RuleResult, index: number): string {
  return `${index + 1} - ${rule} ${message || "validation failed"}`;
}

/** The lines of a mutate or generate rule, apart from the objects that it changed or generated. */
function effectLines(
  applied: RuleResult,
  { policy, path }: { readonly policy: string; readonly path: string },
): string[] {
  const { rule, type, result, message } = applied;
  const isMutation = type === "mutate" || type === "mutateExisting";
  const lines = planErrorsOf(applied).map((cause) =>
    `policy ${policy} -> resource ${path}: ${rule} generates nothing: ${cause}`
  );
  if (isMutation && result === "skip") lines.push(`\nskipped mutate policy ${policy} -> resource ${path}`);
  if ((isMutation || type === "generate") && (result === "error" || result === "fail")) {
    const what = isMutation ? "mutate" : "generate";
    // Kyverno parity: the message of a mutation has one more space before it. Pinned by
    // tests/cli/kyverno_texts_test.ts.
    const space = isMutation ? " " : "";
    lines.push(
      `\nerror while applying ${what} policy ${policy} -> resource ${path} \nerror: ${space}${message}`,
    );
  }
  return lines;
}

/**
 * `namespace/Kind/name`, where the namespace may be empty; for a payload that is no Kubernetes object,
 * a text that says so.
 */
function pathOf(resource: JsonObject): string {
  const kind = typeof resource["kind"] === "string" ? resource["kind"] : "";
  const path = [namespaceOf(resource), kind, nameOf(resource)].join("/");
  return path === "//" ? "JSON payload" : path;
}

/** The last line of the output: the numbers of results. */
export function summaryText({ pass, fail, warn, error, skip }: ReportSummary): string {
  return `\npass: ${pass}, fail: ${fail}, warn: ${warn}, error: ${error}, skip: ${skip} `;
}
