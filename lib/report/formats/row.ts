import { failedPath } from "../../rules/mod.ts";
import type { Position } from "../../diagnostics/mod.ts";
import type { Policy } from "../../policy/mod.ts";
import type { RuleResult } from "../../engine/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import { messageOf, type ReportedResult, reportedResult, type ReportResult } from "../policy_report.ts";
import type { ReportedObject, ReportOptions } from "./format.ts";

/** One result in one level: most formats show these fields. */
export interface ReportRow {
  readonly policy: ReportedResult["policy"];
  /** The name of the rule; empty for policies without named rules. */
  readonly rule: string;
  readonly result: ReportResult;
  readonly message: string;
  readonly resource: JsonObject;
  readonly ruleResult: RuleResult;
  /** The position of the failed part, or of the object. */
  readonly position: Position | undefined;
  /** The position of the rule. */
  readonly rulePosition: Position | undefined;
}

/** Makes a row for each result of an object. */
export function rowsOf(
  object: ReportedObject,
  { auditWarn }: Pick<ReportOptions, "auditWarn">,
): readonly ReportRow[] {
  return object.results.flatMap(({ policy, rules }) =>
    rules.map((ruleResult) =>
      new ResultRow(object, { policy, ruleResult, result: reportedResult(policy, ruleResult, { auditWarn }) })
    )
  );
}

/** A row that looks positions up when a format shows them: most show only those of failures. */
class ResultRow implements ReportRow {
  readonly #object: ReportedObject;
  readonly policy: ReportRow["policy"];
  readonly ruleResult: RuleResult;
  readonly result: ReportResult;

  constructor(
    object: ReportedObject,
    { policy, ruleResult, result }: Pick<ReportRow, "policy" | "ruleResult" | "result">,
  ) {
    this.#object = object;
    this.policy = policy;
    this.ruleResult = ruleResult;
    this.result = result;
  }

  get rule(): string {
    return this.ruleResult.rule;
  }

  get message(): string {
    return messageOf(this.ruleResult, this.result);
  }

  get resource(): JsonObject {
    return this.#object.resource;
  }

  get position(): Position | undefined {
    return this.#object.positionOf?.(stepsOf(failedPath(this.ruleResult) ?? ""));
  }

  get rulePosition(): Position | undefined {
    return rulePosition(this.policy, this.rule);
  }
}

/** Splits `/spec/containers/0/image/` into the steps of a path. */
function stepsOf(path: string): (string | number)[] {
  return path.split("/").filter((step) => step !== "").map((step) =>
    /^\d+$/.test(step) ? Number(step) : step
  );
}

function rulePosition(
  policy: ReportedResult["policy"] & Partial<Pick<Policy, "rules" | "locate">>,
  name: string,
): Position | undefined {
  const rule = policy.rules?.find((each) => each.name === name);
  return policy.locate?.(rule?.path ?? ["metadata", "name"]);
}

/** `policy/rule`, or the policy alone if its rules have no names. */
export function ruleId({ policy, rule }: Pick<ReportRow, "policy" | "rule">): string {
  return ruleName(policy.key, rule === policy.name ? "" : rule);
}

/** `policy/rule`, or the policy alone. */
export function ruleName(policy: string, rule: string): string {
  return rule === "" ? policy : `${policy}/${rule}`;
}

/** `Kind namespace/name`. */
export function resourceText(resource: JsonObject): string {
  const metadata = resource["metadata"] as JsonObject | undefined;
  const text = (value: unknown): string => typeof value === "string" ? value : "";
  const [namespace, name] = [text(metadata?.["namespace"]), text(metadata?.["name"])];
  return `${text(resource["kind"]) || "JSON payload"} ${namespace === "" ? name : `${namespace}/${name}`}`
    .trim();
}

/** A file's path, relative to the folder if the file is below it, and otherwise without a leading `./`. */
export function relativePath(file: string, folder: string): string {
  const root = folder.endsWith("/") ? folder : `${folder}/`;
  return file.startsWith(root) ? file.slice(root.length) : file.replace(/^(?:\.\/)+/, "");
}
