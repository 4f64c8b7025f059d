import type { LogLevel } from "../adapters/mod.ts";
import type { Diagnostic } from "../diagnostics/mod.ts";
import type { Certificates, ServicePlace } from "../install/mod.ts";
import type { Installation, LiveSetting } from "../live/mod.ts";
import type { Dialect } from "../match/mod.ts";
import type { Cluster } from "../ports.ts";
import type { LoadedPolicies } from "../sources/mod.ts";
import type { ImagePortsOptions } from "./image_ports.ts";
import type { RecorderOptions } from "./review_recorder.ts";
import type { ServiceOptions } from "./ports.ts";

/** The policies, addresses and limits of a gate. */
export interface GateOptions {
  /** The version of Postern, for metrics and traces. */
  readonly version: string;
  /** Files and folders of policies and exceptions. */
  readonly policies: readonly string[];
  readonly dialect: Dialect;
  readonly serveAdmissionPolicies: boolean;
  /** Whether every failurePolicy counts as Ignore. */
  readonly ignoreFailures: boolean;
  readonly scanPreprocessors: boolean;
  /** Where the cluster is, as {@link openPorts} takes it. */
  readonly cluster: readonly string[];
  readonly kubeconfig?: string | undefined;
  /** Which services policies may call. */
  readonly services: ServiceOptions;
  /** How images are looked up. */
  readonly images: ImagePortsOptions;
  /** Takes policies that are objects of the cluster, and keeps webhook configurations and statuses for them. */
  readonly live?:
    | LiveSetting & { readonly installation: Omit<Installation, "caBundle"> }
    | undefined;
  /** The webhook configurations that get the webhooks of the policies, and the Service that they call. */
  readonly registration?: { readonly name: string; readonly service: ServicePlace } | undefined;
  /** Where replicas that share a cluster agree on who leads. */
  readonly lease: { readonly namespace: string; readonly name: string };
  readonly hostname: string;
  readonly port: number;
  readonly metricsPort: number;
  /** Makes the source of certificates; absent for plain HTTP. */
  readonly certificates?: (cluster: Cluster) => Certificates;
  /** Milliseconds between looks for a newer certificate. */
  readonly lookEvery: number;
  /** PEM of the authority of callers' certificates: reviews are taken from those who show one. */
  readonly clientAuthority?: string | undefined;
  /** Reviews are taken below this path alone. */
  readonly secretPath?: string | undefined;
  /** Keeps reviews with their answers in files. */
  readonly record?: RecorderOptions | undefined;
  readonly logLevel: LogLevel;
  /** Takes lines of the log. */
  readonly write: (line: string) => void;
  /** Receives the policies that were loaded. */
  readonly loaded: (policies: LoadedPolicies) => void;
  /** Receives the problems of the cluster's files. */
  readonly diagnosed: (diagnostics: readonly Diagnostic[]) => void;
}
