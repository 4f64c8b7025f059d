import { checkAnswers } from "../apply/mod.ts";
import { type Diagnostic, type Locate, withPosition } from "../diagnostics/mod.ts";
import { compileExpression } from "../jmespath/mod.ts";
import {
  asList,
  asString,
  asTexts,
  type DocumentPath,
  field,
  isFault,
  isObject,
  type Json,
  type JsonObject,
} from "../json/mod.ts";

/** The answers that a test gives in place of services and of the global context, and their problems. */
export interface TestAnswers {
  /** Its `apiCallResponses`. */
  readonly calls: readonly JsonObject[];
  /** Its `globalContextEntries`. */
  readonly entries: readonly JsonObject[];
  readonly diagnostics: readonly Diagnostic[];
}

type Report = (path: DocumentPath, message: string) => void;

/**
 * Reads the answers of a test. Kyverno parity: a test does not run with answers that contradict each other, have no
 * address or no data, or have fields that do not exist. Pinned by tests/cli/given_answers_test.ts.
 */
export function readAnswers(test: JsonObject, locate: Locate): TestAnswers {
  const { apiCallResponses = null, globalContextEntries = null } = test;
  const checked = checkAnswers({ apiCallResponses, globalContextEntries }, locate);
  const diagnostics = [...checked.diagnostics];
  const report: Report = (path, message) => {
    diagnostics.push(withPosition({ severity: "error", code: "unusable-answer", message, path }, locate));
  };
  const list = (name: string): JsonObject[] => asList(field(checked.value, name)).filter(isObject);
  const calls = list("apiCallResponses"), entries = list("globalContextEntries");
  if (diagnostics.length === 0) {
    checkCalls(calls, report);
    checkEntries(entries, report);
  }
  return { calls, entries, diagnostics };
}

function checkCalls(calls: readonly JsonObject[], report: Report): void {
  const addresses = new Set<string>();
  for (const [index, call] of calls.entries()) {
    const path = ["apiCallResponses", index];
    const url = trimmed(call["url"]), urlPath = trimmed(call["urlPath"]), method = trimmed(call["method"]);
    const problem = addressProblem(url, urlPath);
    if (problem !== undefined) report(path, problem);
    if (!["", "GET", "POST"].includes(method.toUpperCase())) {
      report([...path, "method"], `The method of an answer is GET or POST, not ${method}`);
    }
    const response = call["response"] ?? null;
    if (!isObject(field(response, "body") ?? null)) report(path, "response.body must be an object");
    const status = field(response, "statusCode") || 200;
    if (typeof status !== "number" || status < 100 || status > 599) {
      report([...path, "response", "statusCode"], "statusCode must be between 100 and 599");
    }
    const address = `${method.toUpperCase()} ${url || urlPath}`.trim();
    if (addresses.has(address)) report(path, `There are two answers for ${address}`);
    addresses.add(address);
  }
}

function addressProblem(url: string, urlPath: string): string | undefined {
  if (url !== "" && urlPath !== "") return "An answer has url or urlPath, not both";
  if (url === "" && urlPath === "") return "An answer needs url or urlPath";
  if (urlPath !== "") return urlPath.startsWith("/") ? undefined : "urlPath must begin with /";
  return /^https?:$/.test(URL.parse(url)?.protocol ?? "")
    ? undefined
    : "url must begin with http:// or https://";
}

function checkEntries(entries: readonly JsonObject[], report: Report): void {
  const names = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const path = ["globalContextEntries", index];
    const name = trimmed(entry["name"]);
    if (name === "") {
      report(path, "A global context entry needs a name");
      continue;
    }
    if (names.has(name)) report(path, `There are two global context entries "${name}"`);
    names.add(name);
    const sources = ["data", "resources", "resourceFiles"].filter((source) =>
      (entry[source] ?? null) !== null
    );
    if (sources.length === 0) {
      report(path, `The global context entry "${name}" needs data, resources or resourceFiles`);
    } else if (sources.length > 1) {
      report(path, `The global context entry "${name}" has one of data, resources and resourceFiles`);
    }
    for (const file of asTexts(entry["resourceFiles"])) {
      if (isBelow(file.trim())) continue;
      const message = `resourceFiles names files below the folder of the test, not ${file}`;
      report([...path, "resourceFiles"], message);
    }
    checkExpressions(entry, path, report);
  }
}

function checkExpressions(entry: JsonObject, path: DocumentPath, report: Report): void {
  const check = (text: string, at: DocumentPath): void => {
    const expression = text === "" ? undefined : compileExpression(text, { root: "document" });
    if (isFault(expression)) report(at, `${text}: ${expression.message}`);
  };
  check(trimmed(entry["fieldPath"]), [...path, "fieldPath"]);
  for (const [index, projection] of asList(entry["projections"]).entries()) {
    const at = [...path, "projections", index];
    const expression = trimmed(field(projection, "path"));
    // A name such as `n` is a boolean in YAML, and counts as its text.
    if (trimmed(String(field(projection, "name") ?? "")) === "" || expression === "") {
      report(at, "A projection needs a name and a path");
    }
    check(expression, [...at, "path"]);
  }
}

/** Whether a path stays below its folder. */
function isBelow(file: string): boolean {
  let depth = 0;
  for (const part of file.split("/")) {
    if (part === "..") depth--;
    else if (part !== "" && part !== ".") depth++;
    if (depth < 0) return false;
  }
  return depth > 0 && !file.startsWith("/");
}

function trimmed(value: Json | undefined): string {
  return (asString(value) ?? "").trim();
}
