import { fileProblem, formatDiagnostic } from "../diagnostics/mod.ts";
import { compile } from "../engine/mod.ts";
import { Fault, isFault } from "../json/mod.ts";
import type { Dialect } from "../match/mod.ts";
import { systemClock } from "../adapters/mod.ts";
import {
  type CertificateSource,
  definitions,
  madeCertificates,
  makeManifests,
  readServingCertificate,
  serviceNames,
} from "../install/mod.ts";
import { toYaml } from "../yaml/mod.ts";
import { policyChecksum, policyDocuments } from "../sources/mod.ts";
import type { Terminal } from "./terminal.ts";

/** The options of `manifests`. */
export interface ManifestsArguments {
  readonly policies: readonly string[];
  readonly exceptions: readonly string[];
  /** Whether policies that are objects of the cluster are followed. */
  readonly watchPolicies?: boolean;
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number;
  /** `postern`, `make`, `cert-manager`, or a PEM file that holds certificate, key and authority. */
  readonly certificate: string;
  /** `random`, `none`, or a path. */
  readonly secretPath: string;
  /** Whether the definitions of the kinds are printed instead. */
  readonly crds: boolean;
  readonly dialect: Dialect;
}

/**
 * `manifests`: prints the objects that run Postern with the policies in a cluster, for `kubectl apply -f`. Exit code 1,
 * and nothing printed, when a policy has an error; 2 when the certificate cannot be used.
 */
export async function manifests(args: ManifestsArguments, terminal: Terminal): Promise<number> {
  const { dialect, namespace, image, replicas } = args;
  if (args.crds) {
    terminal.out([definitionsHeader, ...definitions().map((each) => toYaml(each).trimEnd())].join("\n---\n"));
    return 0;
  }
  const follows = args.watchPolicies === true;
  const paths = args.policies.length > 0 || follows ? args.policies : ["policies"];
  const { documents, files, diagnostics } = await policyDocuments([...paths, ...args.exceptions]);
  const snapshot = compile(documents, { dialect });
  const all = [...diagnostics, ...snapshot.diagnostics];
  for (const diagnostic of all) terminal.err(formatDiagnostic(diagnostic));
  const errors = all.filter(({ severity }) => severity === "error").length;
  if (errors > 0) {
    terminal.err(`no manifests were made: ${errors} ${errors === 1 ? "error" : "errors"} in the policies`);
    return 1;
  }
  const certificate = await certificateSource(args);
  if (isFault(certificate)) {
    terminal.err(`error: ${certificate.message}`);
    return 2;
  }
  const secretPath = secretPathOf(args.secretPath);
  if (isFault(secretPath)) {
    terminal.err(`error: ${secretPath.message}`);
    return 2;
  }
  const checksum = await policyChecksum(files);
  const setting = { namespace, follows, image, replicas, dialect, certificate, secretPath, checksum };
  const made = makeManifests(snapshot, files, setting);
  if (args.secretPath === "random") terminal.err(`note: ${newPath}`);
  for (const remark of made.remarks) terminal.err(`note: ${remark}`);
  terminal.out([header, ...made.objects.map((object) => toYaml(object).trimEnd())].join("\n---\n"));
  return 0;
}

/** What a path that was made anew means for an installation that is there. */
const newPath =
  "the path of the webhooks is new: while the pods of a former installation are replaced they do not know it, " +
  "and what has failurePolicy Fail is refused. To keep the path give it with --secret-path; " +
  "it is in the Secret postern-path";

/** 128 bits that nobody guesses; a fault for a path that could be guessed. */
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

/** A PEM file with the certificate and its chain, the key, and, last, the authority to trust. */
async function readCertificate(path: string, namespace: string): Promise<CertificateSource | Fault> {
  let text: string;
  try {
    text = await Deno.readTextFile(path);
  } catch (cause) {
    return new Fault(
      `--certificate ${path}: ${fileProblem(cause)}`,
    );
  }
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  const key = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]+?-----END [A-Z ]*PRIVATE KEY-----/.exec(text)?.[0];
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
