import type { LineBatch, LogLevel } from "../adapters/mod.ts";
import type { LeaseSetting } from "../background/mod.ts";
import type { Diagnostic } from "../diagnostics/mod.ts";
import type { Certificates } from "../certificates/mod.ts";
import type { ServiceReference } from "../install/mod.ts";
import type { Fault } from "../json/mod.ts";
import type { Installation, LiveSetting } from "../live/mod.ts";
import type { Dialect } from "../match/mod.ts";
import type { Cluster } from "../ports.ts";
import type { LoadedPolicies } from "../sources/mod.ts";
import type { RecorderOptions } from "./review_recorder.ts";
import type { ImagePortsOptions, ServiceOptions } from "../open_ports/mod.ts";

/** The policies, addresses and limits of a gate. */
export interface GateOptions {
  /** The version of Postern, for metrics and traces. */
  readonly version: string;
  /** The files and folders of policies and exceptions. */
  readonly policies: readonly string[];
  readonly dialect: Dialect;
  readonly serveAdmissionPolicies: boolean;
  /** Whether every failurePolicy counts as Ignore. */
  readonly ignoreFailures: boolean;
  readonly scanPreprocessors: boolean;
  /** The files or folders of the embedded cluster's objects, as in {@link openPorts}. */
  readonly cluster: readonly string[];
  readonly kubeconfig?: string | undefined;
  /** The services that policies may call. */
  readonly services: ServiceOptions;
  /** The options of reading image registries. */
  readonly images: ImagePortsOptions;
  /** Set to follow policies in the cluster, with webhook configurations and statuses. */
  readonly live?:
    | LiveSetting & { readonly installation: Omit<Installation, "caBundle"> }
    | undefined;
  /** The webhook configurations for the policies, and the Service that they call. */
  readonly registration?: { readonly name: string; readonly service: ServiceReference } | undefined;
  /** The Lease by which replicas elect a leader. */
  readonly lease: LeaseSetting;
  readonly hostname: string;
  readonly port: number;
  readonly metricsPort: number;
  /** Makes the source of certificates; absent for plain HTTP. */
  readonly certificates?: (cluster: Cluster) => Certificates;
  /** Milliseconds between two checks for a newer certificate. */
  readonly checkEvery: number;
  /**
   * The PEM of the authority for callers' certificates: reviews are accepted only from callers with such a
   * certificate.
   */
  readonly clientAuthority?: string | undefined;
  /** Reads that authority again: it may change while the gate is open. */
  readonly readClientAuthority?: (() => Promise<string | Fault>) | undefined;
  /** The path below which reviews are accepted. */
  readonly secretPath?: string | undefined;
  /** Records reviews with their answers in files. */
  readonly record?: RecorderOptions | undefined;
  readonly logLevel: LogLevel;
  /** Receives the lines of the log. */
  readonly lines: LineBatch;
  /** Receives the policies that were loaded. */
  readonly loaded: (policies: LoadedPolicies) => void;
  /** Receives the problems of the cluster's files. */
  readonly diagnosed: (diagnostics: readonly Diagnostic[]) => void;
}
