import type { CommandRecord } from "../command.ts";
import { apply } from "./apply.ts";
import { bundle } from "./bundle.ts";
import { celCheck, celEval } from "./cel.ts";
import { completion } from "./completion.ts";
import { createException, createTest, createUserInfo, createValues } from "./create.ts";
import { docs } from "./docs.ts";
import { explain } from "./explain.ts";
import { exportPolicies } from "./export.ts";
import { fixPolicy, fixTest } from "./fix.ts";
import { jpFunction, jpParse, jpQuery } from "./jp.ts";
import { jsonScan } from "./json_scan.ts";
import { lint } from "./lint.ts";
import { manifests } from "./manifests.ts";
import { replay } from "./replay.ts";
import { schema } from "./schema.ts";
import { serve } from "./serve.ts";
import { test } from "./test.ts";
import { unblock } from "./unblock.ts";
import { unsupportedCommands } from "./unsupported.ts";
import { version } from "./version.ts";
import { trustUpdate } from "./trust.ts";

/** All commands, in the order of the help. A new command needs a file in this folder and a line here. */
export const commands: readonly CommandRecord[] = [
  serve,
  apply,
  test,
  lint,
  explain,
  replay,
  jpQuery,
  jpParse,
  jpFunction,
  celEval,
  celCheck,
  jsonScan,
  createTest,
  createValues,
  createUserInfo,
  createException,
  fixTest,
  fixPolicy,
  schema,
  manifests,
  unblock,
  bundle,
  exportPolicies,
  completion(() => ({ commands, groups })),
  docs(() => commands),
  version,
  trustUpdate,
];

/** Kyverno's commands that only print what to use instead. The help leaves them out. */
export const hiddenCommands: readonly CommandRecord[] = unsupportedCommands;

/** The help text of each group of commands. */
export const groups: Readonly<Record<string, string>> = {
  jp: "Try JMESPath expressions",
  cel: "Try expressions of the Common Expression Language",
  json: "Check any JSON",
  create: "Write files for tests and exceptions",
  fix: "Bring older files to the current format",
  oci: "Policies in image registries",
  trust: "Keep what signatures are trusted by",
};
