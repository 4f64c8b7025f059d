import { Command, Option } from "commander";
import { processTerminal, type Terminal } from "./terminal.ts";

/** Runs a command line and answers with its exit code. A command is loaded when it is run: starting fast matters. */
export async function run(args: readonly string[], terminal: Terminal = processTerminal()): Promise<number> {
  let code = 0;
  const program = new Command("postern")
    .description("A small gate for a Kubernetes cluster: Kyverno's policies, one process")
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text.trimEnd()),
      writeErr: (text) => terminal.err(text.trimEnd()),
    });
  const command = (name: string, about: string): Command =>
    program.command(name).description(about).copyInheritedSettings(program);

  command("serve", "Answer admission reviews")
    .option("--policies <path...>", "files and folders of policies", [])
    .option("--exceptions <path...>", "files and folders of policy exceptions", [])
    .option("--cluster <path...>", "objects that stand for a cluster, as files and folders", [])
    .option("--kubeconfig <file>", "a live cluster instead")
    .option("--host <address>", "where to listen", "127.0.0.1")
    .option("--port <number>", "port of the webhook", wholeNumber, 9443)
    .option("--metrics-port <number>", "port of the metrics", wholeNumber, 8000)
    .option("--tls-cert <file>", "PEM certificate chain")
    .option("--tls-key <file>", "PEM private key")
    .option("--service <namespace/name>", "the service that the API server calls", "postern/postern")
    .option("--certificate-secret <namespace/name>", "where replicas keep the certificate that Postern makes")
    .option("--webhooks <name>", "webhook configurations that are told the certificate's authority")
    .option("--cert-dir <folder>", "where a certificate that Postern makes is kept")
    .option("--no-tls", "speak plain HTTP, behind something that speaks TLS")
    .option(
      "--serve-admission-policies",
      "ask ValidatingAdmissionPolicies and MutatingAdmissionPolicies too, which the API server enforces itself",
      false,
    )
    .option("--secret-path <path>", "answer only below this path, for a public address")
    .addOption(dialect())
    .addOption(
      new Option("--log-level <level>", "least level of the log").choices(["debug", "info", "warn", "error"])
        .default("info"),
    )
    .action(async (options) => {
      const { serve } = await import("./serve.ts");
      code = await serve(options, terminal);
    });

  command("apply", "Apply policies to objects in files")
    .argument("<policy...>", "files and folders of policies")
    .option("-r, --resource <path...>", "files and folders of objects", [])
    .option("-f, --values-file <file>", "values for variables (cli.kyverno.io Values)")
    .option("-u, --userinfo <file>", "who asks (cli.kyverno.io UserInfo)")
    .option("-e, --exceptions <path...>", "policy exceptions", [])
    .option("--cluster <path...>", "objects that stand for a cluster, as files and folders", [])
    .option("--kubeconfig <file>", "a live cluster instead")
    .addOption(dialect())
    .option("-o, --output <path>", "write mutated and generated objects to this folder or .yaml file")
    .option("-p, --policy-report", "print a policy report and nothing else")
    .addOption(
      new Option("--output-format <format>", "of the report").choices(["json", "yaml"]).default("yaml"),
    )
    .option("--audit-warn", "count failures of audit rules as warnings")
    .option("--warn-exit-code <number>", "exit code when there are only warnings", wholeNumber, 0)
    .option("--warn-no-pass", "use the warning's exit code when nothing passed")
    .action(async (policies: string[], options) => {
      const { apply } = await import("./apply_command.ts");
      code = await apply({ ...options, policies, resources: options.resource }, terminal);
    });

  command("explain", "Say why rules apply to objects in files or not, and how they decide")
    .argument("<policy...>", "files and folders of policies")
    .option("-r, --resource <path...>", "files and folders of objects", [])
    .option("-f, --values-file <file>", "values for variables (cli.kyverno.io Values)")
    .option("-u, --userinfo <file>", "who asks (cli.kyverno.io UserInfo)")
    .option("-e, --exceptions <path...>", "policy exceptions", [])
    .option("--cluster <path...>", "objects that stand for a cluster, as files and folders", [])
    .option("--kubeconfig <file>", "a live cluster instead")
    .addOption(dialect())
    .option("--review <path...>", "recorded AdmissionReviews, beside objects or instead of them", [])
    .option("--policy <name>", "only this policy")
    .option("--rule <name>", "only this rule, and those generated from it")
    .addOption(
      new Option("--output-format <format>", "for people or for programs").choices(["text", "json"])
        .default("text"),
    )
    .action(async (policies: string[], options) => {
      const { explain } = await import("./explain.ts");
      code = await explain(
        { ...options, policies, resources: options.resource, reviews: options.review },
        terminal,
      );
    });

  command("bundle", "Write one JavaScript file that holds engine and policies")
    .option("--policies <path...>", "files and folders of policies", ["policies"])
    .option("--exceptions <path...>", "files and folders of policy exceptions", [])
    .option("--out <file>", "where to write it", "dist/postern.js")
    .option("--minify", "make it smaller")
    .addOption(dialect())
    .action(async (options) => {
      const { bundle } = await import("./bundle.ts");
      code = await bundle(options, terminal);
    });

  command("test", "Run the tests of policies")
    .argument("<dir...>", "folders to search for test files")
    .option("-f, --file-name <name>", "name of test files", "kyverno-test.yaml")
    .option(
      "-t, --test-case-selector <selector>",
      "which results: policy=NAME,rule=NAME,resource=NAME",
      "policy=*,rule=*,resource=*",
    )
    .addOption(
      new Option("-o, --output-format <format>", "for other programs").choices([
        "json",
        "yaml",
        "markdown",
        "junit",
      ]),
    )
    .option("--fail-only", "show failing rows only", false)
    .option("--detailed-results", "show what rules said", false)
    .option("--require-tests", "fail when there are no tests", false)
    .option("--remove-color", "no colours", false)
    .option("--registry", "ask image registries about images that a test does not describe", false)
    .option("--strict", "count remarks, such as misspelt names, as failures", false)
    .addOption(dialect())
    .action(async (paths: string[], options) => {
      const { test } = await import("./test_command.ts");
      code = await test({ ...options, paths, output: options.outputFormat }, terminal);
    });

  command("manifests", "Print what `kubectl apply -f` needs to run Postern with policies in a cluster")
    .option("--policies <path...>", "files and folders of policies", ["policies"])
    .option("--exceptions <path...>", "files and folders of policy exceptions", [])
    .option("--namespace <name>", "where it is installed", "postern")
    .option("--image <reference>", "image of the Dockerfile", defaultImage)
    .option("--replicas <number>", "how many pods", wholeNumber, 2)
    .option(
      "--certificate <how>",
      "postern: made in the cluster; make: made now; cert-manager; or a PEM file of certificate, key and authority",
      "postern",
    )
    .addOption(dialect())
    .action(async (options) => {
      const { manifests } = await import("./manifests.ts");
      code = await manifests(options, terminal);
    });

  const json = command("json", "Judge any JSON");
  json.command("scan").description("Apply ValidatingPolicies of json.kyverno.io to any YAML or JSON")
    .requiredOption("--payload <file>", "what is judged; a list is several values")
    .requiredOption("--policy <path...>", "files and folders of policies")
    .option("--pre-process <expression...>", "JMESPath expressions applied to the payload first", [])
    .option("--labels <selector...>", "only policies whose labels are selected", [])
    .addOption(
      new Option("--output <format>", "for people or for programs").choices(["text", "json"]).default("text"),
    )
    .action(async ({ policy: policies, preProcess: preprocessors, ...options }) => {
      const { jsonScan } = await import("./json_scan.ts");
      code = await jsonScan({ ...options, policies, preprocessors }, terminal);
    });

  const jp = command("jp", "Try JMESPath expressions");
  jp.command("query").description("Evaluate expressions on an object")
    .argument("[expression...]", "JMESPath expressions")
    .option("-i, --input <file>", "YAML or JSON; standard input otherwise")
    .option("-q, --query <file...>", "files that hold an expression each", [])
    .option("-c, --compact", "JSON without white space")
    .option("-u, --unquoted", "a text without quotes")
    .action(async (queries: string[], { query: files, compact = false, unquoted = false, ...options }) => {
      const { jpQuery } = await import("./jp.ts");
      code = await jpQuery({ queries, files, compact, unquoted, ...options }, { terminal });
    });
  jp.command("function").description("Describe functions, all or some")
    .argument("[name...]", "names of functions")
    .action(async (names: string[]) => {
      const { jpFunction } = await import("./jp.ts");
      code = jpFunction(names, { terminal });
    });
  jp.command("parse").description("Print the trees of expressions")
    .argument("[expression...]", "JMESPath expressions")
    .option("-f, --file <file...>", "files that hold an expression each", [])
    .action(async (expressions: string[], { file: files }) => {
      const { jpParse } = await import("./jp.ts");
      code = await jpParse({ expressions, files }, { terminal });
    });

  command("export", "Write rules in CEL as ValidatingAdmissionPolicies, which the API server enforces itself")
    .argument("<path...>", "files and folders of policies and exceptions")
    .addOption(dialect())
    .action(async (paths: string[], options) => {
      const { exportPolicies } = await import("./export.ts");
      code = await exportPolicies(paths, options, terminal);
    });

  command("lint", "Say what is wrong with policies")
    .argument("<path...>", "files and folders of policies")
    .addOption(dialect())
    .action(async (paths: string[], options) => {
      const { lint } = await import("./lint.ts");
      code = await lint(paths, options, terminal);
    });

  try {
    await program.parseAsync([...args], { from: "user" });
  } catch (cause) {
    if (isExit(cause)) return cause.exitCode === 0 ? 0 : 2;
    throw cause;
  }
  return code;
}

/** The image that `docker build -t` of the README makes. */
const defaultImage = "postern:0.1.0";

function dialect(): Option {
  return new Option(
    "--dialect <dialect>",
    "what applies where the documentation and today's reference differ",
  )
    .choices(["classic", "current"]).default("classic");
}

function wholeNumber(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0) throw new Error(`"${text}" is not a whole number`);
  return value;
}

/** Commander ends a command line that it refuses, or that asks for help, with such an error. */
function isExit(cause: unknown): cause is { exitCode: number } {
  return cause instanceof Error && "exitCode" in cause && typeof cause.exitCode === "number";
}
