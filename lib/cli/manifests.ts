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
import { counted } from "./counted.ts";
import { type Terminal, unusable } from "./terminal.ts";
import { version } from "./version.ts";
import { writeFolder } from "./write_folder.ts";

/** The options of `manifests`. */
export interface ManifestsArguments {
  readonly policies: readonly string[];
  readonly exceptions: readonly string[];
  /** Whether Postern watches policies that are objects of the cluster. */
  readonly watchPolicies?: boolean;
  /** The only namespace whose exceptions count: all (`*`) when absent, and none when empty. */
  readonly exceptionNamespace?: string;
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
  const wrong = argumentProblem(args);
  if (wrong !== undefined) return unusable(wrong, terminal);
  const { snapshot, files, problems } = await readPolicies(args);
  for (const problem of problems) terminal.err(problem);
  if (snapshot === undefined) return 1;
  const options = await optionsOf(args, files);
  if (isFault(options)) return unusable(options.message, terminal);
  const made = makeManifests(snapshot, files, options);
  if (args.secretPath === "random") terminal.err(`note: ${newPath(args)}`);
  if (args.watchPolicies === true && args.exceptionNamespace === undefined) terminal.err(`note: ${allCount}`);
  for (const remark of made.remarks) terminal.err(`note: ${remark}`);
  const form = packageFormats.find(({ name }) => name === args.format);
  if (form === undefined) {
    terminal.out([header, ...made.objects.map((object) => toYaml(object).trimEnd())].join("\n---\n"));
    return 0;
  }
  const written = form.files({ snapshot, files, options, dashboard: dashboard(), version });
  const folder = args.out!;
  const problem = await writeFolder(folder, written);
  if (problem !== undefined) return unusable(problem.message, terminal);
  terminal.err(`wrote ${written.length} files: ${form.use.replace("DIR", folder)}`);
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
  const count = counted(errors, "error");
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
  const { exceptionNamespace } = args;
  const certificate = await certificateSource(args);
  if (isFault(certificate)) return certificate;
  const secretPath = secretPathOf(args.secretPath);
  if (isFault(secretPath)) return secretPath;
  const checksum = await policyChecksum(files);
  const ignoreFailures = args.failurePolicy === "Ignore";
  const setting = { namespace, image, replicas, dialect, certificate, secretPath, checksum };
  return { ...setting, follows, ignoreFailures, traces, exceptionNamespace };
}

/** A hint for users of Kyverno, whose program counts no exceptions until its options say so. */
const allCount =
  "PolicyExceptions of every namespace count. --exception-namespace NAME counts those of one, " +
  'where only administrators may write them; --exception-namespace "" none, as Kyverno does by default';

/** A warning to users who replace an installation: the webhooks have a new path. */
const newPath = ({ namespace }: ManifestsArguments): string =>
  "the secret path is new. Where Postern is installed already, give the path of that installation with " +
  "--secret-path, as pods that are still to be replaced do not serve another one, and what has failurePolicy " +
  `Fail is refused. It is none, or what this prints: kubectl -n ${namespace} get secret postern-path ` +
  "-o jsonpath='{.data.path}' | base64 -d";

/** The error about options that no cluster takes or that exclude each other; `undefined` when there is none. */
function argumentProblem(args: ManifestsArguments): string | undefined {
  const { namespace, image, replicas, traces, format, out } = args;
  if (!isNamespace(namespace)) return `--namespace ${namespace}: ${namespaceForm}`;
  const problem = exceptionNamespaceProblem(args);
  if (problem !== undefined) return problem;
  if (image === "" || /\s/.test(image)) return `--image ${image}: this is no reference of an image`;
  if (replicas === 0) return "--replicas 0: nothing would answer; kubectl scale stops an installation";
  if (traces !== undefined && !/^https?:\/\/[^/]/.test(traces)) {
    return `--traces ${traces}: write an address such as http://collector:4318`;
  }
  if (format !== "yaml" && out === undefined) return `--format ${format} needs --out: a folder to write into`;
  if (format === "yaml" && out !== undefined) return "--out needs --format helm or kustomize";
  return undefined;
}

function exceptionNamespaceProblem(
  { exceptionNamespace: chosen, watchPolicies: follows, format }: ManifestsArguments,
): string | undefined {
  if (chosen === undefined) return undefined;
  if (follows !== true && format !== "helm") {
    return "--exception-namespace needs --watch-policies: exceptions in files count in every namespace";
  }
  if (chosen === "" || chosen === "*" || isNamespace(chosen)) return undefined;
  return `--exception-namespace ${chosen}: write one namespace, * for all, or "" for none; ${namespaceForm}`;
}

const isNamespace = (name: string): boolean => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name);

const namespaceForm = "a namespace has lower-case letters, digits and hyphens, at most 63";

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
