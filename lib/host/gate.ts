import { systemClock } from "../adapters/mod.ts";
import type { Diagnostic } from "../diagnostics/mod.ts";
import { type Fault, isFault } from "../json/mod.ts";
import type { Listener, Probes } from "../listener/mod.ts";
import { pause } from "../pause.ts";
import type { ApiCall, Log } from "../ports.ts";
import { type AppOptions, AuditQueue, ClusterMetrics, Metrics } from "../server/mod.ts";
import { apiQuery } from "./api_query.ts";
import type { GateOptions } from "./gate_options.ts";
import { openLog } from "./gate_log.ts";
import { collectStartGarbage, reviewMemory } from "../heap/mod.ts";
import { LateBackground } from "./late_background.ts";
import { openListener, openProbes } from "./listeners.ts";
import { PoliciesInForce } from "./policies_in_force.ts";
import { type OpenPorts, openPorts } from "../open_ports/mod.ts";
import { ReviewFiles } from "./review_recorder.ts";
import { openTracing } from "./tracing/open_tracing.ts";

/** An open gate. */
export interface Gate {
  readonly port: number;
  readonly metricsPort: number;
  /** The CA certificates that callers must trust, in base64 as webhook configurations have them. */
  readonly caBundle: string | undefined;
  /** A description of the cluster. */
  readonly about: string;
  /** Reads certificates and policies now, in case there are newer ones. */
  renew(): Promise<void>;
  /** Answers the requests in progress, finishes background work, and closes. */
  close(): Promise<void>;
}

/** Milliseconds that audits and background work may take when the gate closes. */
const closingTime = 5_000;

/**
 * Milliseconds of each round of the event loop in which answered requests are audited at once: the answers of the round
 * that come after them wait so much longer.
 */
const auditsAtOnce = 5;

/** Milliseconds from the opening of the port, in which a request that waits for it is answered. */
const firstRequestTime = 25;

/** The problem of a path of `--cluster-objects` that does not exist: policies would not find its objects. */
function absentObjects(diagnostics: readonly Diagnostic[], paths: readonly string[]): string | undefined {
  const absent = paths.find((path) =>
    diagnostics.some(({ code, position }) => code === "missing-file" && position?.file === path)
  );
  return absent && `--cluster-objects ${absent}: there is no such file or folder`;
}

/** Opens the ports that the options name; a text says why they cannot be used. */
async function openGatePorts(
  { cluster, kubeconfig, services, images, live, diagnosed }: GateOptions,
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
): Promise<OpenPorts | string> {
  const called = countingCalls(metrics);
  const opened = await openPorts({ cluster, kubeconfig, services, images, watch: log, called });
  if (isFault(opened)) return opened.message;
  if (live !== undefined && opened.watching === undefined) {
    return "--watch-policies needs a live cluster: --kubeconfig, or a pod's service account";
  }
  diagnosed(opened.diagnostics);
  return absentObjects(opened.diagnostics, cluster) ?? opened;
}

/** Builds a gate and opens it; a text says why it cannot be opened. */
export async function openGate(options: GateOptions): Promise<Gate | string> {
  const log = openLog(options);
  const allMetrics = openMetrics(options.version), { metrics } = allMetrics;
  const opened = await openGatePorts(options, { log, metrics });
  if (typeof opened === "string") return opened;
  const { ports, about, watching } = opened;
  const snapshot = () => policies.snapshot();
  const background = new LateBackground({
    snapshot,
    ports,
    log,
    elected: () => policies.elected(),
    effectsTried: (effects) => policies.effectsTried(effects),
    account: options.live?.installation.accounts.background,
    ...(opened.kind === "live" && { lease: options.lease }),
  });
  if (opened.kind === "live") await background.begin();
  const recorder = await openRecorder(options, { log, metrics });
  if (isFault(recorder)) return recorder.message;
  const policies: PoliciesInForce = new PoliciesInForce(options, {
    ...opened,
    ...allMetrics,
    background,
    log,
  });
  const missing = await policies.begin();
  if (missing !== undefined) return missing;
  const { decided } = policies.paths;
  const tracing = await openTracing(options.version);
  const deciding = { ports, log, metrics, tracing };
  const audit = new AuditQueue({
    ...deciding,
    snapshot,
    atOnce: auditsAtOnce,
    ...(decided !== undefined && { decided }),
  });
  const app = appOptions(options, { ...policies.paths, ...deciding, audit, effects: background, recorder });
  const listener = await openListener(options, app);
  if (typeof listener === "string") return listener;
  await afterFirstRequest();
  await background.begin();
  const probes = await openProbes(options, app);
  if (typeof probes === "string") return probes;
  await policies.follow(watching, listener);
  collectStartGarbage(() => listener.answers + policies.scanEvaluations);
  const { port, caBundle } = listener;
  return {
    port,
    metricsPort: probes.port,
    caBundle,
    about,
    renew: async () => void await Promise.all([listener.renew(), policies.load()]),
    close: () => closeAll({ policies, listener, audit, recorder, background, ports: opened, probes }),
  };
}

/** The options of the app that answers requests: its parts, and what the options of the gate say. */
function appOptions(
  { scanPreprocessors, secretPath }: GateOptions,
  parts: Omit<AppOptions, "scanPreprocessors" | "secretPath" | "reviewMemory">,
): AppOptions {
  return {
    ...parts,
    scanPreprocessors,
    reviewMemory: reviewMemory(),
    ...(secretPath !== undefined && { secretPath }),
  };
}

/**
 * Loading background work and starting the thread of probes block this thread. Requests that arrive as soon as the port
 * is open are answered before.
 */
async function afterFirstRequest(): Promise<void> {
  await pause(firstRequestTime);
}

/** The parts of a gate that must be closed. */
interface GateParts {
  readonly policies: PoliciesInForce;
  readonly listener: Listener;
  readonly audit: AuditQueue;
  readonly recorder: ReviewFiles | undefined;
  readonly background: LateBackground;
  readonly ports: OpenPorts;
  readonly probes: Probes;
}

async function closeAll(
  { policies, listener, audit, recorder, background, ports, probes }: GateParts,
): Promise<void> {
  await policies.close();
  await listener.close();
  await within(closingTime, audit.drain());
  if (recorder !== undefined) await within(closingTime, recorder.close());
  await within(closingTime, background.close());
  await ports.close();
  probes.close();
}

/** Makes the metrics, with those of work on a cluster. */
function openMetrics(version: string): { metrics: Metrics; clusterMetrics: ClusterMetrics } {
  const metrics = new Metrics(version), clusterMetrics = new ClusterMetrics();
  metrics.add(clusterMetrics);
  return { metrics, clusterMetrics };
}

/** Counts calls to the API server by verb and resource. */
function countingCalls(metrics: Metrics): (call: ApiCall) => void {
  return ({ method, path }) => {
    const { operation, resource } = apiQuery(method, path);
    metrics.called(operation, resource);
  };
}

async function openRecorder(
  { record }: GateOptions,
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
): Promise<ReviewFiles | Fault | undefined> {
  if (record === undefined) return undefined;
  const opened = await ReviewFiles.open({ ...record, clock: systemClock(), log, metrics });
  if (!isFault(opened)) log.write("info", "reviews are recorded", { folder: record.folder });
  return opened;
}

/** Waits for something to end, but at most for this many milliseconds. */
async function within(milliseconds: number, ending: Promise<void>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => timer = setTimeout(resolve, milliseconds));
  await Promise.race([ending, late]);
  clearTimeout(timer);
}
