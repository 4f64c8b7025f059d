import { command } from "../command.ts";
import { joined, objectOptions } from "../object_options.ts";

const authorization = "policies for HTTP and Envoy requests belong to Kyverno's authorization server";

export const apply = command({
  name: "apply",
  about: "Apply policies to objects in files or of a cluster",
  operands: [{
    form: "<policy...>",
    about: "files, folders or git addresses of policies; - for standard input",
  }],
  options: {
    ...objectOptions,
    json: { type: "list", value: "path", about: "JSON payloads for policies in CEL" },
    output: {
      type: "texts",
      short: "o",
      value: "[format=]path",
      about:
        "write a report: sarif, junit, github, json, report or report-json, to a file or to - for standard output; " +
        "without a format, write changed and generated objects to this folder or .yaml file",
    },
    policyReport: { type: "flag", short: "p", about: "print a policy report and nothing else" },
    outputFormat: {
      type: "text",
      value: "format",
      about: "of the policy report",
      choices: ["json", "yaml"],
      default: "yaml",
    },
    table: { type: "flag", short: "t", about: "print a table of results" },
    detailedResults: { type: "flag", about: "messages too, in the table" },
    removeColor: { type: "flag", about: "no colours" },
    stdin: {
      type: "flag",
      short: "i",
      about: "print changed and generated objects and nothing else, for kubectl apply -f -",
    },
    generateExceptions: {
      type: "flag",
      about: "print a PolicyException for each violation and nothing else",
    },
    generatedExceptionTtl: {
      type: "text",
      value: "duration",
      about: "how long these exceptions are kept; 0 for ever",
      default: "720h",
    },
    auditWarn: { type: "flag", about: "count failures of audit rules as warnings" },
    warnExitCode: {
      type: "number",
      value: "number",
      about: "exit code when there are only warnings",
      default: 0,
    },
    warnNoPass: { type: "flag", about: "use the warning's exit code when nothing passed" },
    showPerformance: { type: "flag", about: "say how long it took" },
    continueOnFail: { type: "flag", about: "Postern always goes on with the next object", hidden: true },
    continueOnError: {
      type: "flag",
      about: "Postern always goes on with the next kind",
      hidden: true,
      default: true,
    },
    httpPayload: { type: "unsupported", value: "path", about: "HTTP requests", instead: authorization },
    envoyPayload: { type: "unsupported", value: "path", about: "Envoy requests", instead: authorization },
    crdPath: {
      type: "unsupported",
      value: "path",
      about: "schemas of custom resources",
      instead:
        "schemas are not needed: patches of custom resources follow Kubernetes's rules for objects without one",
    },
    crdPaths: {
      type: "unsupported",
      value: "path",
      about: "schemas of custom resources",
      instead:
        "schemas are not needed: patches of custom resources follow Kubernetes's rules for objects without one",
    },
  },
  examples: [
    { does: "check manifests against policies", line: "apply policies -r manifests" },
    { does: "check what runs in a cluster", line: "apply policies --cluster --namespace shop" },
    {
      does: "write reports for code scanning and a CI server",
      line: "apply policies -r manifests -o sarif=postern.sarif -o junit=postern.xml",
    },
    {
      does: "apply the policies of a git repository",
      line: "apply https://github.com/kyverno/policies/pod-security -b main -r pod.yaml",
    },
    {
      does: "change objects on their way to a cluster",
      line: "apply policies -r - --stdin < pod.yaml | kubectl apply -f -",
    },
  ],
  async run(policies, options, terminal) {
    const { apply } = await import("../apply/run.ts");
    return await apply({ ...joined(options), policies }, terminal);
  },
});
