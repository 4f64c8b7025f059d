import type { CommandRecord } from "../command.ts";
import { apply } from "./apply.ts";
import { bundle } from "./bundle.ts";
import { explain } from "./explain.ts";
import { exportPolicies } from "./export.ts";
import { jpFunction, jpParse, jpQuery } from "./jp.ts";
import { jsonScan } from "./json_scan.ts";
import { lint } from "./lint.ts";
import { manifests } from "./manifests.ts";
import { serve } from "./serve.ts";
import { test } from "./test.ts";

/** All commands, in the order of the help. A new command is a file in this folder and a line here. */
export const commands: readonly CommandRecord[] = [
  serve,
  apply,
  test,
  lint,
  explain,
  jpQuery,
  jpParse,
  jpFunction,
  jsonScan,
  manifests,
  bundle,
  exportPolicies,
];

/** What groups of commands are about. */
export const groups: Readonly<Record<string, string>> = {
  jp: "Try JMESPath expressions",
  json: "Check any JSON",
};
