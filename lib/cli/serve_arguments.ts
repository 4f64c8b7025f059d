import type { LogLevel } from "../adapters/mod.ts";
import { certificatesIn, readPemFile } from "../certificates/mod.ts";
import { fileProblem } from "../diagnostics/mod.ts";
import { Fault } from "../json/mod.ts";
import type { Dialect } from "../match/mod.ts";
import { eventReasons, rowResults } from "../report/mod.ts";
import { secretPathProblem } from "../server/mod.ts";

/** The options of `serve`. */
export interface ServeArguments {
  readonly policies: readonly string[];
  readonly exceptions: readonly string[];
  readonly cluster: readonly string[];
  readonly kubeconfig?: string;
  readonly host: string;
  readonly port: number;
  readonly metricsPort: number;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsCa?: string;
  readonly certDir?: string;
  /** `namespace/name`, like the next two options. */
  readonly service: string;
  readonly certificateSecret?: string;
  readonly webhooks?: string;
  readonly tls: boolean;
  readonly trustedRoot: readonly string[];
  readonly searchLogs: boolean;
  readonly localRegistries: boolean;
  readonly watchPolicies?: boolean;
  readonly ttlInterval: number;
  /** Reasons of events, separated by commas. */
  readonly omitEvents: string;
  readonly openReports?: boolean;
  /** Results, separated by commas. */
  readonly reportResults: string;
  readonly forceFailurePolicyIgnore?: boolean;
  readonly exceptionNamespace: string;
  readonly installNames: "postern" | "kyverno";
  readonly servicePort?: number;
  readonly clientCa?: string;
  readonly secretPath?: string | undefined;
  readonly serveAdmissionPolicies: boolean;
  readonly scanPreprocessors: boolean;
  readonly allowServiceAddress: readonly string[];
  readonly namespacedServiceCalls: boolean;
  /** The folder to which the server records reviews. */
  readonly record?: string;
  readonly recordReviews: number;
  readonly recordMegabytes: number;
  readonly dialect: Dialect;
  readonly logLevel: LogLevel;
}

/** The error about an unknown word in an option's list; `undefined` when there is none. */
export function wordProblem({ omitEvents, reportResults }: ServeArguments): string | undefined {
  const reason = unknownWord(omitEvents, eventReasons);
  if (reason !== undefined) return `--omit-events: "${reason}" is none of ${eventReasons.join(", ")}`;
  const result = unknownWord(reportResults, rowResults);
  return result && `--report-results: "${result}" is none of ${rowResults.join(", ")}`;
}

/** The error about a certificate without its key, or a key without its certificate; `undefined` when there is none. */
export function keyPairProblem({ tlsCert, tlsKey }: ServeArguments): string | undefined {
  return (tlsCert === undefined) === (tlsKey === undefined)
    ? undefined
    : "--tls-cert and --tls-key go together: name both files, or neither";
}

/**
 * The options without `--webhooks` where the policies of the cluster are followed: the webhooks of all policies, also
 * those of files, then have configurations that Postern makes and names. Pods have no rights to others.
 */
export function withUsedWebhooks(args: ServeArguments): ServeArguments {
  const { webhooks: _webhooks, ...rest } = args;
  return args.watchPolicies === true ? rest : args;
}

/** The message about a `--webhooks` that has no effect; `undefined` when it has one or is absent. */
export function unusedWebhooks({ webhooks, watchPolicies }: ServeArguments): string | undefined {
  if (webhooks === undefined || watchPolicies !== true) return undefined;
  return `--webhooks ${webhooks} has no effect beside --watch-policies, which keeps webhook configurations for all ` +
    "policies, those of files too: leave it out, and delete the configurations of that name if they have webhooks";
}

/** The error about options that let unauthenticated clients send reviews; `undefined` when there is none. */
export function accessProblem({ tls, host, secretPath }: ServeArguments): string | undefined {
  const access = isLoopback(host) ? "loopback" : "public";
  if (secretPath !== undefined) {
    const problem = secretPathProblem(secretPath, access);
    return problem && `--secret-path ${problem}`;
  }
  return access === "public" && !tls
    ? "--no-tls on a public address needs --secret-path, or everyone can send reviews"
    : undefined;
}

/** Reads the authority of client certificates (`--client-ca`). */
export async function readAuthority(file: string): Promise<string | Fault> {
  try {
    const text = await readPemFile(file);
    return certificatesIn(text) !== undefined
      ? text
      : new Fault(`--client-ca ${file}: it holds no PEM certificate`);
  } catch (cause) {
    return new Fault(`--client-ca ${file}: ${fileProblem(cause)}`);
  }
}

/** The accepted words in a list with commas. */
export function wordsOf<Word extends string>(text: string, words: readonly Word[]): Word[] {
  const written = text.split(",").map((each) => each.trim());
  return words.filter((word) => written.includes(word));
}

/** The first word in a list with commas that is not accepted; `undefined` when all are. */
function unknownWord(text: string, words: readonly string[]): string | undefined {
  return text.split(",").map((each) => each.trim()).find((each) => each !== "" && !words.includes(each));
}

/** Splits the value of an option in the form `namespace/name`. */
export function namespacedName(text: string): { readonly namespace: string; readonly name: string } {
  const [namespace = "", name = ""] = text.split("/");
  return { namespace, name };
}

/** Whether only this machine can reach a host. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host.startsWith("127.");
}
