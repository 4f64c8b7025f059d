import { Hono } from "hono/tiny";
import { type AddressLookup, jsonLog, systemClock } from "../adapters/mod.ts";
import { compile, type Snapshot } from "../engine/mod.ts";
import type { Json } from "../json/mod.ts";
import type { Log, Scheduler } from "../ports.ts";
import type { Dialect } from "../match/mod.ts";
import { plainDocument } from "../yaml/mod.ts";
import { AuditQueue, createApp, Metrics, secretPathProblem } from "../server/mod.ts";
import { type BundledImages, bundledPorts } from "./bundled_ports.ts";
import { openEffects } from "./effects.ts";
import { limitsOf } from "./limits.ts";
import { logLevelOf, type Settings } from "./settings.ts";
import type { BundleTarget } from "./target.ts";

/** The policies and exceptions in a bundle. The command `bundle` has read and checked them. */
export interface BundledPolicies {
  readonly documents: readonly { readonly file: string; readonly value: Json }[];
  readonly dialect: Dialect;
}

/** The parts of the JavaScript runtime that a bundle uses. */
export interface BundleRuntime {
  readonly target: BundleTarget;
  readonly settings: Settings;
  /** Takes one line of the log, without the line break. */
  readonly writeLine: (line: string) => void;
  readonly scheduler: Scheduler;
  /** Looks host names up, so that no name leads a policy to this machine. Absent where the runtime has no look-ups. */
  readonly resolve?: AddressLookup;
  /** Opens the ports that read image registries. Only bundles whose policies read images have it. */
  readonly images?: BundledImages | undefined;
}

/** The handler that `deno serve` and edge platforms call. */
export interface FetchHandler {
  fetch(request: Request): Promise<Response>;
}

/** The gate of a bundle: it answers requests. */
export interface BundledGate extends FetchHandler {
  /** Hono's app, which answers the same requests. Some adapters of platforms require it. */
  readonly app: Hono;
  /** Waits for the work that follows answers: audit results, and the effects of rules on other objects. */
  workDone(): Promise<void>;
}

/** Compiles the policies of a bundle. It needs no runtime features, so it can run while the module is loaded. */
export function compileBundled({ documents, dialect }: BundledPolicies): Snapshot {
  // `bundle` has printed the diagnostics, and nobody reads positions here.
  return compile(documents.map(({ value, file }) => plainDocument(value, file)), { dialect });
}

/**
 * Opens the gate of a bundle, which serves the paths of {@link createApp} and `/metrics`. Settings come from the
 * runtime: `POSTERN_SECRET_PATH` (the gate serves its paths below it), `POSTERN_LOG_LEVEL`, and those of
 * {@link bundledPorts}. The gate reads no file except a pod's service account. It first logs the features of policies
 * that the runtime lacks.
 */
export async function openBundledGate(snapshot: Snapshot, runtime: BundleRuntime): Promise<BundledGate> {
  const { target, settings, writeLine, scheduler, resolve, images } = runtime;
  const log = jsonLog({ clock: systemClock(), write: writeLine, level: logLevelOf(settings) });
  log.write("info", "policies in force", { policies: snapshot.policies.length, runtime: target.name });
  for (const limit of limitsOf(snapshot, target)) log.write("warn", limit);
  // `bundle` accepts only policies without errors, so an error here is a defect of the bundle.
  for (const { severity, message } of snapshot.diagnostics) {
    if (severity === "error") log.write("error", message);
  }
  const secretPath = settings("POSTERN_SECRET_PATH");
  // A bundle does not know its callers.
  const problem = secretPath && secretPathProblem(secretPath, "public");
  if (problem) return refusingGate(`POSTERN_SECRET_PATH ${problem}`, log);
  const ports = await bundledPorts(settings, { images, resolve, scheduler });
  const metrics = new Metrics();
  metrics.loaded(snapshot);
  const current = () => snapshot;
  const audit = new AuditQueue({ snapshot: current, ports, log, metrics });
  const effects = target.afterAnswer === "stops" ? undefined : await openEffects(snapshot, { ports, log });
  const app = createApp({
    snapshot: current,
    ports,
    log,
    metrics,
    audit,
    ...(effects !== undefined && { effects }),
    ...(secretPath !== undefined && { secretPath }),
  });
  app.get(`${secretPath ?? ""}/metrics`, async (c) => c.text(await metrics.text()));
  return {
    app,
    fetch: async (request) => await app.fetch(request),
    async workDone() {
      await Promise.all([audit.drain(), effects?.drain()]);
    },
  };
}

/** A gate that answers nothing, because a setting would let anybody send reviews. */
function refusingGate(message: string, log: Log): BundledGate {
  log.write("error", message);
  const app = new Hono();
  app.all("*", (c) => c.json({ message }, 503));
  return { app, fetch: async (request) => await app.fetch(request), workDone: () => Promise.resolve() };
}
