import { fileProblem, formatDiagnostic } from "../diagnostics/mod.ts";
import { compile, type Snapshot } from "../engine/mod.ts";
import { Fault, isFault } from "../json/mod.ts";
import type { Dialect } from "../match/mod.ts";
import { type FileText, systemClock } from "../adapters/mod.ts";
import { madeCertificates, readServingCertificate } from "../certificates/mod.ts";
import {
  type CertificateSource,
  definitions,
  makeManifests,
  type ManifestOptions,
  packageFormats,
  serviceNames,
} from "../install/mod.ts";
import { toYaml } from "../yaml/mod.ts";
import { dashboard } from "../server/mod.ts";
import { policyChecksum, policyDocuments } from "../sources/mod.ts";
import type { Terminal } from "./terminal.ts";
import { version } from "./version.ts";
import { writeFolder } from "./write_folder.ts";

/** The options of `manifests`. */
export interface ManifestsArguments {
  readonly policies: readonly string[];
  readonly exceptions: readonly string[];
  /** Whether Postern watches policies that are objects of the cluster. */
  readonly watchPolicies?: boolean;
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number;
  /** `postern`, `make`, `cert-manager`, or a PEM file that holds the certificate, its key and the CA. */
  readonly certificate: string;
  /** `random`, `none`, or a path. */
  readonly secretPath: string;
  readonly failurePolicy: "AsWritten" | "Ignore";
  readonly traces?: string;
  readonly format: "yaml" | "helm" | "kustomize";
  /** The folder to write the chart or base to. */
  readonly out?: string;
  /** Whether to print the dashboard instead. */
  readonly dashboard: boolean;
  /** Whether to print the CustomResourceDefinitions instead. */
  readonly crds: boolean;
  readonly dialect: Dialect;
}

/**
 * `manifests`: prints the objects that run Postern with the policies in a cluster, for `kubectl apply -f`, or writes
 * them as a chart or base into a folder. If a policy has an error, it prints nothing and the exit code is 1. The exit
 * code is 2 when it cannot use the certificate or write the folder.
 */
export async function manifests(args: ManifestsArguments, terminal: Terminal): Promise<number> {
  if (args.crds) {
    terminal.out([definitionsHeader, ...definitions().map((each) => toYaml(each).trimEnd())].join("\n---\n"));
    return 0;
  }
  if (args.dashboard) {
    terminal.out(JSON.stringify(dashboard(), undefined, 2));
    return 0;
  }
  const { snapshot, files, problems } = await readPolicies(args);
  for (const problem of problems) terminal.err(problem);
  if (snapshot === undefined) return 1;
  const options = await optionsOf(args, files);
  if (isFault(options)) {
    terminal.err(`error: ${options.message}`);
    return 2;
  }
  const made = makeManifests(snapshot, files, options);
  if (args.secretPath === "random") terminal.err(`note: ${newPath}`);
  for (const remark of made.remarks) terminal.err(`note: ${remark}`);
  const form = packageFormats.find(({ name }) => name === args.format);
  if (form === undefined) {
    terminal.out([header, ...made.objects.map((object) => toYaml(object).trimEnd())].join("\n---\n"));
    return 0;
  }
  const written = form.files({ snapshot, files, options, dashboard: dashboard(), version });
  const problem = args.out === undefined
    ? new Fault(`--format ${args.format} needs --out: a folder to write into`)
    : await writeFolder(args.out, written);
  if (problem !== undefined) {
    terminal.err(`error: ${problem.message}`);
    return 2;
  }
  terminal.err(`wrote ${written.length} files: ${form.use.replace("DIR", args.out ?? "")}`);
  return 0;
}

interface ReadPolicies {
  /** Absent when a policy has an error. */
  readonly snapshot: Snapshot | undefined;
  readonly files: readonly FileText[];
  readonly problems: readonly string[];
}

async function readPolicies(
  { policies, exceptions, watchPolicies: follows = false, dialect }: ManifestsArguments,
): Promise<ReadPolicies> {
  const paths = policies.length > 0 || follows ? policies : ["policies"];
  const { documents, files, diagnostics } = await policyDocuments([...paths, ...exceptions]);
  const snapshot = compile(documents, { dialect });
  const all = [...diagnostics, ...snapshot.diagnostics];
  const problems = all.map(formatDiagnostic);
  const errors = all.filter(({ severity }) => severity === "error").length;
  if (errors === 0) return { snapshot, files, problems };
  const count = `${errors} ${errors === 1 ? "error" : "errors"}`;
  return {
    snapshot: undefined,
    files,
    problems: [...problems, `no manifests were made: ${count} in the policies`],
  };
}

async function optionsOf(
  args: ManifestsArguments,
  files: readonly FileText[],
): Promise<ManifestOptions | Fault> {
  const { namespace, image, replicas, dialect, watchPolicies: follows = false, traces } = args;
  const certificate = await certificateSource(args);
  if (isFault(certificate)) return certificate;
  const secretPath = secretPathOf(args.secretPath);
  if (isFault(secretPath)) return secretPath;
  const checksum = await policyChecksum(files);
  const ignoreFailures = args.failurePolicy === "Ignore";
  const setting = { namespace, image, replicas, dialect, certificate, secretPath, checksum };
  return { ...setting, follows, ignoreFailures, traces };
}

/** A warning to users who replace an installation: the webhooks have a new path. */
const newPath =
  "the path of the webhooks is new: while the pods of a former installation are replaced they do not serve it, " +
  "and what has failurePolicy Fail is refused. To keep the path give it with --secret-path; " +
  "it is in the Secret postern-path";

/** The secret path: 128 random bits, or the given path. A fault means that somebody could guess the given path. */
function secretPathOf(given: string): string | undefined | Fault {
  if (given === "none") return undefined;
  if (given === "random") return `/${crypto.getRandomValues(new Uint8Array(16)).toHex()}`;
  if (/^\/[A-Za-z0-9._~-]{16,200}$/.test(given)) return given;
  return new Fault("--secret-path must be random, none, or / with at least 16 letters and digits after it");
}

const header =
  `# Postern with its policies. Made by \`deno task postern manifests\` from them; change those, not this.
# kubectl apply -f deploy.yaml`;

const definitionsHeader =
  `# The kinds of policies and reports that Postern reads and writes. Made by \`postern manifests --crds\`.
# kubectl apply --server-side -f crds.yaml`;

async function certificateSource(args: ManifestsArguments): Promise<CertificateSource | Fault> {
  switch (args.certificate) {
    case "postern":
    case "cert-manager":
      return { from: args.certificate };
    case "make": {
      const names = serviceNames(args.namespace);
      const { certificate, problem } = await madeCertificates({ names, clock: systemClock() }).current();
      if (certificate === undefined) return new Fault(problem);
      const { cert, key, caBundle = "" } = certificate;
      return { from: "texts", cert, key, ca: atob(caBundle) };
    }
    default:
      return await readCertificate(args.certificate, args.namespace);
  }
}

/** Reads a PEM file with the key, the certificate and its chain, and, as the last certificate, the CA to trust. */
async function readCertificate(path: string, namespace: string): Promise<CertificateSource | Fault> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (cause) {
    return new Fault(
      `--certificate ${path}: ${fileProblem(cause)}`,
    );
  }
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  const key = /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:(?!-----)[\s\S])+-----END [A-Z ]*PRIVATE KEY-----/.exec(
    text,
  )?.[0];
  const ca = certificates.at(-1);
  if (ca === undefined || key === undefined) {
    return new Fault(`--certificate ${path}: it must hold the certificate, its key and its authority in PEM`);
  }
  const chain = certificates.length === 1 ? certificates : certificates.slice(0, -1);
  const cert = `${chain.join("\n")}\n`;
  const read = readServingCertificate({ cert, key: `${key}\n`, ca });
  if (isFault(read)) return new Fault(`--certificate ${path}: ${read.message}`);
  const name = serviceNames(namespace)[0]!;
  if (!read.names.includes(name)) return new Fault(`--certificate ${path}: it is not for ${name}`);
  return { from: "texts", cert, key: `${key}\n`, ca: `${ca}\n` };
}
