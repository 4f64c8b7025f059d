import type { Diagnostic } from "../diagnostics/mod.ts";
import { field, textField } from "../json/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { openList } from "./documents.ts";

/** Whether a document is a PolicyException, or a list of them. */
export function isException({ value }: YamlDocument): boolean {
  const objects = openList(value);
  return objects.length > 0 && objects.every((object) => object["kind"] === "PolicyException");
}

/**
 * The problem of a document among exceptions that is none. Kyverno parity: a file of exceptions holds nothing else.
 * Pinned by tests/cli/apply_exceptions_test.ts and tests/cli/test_documents_test.ts.
 *
 * @param hint where policies and objects belong
 */
export function notAnException({ value, positionOf }: YamlDocument, hint: string): Diagnostic {
  const apiVersion = textField(value, "apiVersion") || "no apiVersion";
  return {
    severity: "error",
    code: "unknown-kind",
    message: `"${textField(value, "kind")}" (${apiVersion}) is no PolicyException`,
    hint,
    position: positionOf(field(value, "kind") === undefined ? [] : ["kind"]),
  };
}

/**
 * The warning about an exception among policies, where it does not count.
 *
 * @param rule where exceptions count
 */
export function unusedException({ positionOf }: YamlDocument, rule: string): Diagnostic {
  return {
    severity: "warning",
    code: "unused-exception",
    message: `PolicyExceptions among the policies ${rule}`,
    position: positionOf([]),
  };
}
