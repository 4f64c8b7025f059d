import { command } from "../command.ts";
import { objectOptions } from "../object_options.ts";

export const apply = command({
  name: "apply",
  about: "Apply policies to objects in files",
  operands: ["<policy...>"],
  options: {
    ...objectOptions,
    output: {
      type: "text",
      short: "o",
      value: "path",
      about: "write mutated and generated objects to this folder or .yaml file",
    },
    policyReport: { type: "flag", short: "p", about: "print a policy report and nothing else" },
    outputFormat: {
      type: "text",
      value: "format",
      about: "of the report",
      choices: ["json", "yaml"],
      default: "yaml",
    },
    auditWarn: { type: "flag", about: "count failures of audit rules as warnings" },
    warnExitCode: {
      type: "number",
      value: "number",
      about: "exit code when there are only warnings",
      default: 0,
    },
    warnNoPass: { type: "flag", about: "use the warning's exit code when nothing passed" },
  },
  examples: [
    { does: "check manifests against policies", line: "apply policies -r manifests" },
    { does: "print a policy report", line: "apply policies -r pod.yaml --policy-report" },
  ],
  async run(policies, options, terminal) {
    const { apply } = await import("../apply_command.ts");
    return await apply({ ...options, policies, resources: options.resource }, terminal);
  },
});
