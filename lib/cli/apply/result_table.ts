import { asString, type JsonObject } from "../../json/mod.ts";
import { nameOf, namespaceOf } from "../../kube/mod.ts";
import { type ReportedObject, rowsOf, tableParts, type TableRow } from "../../report/mod.ts";
import { hasRules } from "../../policy/mod.ts";
import { painter } from "../paint.ts";
import type { Terminal } from "../terminal.ts";

/** The most rows of one table. A longer table is printed in parts, so that memory does not grow with the input. */
const maxRows = 10_000;

/** The options of `apply` that the table depends on. */
export interface ResultTableOptions {
  readonly auditWarn: boolean;
  readonly detailedResults: boolean;
  readonly removeColor: boolean;
}

/** The results of a run of `apply` as a table. */
export class ResultTable {
  readonly #terminal: Terminal;
  readonly #options: ResultTableOptions;
  /** The rows not printed yet, and the number of printed ones. */
  #rows: TableRow[] = [];
  #printedRows = 0;

  constructor(terminal: Terminal, options: ResultTableOptions) {
    this.#terminal = terminal;
    this.#options = options;
  }

  /** Whether so many rows wait that they must be printed. */
  get isFull(): boolean {
    return this.#rows.length >= maxRows;
  }

  /** Whether there is something to print at the end of a run; without any results it is an empty table. */
  get isDue(): boolean {
    return this.#rows.length > 0 || this.#printedRows === 0;
  }

  /** Adds the rows of an object. They are kept until they are printed, so they hold a message only when it is shown. */
  add(reported: ReportedObject): void {
    const { auditWarn, detailedResults } = this.#options;
    const resource = shownPath(reported.resource);
    for (const { policy, rule, result, message } of rowsOf(reported, { auditWarn })) {
      this.#rows.push({
        policy: policy.key,
        // Kyverno parity: a policy without rules has an empty column, whatever its results are called. Pinned by "the
        // table of a policy that deletes has no rules".
        rule: hasRules(policy.kind) ? rule : "",
        resource,
        result: shownResults[result],
        reason: "",
        message: detailedResults ? message : "",
      });
    }
  }

  /** Prints the rows that wait as a table. */
  print(): void {
    const rows = this.#rows, firstId = this.#printedRows + 1;
    this.#rows = [];
    this.#printedRows += rows.length;
    const paint = painter(this.#terminal, this.#options);
    for (const part of tableParts(rows, { detailed: this.#options.detailedResults, firstId, paint })) {
      this.#terminal.out(part);
    }
  }
}

const shownResults = { pass: "Pass", fail: "Fail", warn: "Warn", error: "Error", skip: "Skip" } as const;

/** `namespace/Kind/name`, without the parts that the object lacks; `/` for a payload without any. */
function shownPath(resource: JsonObject): string {
  const parts = [namespaceOf(resource), asString(resource["kind"]) ?? "", nameOf(resource)];
  return parts.filter((part) => part !== "").join("/") || "/";
}
