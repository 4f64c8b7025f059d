import type { Hono } from "hono/tiny";
import { jsonLog, systemClock } from "../adapters/mod.ts";
import { compile, type Snapshot } from "../engine/mod.ts";
import type { Json } from "../json/mod.ts";
import type { Dialect } from "../match/mod.ts";
import { AuditQueue, createApp, Metrics } from "../server/mod.ts";
import { type BundledImages, bundledPorts } from "./bundled_ports.ts";
import { openEffects } from "./effects.ts";
import { limitsOf } from "./limits.ts";
import { logLevelOf, type Settings } from "./settings.ts";
import type { BundleTarget } from "./target.ts";

/** The policies and exceptions in a bundle, read and checked when `bundle` made it. */
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
  /** Opens the ports that read image registries; only bundles whose policies look at images have it. */
  readonly images?: BundledImages | undefined;
}

/** The handler that `deno serve` and edge platforms call. */
export interface FetchHandler {
  fetch(request: Request): Promise<Response>;
}

/** A bundle that answers. */
export interface BundledGate extends FetchHandler {
  /** Answers the same requests; some adapters of platforms want Hono's own app. */
  readonly app: Hono;
  /** Waits until all work is done that goes on after answers: audit results, and what rules do to other objects. */
  workDone(): Promise<void>;
}

/** Compiles the policies of a bundle. Needs nothing of the runtime, so that it can run while a module is loaded. */
export function compileBundled({ documents, dialect }: BundledPolicies): Snapshot {
  return compile(documents.map(asDocument), { dialect });
}

/**
 * The gate of a bundle: answers what {@link createApp} answers, with `/metrics` beside it. Settings come from the
 * runtime: `POSTERN_SECRET_PATH` (everything is served below it), `POSTERN_LOG_LEVEL`, and those of {@link bundledPorts}.
 * No file is read but a pod's service account. The log says first what the policies want and the runtime cannot do.
 */
export async function openBundledGate(snapshot: Snapshot, runtime: BundleRuntime): Promise<BundledGate> {
  const { target, settings, writeLine, images } = runtime;
  const log = jsonLog({ clock: systemClock(), write: writeLine, level: logLevelOf(settings) });
  log.write("info", "policies in force", { policies: snapshot.policies.length, runtime: target.name });
  for (const limit of limitsOf(snapshot, target)) log.write("warn", limit);
  // A bundle is only made of policies without errors: what is wrong now is wrong with the bundle.
  for (const { severity, message } of snapshot.diagnostics) {
    if (severity === "error") log.write("error", message);
  }
  const ports = await bundledPorts(settings, images);
  const metrics = new Metrics();
  metrics.loaded(snapshot);
  const current = () => snapshot;
  const audit = new AuditQueue({ snapshot: current, ports, log, metrics });
  const effects = target.afterAnswer === "stops" ? undefined : await openEffects(snapshot, { ports, log });
  const secretPath = settings("POSTERN_SECRET_PATH");
  const app = createApp({
    snapshot: current,
    ports,
    log,
    metrics,
    audit,
    ...(effects !== undefined && { effects }),
    ...(secretPath !== undefined && { secretPath }),
  });
  app.get("/metrics", async (c) => c.text(await metrics.text()));
  return {
    app,
    fetch: async (request) => await app.fetch(request),
    async workDone() {
      await Promise.all([audit.drain(), effects?.drain()]);
    },
  };
}

/** Diagnostics were given when the bundle was made; here nobody would read the place. */
function asDocument(
  { file, value }: BundledPolicies["documents"][number],
): Parameters<typeof compile>[0][number] {
  return { value, positionOf: () => ({ file, line: 1, column: 1 }) };
}
