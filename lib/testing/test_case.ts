import { type Diagnostic, type DiagnosticCode, didYouMean } from "../diagnostics/mod.ts";
import {
  asList,
  asObject,
  asString,
  asTexts,
  type DocumentPath,
  isObject,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { readAnswers } from "./test_answers.ts";

/** The results that a test may expect. */
export type ExpectedStatus = "pass" | "fail" | "warn" | "error" | "skip";

/** One entry of a test's `results`. */
export interface Expectation {
  /** `name`, or `namespace/name`. */
  readonly policy: string;
  /** The rule; empty for policies without rules, and for all rules. */
  readonly rule: string;
  readonly status: ExpectedStatus;
  /** The operation; empty for the one in the values, or CREATE when they name none. */
  readonly operation: string;
  /** `name` or `namespace/name`; `undefined` when the entry has no list, for all resources. */
  readonly resources: readonly string[] | undefined;
  readonly resourceSpecs: readonly JsonObject[];
  /** The file with the objects after mutation. */
  readonly patchedResources: string | undefined;
  /** The files, one of which has the generated object. */
  readonly generatedResources: readonly string[];
  /** The file with the sources of clones. */
  readonly cloneSourceResource: string | undefined;
  readonly failOnMissingResources: boolean;
  /** The index in `results`, from 0. */
  readonly index: number;
}

/** A Test document of cli.kyverno.io: files, relative to its folder, and the expected results. */
export interface TestCase {
  readonly name: string;
  readonly policies: readonly string[];
  readonly resources: readonly string[];
  readonly targetResources: readonly string[];
  readonly paramResources: readonly string[];
  readonly exceptions: readonly string[];
  /** The files of kind ClusterResource. */
  readonly clusterResources: readonly string[];
  readonly jsonPayloads: readonly string[];
  readonly httpPayloads: readonly string[];
  readonly envoyPayloads: readonly string[];
  readonly variables: string | undefined;
  readonly values: JsonObject | undefined;
  readonly userinfo: string | undefined;
  /** The file of kind Context, for CEL policies. */
  readonly context: string | undefined;
  readonly apiCallResponses: readonly JsonObject[];
  readonly globalContextEntries: readonly JsonObject[];
  readonly results: readonly Expectation[];
  /** The assertion trees over rule results. */
  readonly checks: readonly JsonObject[];
}

/** A test case that can be run, or why it cannot. */
export type ReadTestCase =
  | { readonly ok: true; readonly test: TestCase }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

const testFields = [
  "apiVersion",
  "kind",
  "metadata",
  "policies",
  "resources",
  "targetResources",
  "paramResources",
  "exceptions",
  "clusterResources",
  "jsonPayload",
  "jsonPayloads",
  "httpPayloads",
  "envoyPayloads",
  "variables",
  "values",
  "userinfo",
  "context",
  "apiCallResponses",
  "globalContextEntries",
  "results",
  "checks",
] as const;

const resultFields = [
  "policy",
  "rule",
  "kind",
  "result",
  "operation",
  "resources",
  "resourceSpecs",
  "patchedResources",
  "generatedResource",
  "generatedResources",
  "cloneSourceResource",
  "failOnMissingResources",
  "isValidatingAdmissionPolicy",
  "isMutatingAdmissionPolicy",
  "isValidatingPolicy",
  "isDeletingPolicy",
  "isImageValidatingPolicy",
  "isGeneratingPolicy",
  "isMutatingPolicy",
] as const;

const statuses: readonly string[] = ["pass", "fail", "warn", "error", "skip"] satisfies ExpectedStatus[];
const operations: readonly string[] = ["", "CREATE", "UPDATE", "DELETE"];

/**
 * Parses a Test document. It is strict, because a misspelt field would make a test prove less than it says: unknown
 * fields, results and operations are errors. Kyverno parity: upper and lower case of field names do not matter, and
 * the schema without `apiVersion`, `kind` and `metadata` is refused. Pinned by "case does not matter in the names of
 * fields" and "the schema without kind and metadata".
 */
export function readTestCase(document: YamlDocument): ReadTestCase {
  const diagnostics: Diagnostic[] = [];
  const report = (path: DocumentPath, code: DiagnosticCode, message: string, hint?: string): void => {
    const position = document.positionOf(path);
    diagnostics.push({ severity: "error", code, message, position, ...(hint !== undefined && { hint }) });
  };
  const test = properFields(document.value, { fields: testFields, path: [], report });
  if (asString(test["apiVersion"]) === undefined || test["kind"] !== "Test") {
    const message = 'A test has apiVersion "cli.kyverno.io/v1alpha1" and kind "Test"';
    report([], "not-a-test", message, "`postern fix test --save` brings older files to this format");
  }
  const results = asList(test["results"]).map((entry, index) =>
    expectation(properFields(entry, { fields: resultFields, path: ["results", index], report }), {
      index,
      report,
    })
  );
  const answers = readAnswers(test, (path) => document.positionOf(path));
  diagnostics.push(...answers.diagnostics);
  if (diagnostics.length > 0) return { ok: false, diagnostics };
  const files = (name: string): string[] => [...new Set(asTexts(test[name]))];
  const objects = (name: string): JsonObject[] => asList(test[name]).filter(isObject);
  const single = asString(test["jsonPayload"]) ?? "";
  const payloads = files("jsonPayloads");
  return {
    ok: true,
    test: {
      name: asString(asObject(test["metadata"])?.["name"]) ?? "",
      policies: files("policies"),
      resources: files("resources"),
      targetResources: files("targetResources"),
      paramResources: files("paramResources"),
      exceptions: files("exceptions"),
      clusterResources: files("clusterResources"),
      jsonPayloads: payloads.length === 0 && single !== "" ? [single] : payloads,
      httpPayloads: files("httpPayloads"),
      envoyPayloads: files("envoyPayloads"),
      variables: nonEmpty(test["variables"]),
      values: asObject(test["values"]),
      userinfo: nonEmpty(test["userinfo"]),
      context: nonEmpty(test["context"]),
      apiCallResponses: answers.calls,
      globalContextEntries: answers.entries,
      results,
      checks: objects("checks"),
    },
  };
}

type Report = (path: DocumentPath, code: DiagnosticCode, message: string, hint?: string) => void;

/** The fields of an object under their proper spelling; unknown fields are reported. */
function properFields(
  value: Json,
  { fields, path, report }: {
    fields: readonly string[];
    path: DocumentPath;
    report: Report;
  },
): JsonObject {
  if (!isObject(value)) {
    report(path, "wrong-type", "This must be an object");
    return {};
  }
  const spelling = new Map(fields.map((field) => [field.toLowerCase(), field]));
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const field = spelling.get(name.toLowerCase());
      if (field !== undefined) return [[field, inner]];
      const near = didYouMean(name, fields);
      const hint = near === undefined ? undefined : `did you mean "${near}"?`;
      report([...path, name], "unknown-field", `A test has no field "${name}" here`, hint);
      return [];
    }),
  );
}

function expectation(
  entry: JsonObject,
  { index, report }: { index: number; report: Report },
): Expectation {
  const policy = asString(entry["policy"]) ?? "";
  const status = asString(entry["result"]) ?? "";
  const operation = asString(entry["operation"]) ?? "";
  if (policy === "") report(["results", index], "missing-field", "A result must name its policy");
  if (!statuses.includes(status)) {
    const message = `A result is one of ${statuses.join(", ")}, not "${status}"`;
    report(["results", index, "result"], "unknown-result", message);
  }
  if (!operations.includes(operation)) {
    const message = `An operation is one of CREATE, UPDATE, DELETE, not "${operation}"`;
    report(["results", index, "operation"], "unknown-operation", message);
  }
  const generated = nonEmpty(entry["generatedResource"]);
  const several = asTexts(entry["generatedResources"]);
  return {
    policy,
    rule: asString(entry["rule"]) ?? "",
    status: status as ExpectedStatus,
    operation,
    resources: Array.isArray(entry["resources"])
      ? asList(entry["resources"]).map((name) => String(name))
      : undefined,
    resourceSpecs: asList(entry["resourceSpecs"]).filter(isObject),
    patchedResources: nonEmpty(entry["patchedResources"]),
    generatedResources: several.length === 0 && generated !== undefined ? [generated] : several,
    cloneSourceResource: nonEmpty(entry["cloneSourceResource"]),
    failOnMissingResources: entry["failOnMissingResources"] === true,
    index,
  };
}

function nonEmpty(value: Json | undefined): string | undefined {
  return asString(value) || undefined;
}
