import { planErrorsOf } from "../../rules/mod.ts";
import { type Applied, faultyPolicies } from "../../apply/mod.ts";
import type { RuleResult, Snapshot } from "../../engine/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { nameOf, namespaceOf } from "../../kube/mod.ts";
import { type ReportedResult, reportedResult, type ReportSummary } from "../../report/mod.ts";
import { toYaml } from "../../yaml/mod.ts";

/** What the text of `apply` depends on. */
export interface TextOptions {
  readonly auditWarn: boolean;
  /** Whether changed and generated objects are printed: not when they are written to files. */
  readonly objects: boolean;
}

const divider = "-".repeat(70);

/**
 * `Applying 3 policy rule(s) to 2 resource(s)...` Kyverno parity: autogen rules count. Pinned by
 * tests/cli/apply_test.ts.
 */
export function startText(
  { written }: Snapshot,
  { resources, exceptions }: { readonly resources: number | undefined; readonly exceptions: number },
): string {
  const rules = written.reduce((sum, { rules }) => sum + Math.max(1, rules.length), 0);
  const to = resources === undefined ? "resources as they are read" : `${resources} resource(s)`;
  const besides = exceptions === 0 ? "" : ` with ${exceptions} exception(s)`;
  return `\nApplying ${rules} policy rule(s) to ${to}${besides}...`;
}

/** The policies with errors, framed; empty when there are none. */
export function skippedText(snapshot: Snapshot): string {
  const faulty = faultyPolicies(snapshot);
  if (faulty.length === 0) return "";
  const lines = faulty.map(({ key, message }, index) => `${index + 1}. ${key}: ${message}`);
  return [divider, "Policies Skipped:", ...lines, divider].join("\n");
}

/** What became of one object: changed and generated objects, then failures, then errors. Empty when all is well. */
export function objectText(applied: Applied, options: TextOptions): string {
  const changes = options.objects ? changesText(applied) : [];
  return [...changes, ...applied.results.flatMap((result) => resultLines(result, options))].join("\n");
}

function changesText({ resource, steps, changed, targets, generated }: Applied): string[] {
  const path = pathOf(resource);
  const lines: string[] = [];
  if (changed) {
    for (const { policy, rules, object } of steps) {
      const isMutation = rules.some(({ type, result }) => type === "mutate" && result === "pass");
      if (!isMutation || object === undefined) continue;
      lines.push(
        `\npolicy ${policy.name} applied to ${path}:\n${toYaml(object)}---`,
        "\n\nMutation:\nMutation has been applied successfully.",
      );
    }
  }
  if (targets.length > 0) {
    lines.push(
      "patched targets: ",
      ...targets.map((target) => `\n${toYaml(target)}---`),
    );
  }
  for (const object of generated) {
    lines.push(`\n${toYaml(object)}---`, "\n\nGenerate:\nGeneration completed successfully.");
  }
  return lines;
}

function resultLines({ policy, resource, rules }: ReportedResult, { auditWarn }: TextOptions): string[] {
  if (rules.every((rule) => rule.result === "pass" && planErrorsOf(rule).length === 0)) return [];
  const path = pathOf(resource);
  const lines: string[] = [];
  for (const rule of rules) lines.push(...effectLines(rule, { policy: policy.name, path }));
  const judged = rules.filter(({ type }) => type === "validate" || type === "verifyImages");
  const failed = judged.filter(({ result }) => result === "fail");
  if (failed.length > 0) {
    const isWarning = auditWarn &&
      failed.every((rule) => reportedResult(policy, rule, { auditWarn }) === "warn");
    const how = isWarning ? "failed as audit warning" : "failed";
    lines.push(`policy ${policy.name} -> resource ${path} ${how}:`, ...failed.map(numbered));
  }
  const errors = judged.filter(({ result }) => result === "error");
  if (errors.length > 0) {
    lines.push(`policy ${policy.name} -> resource ${path} error:`, ...errors.map(numbered));
  }
  return lines;
}

function numbered({ rule, message }: RuleResult, index: number): string {
  return `${index + 1} - ${rule} ${message || "validation failed"}`;
}

/** What mutations and generations say beside their objects. */
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
    lines.push(`\nerror while applying ${what} policy ${policy} -> resource ${path} \nerror: ${message}`);
  }
  return lines;
}

/** `namespace/Kind/name`, where the namespace may be empty; of what is no Kubernetes object, that. */
function pathOf(resource: JsonObject): string {
  const kind = typeof resource["kind"] === "string" ? resource["kind"] : "";
  const path = [namespaceOf(resource), kind, nameOf(resource)].join("/");
  return path === "//" ? "JSON payload" : path;
}

/** The last line. */
export function summaryText({ pass, fail, warn, error, skip }: ReportSummary): string {
  return `\npass: ${pass}, fail: ${fail}, warn: ${warn}, error: ${error}, skip: ${skip} `;
}
