import { jsonLog, systemClock } from "../adapters/mod.ts";
import { compile } from "../engine/mod.ts";
import type { Json } from "../json/mod.ts";
import type { Dialect } from "../match/mod.ts";
import { BackgroundWorker, ownUsername } from "../background/mod.ts";
import { createApp } from "../server/mod.ts";
import { AuditQueue } from "../server/mod.ts";
import { bundledPorts } from "./bundled_ports.ts";
import { logLevelOf, type Settings } from "./settings.ts";
import { Metrics } from "../server/mod.ts";

/** What a bundle was made of: policies and exceptions, read and checked when it was made. */
export interface BundledPolicies {
  readonly documents: readonly { readonly file: string; readonly value: Json }[];
  readonly dialect: Dialect;
}

/** What a bundle needs of the runtime that it runs on. */
export interface BundleRuntime {
  readonly settings: Settings;
  /** Takes one line of the log, without the line break. */
  readonly writeLine: (line: string) => void;
}

/** What `deno serve` and edge platforms call. */
export interface FetchHandler {
  fetch(request: Request): Promise<Response>;
}

/**
 * The handler of a bundle: compiles the policies now, and answers what {@link createApp} answers, with `/metrics` beside
 * it. Settings come from the runtime: `POSTERN_SECRET_PATH` (everything is served below it), `POSTERN_LOG_LEVEL`, and
 * those of {@link bundledPorts}. No file is read but a pod's service account.
 */
export async function bundledHandler(
  policies: BundledPolicies,
  { settings, writeLine }: BundleRuntime,
): Promise<FetchHandler> {
  const { dialect } = policies;
  const snapshot = compile(policies.documents.map(asDocument), { dialect });
  const log = jsonLog({ clock: systemClock(), write: writeLine, level: logLevelOf(settings) });
  const ports = await bundledPorts(settings);
  const metrics = new Metrics();
  metrics.loaded(snapshot);
  const current = () => snapshot;
  const audit = new AuditQueue({ snapshot: current, ports, log, metrics });
  // Whoever reaches a bundle can send reviews: only what the cluster stores sets anything off.
  const self = await ownUsername(ports.cluster);
  const effects = new BackgroundWorker({
    snapshot: current,
    ports,
    log,
    triggers: "as-stored",
    ...(self !== undefined && { self }),
  });
  const secretPath = settings("POSTERN_SECRET_PATH");
  const app = createApp({
    snapshot: current,
    ports,
    log,
    metrics,
    audit,
    effects,
    ...(secretPath !== undefined && { secretPath }),
  });
  app.get("/metrics", async (c) => c.text(await metrics.text()));
  return { fetch: async (request) => await app.fetch(request) };
}

/** Diagnostics were given when the bundle was made; here nobody would read the place. */
function asDocument(
  { file, value }: BundledPolicies["documents"][number],
): Parameters<typeof compile>[0][number] {
  return { value, positionOf: () => ({ file, line: 1, column: 1 }) };
}
