import type { OptionTable } from "./command.ts";

const about = "of Kyverno's log; Postern writes none";
const instead = "no log is written: redirect standard error to a file";

/**
 * Options of every Kyverno command, before the command's name or after it. They configure Kyverno's log. Postern's
 * commands write no log, so they ignore these options and reject only those that name a file for the log.
 */
export const logOptions: OptionTable = {
  v: { type: "text", short: "v", value: "level", about, hidden: true },
  vmodule: { type: "text", value: "modules", about, hidden: true },
  add_dir_header: { type: "flag", about, hidden: true },
  alsologtostderr: { type: "flag", about, hidden: true },
  alsologtostderrthreshold: { type: "text", value: "severity", about, hidden: true },
  legacy_stderr_threshold_behavior: { type: "flag", about, hidden: true },
  log_backtrace_at: { type: "text", value: "location", about, hidden: true },
  log_dir: { type: "unsupported", value: "path", about, instead },
  log_file: { type: "unsupported", value: "path", about, instead },
  log_file_max_size: { type: "text", value: "megabytes", about, hidden: true },
  logtostderr: { type: "flag", about, hidden: true },
  one_output: { type: "flag", about, hidden: true },
  skip_headers: { type: "flag", about, hidden: true },
  skip_log_headers: { type: "flag", about, hidden: true },
  stderrthreshold: { type: "text", value: "severity", about, hidden: true },
};

/** Kyverno accepts this option with every command. Postern's commands that read no cluster reject it. */
export const needlessKubeconfig: OptionTable[string] = {
  type: "unsupported",
  value: "path",
  about: "the cluster's address and credentials",
  instead: "this command reads no cluster",
};
