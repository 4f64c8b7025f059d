import { serve } from "@hono/node-server";
import { readFileSync, realpathSync } from "node:fs";
import { createServer } from "node:https";
import { pathToFileURL } from "node:url";
import { environmentVariable } from "../../adapters/mod.ts";
import { isFault } from "../../json/mod.ts";
import type { BundledGate, BundledPolicies, FetchHandler } from "../bundled_gate.ts";
import type { BundledImages } from "../bundled_ports.ts";
import { openProcessGate } from "../process_gate.ts";
import { consoleLines, type Settings } from "../settings.ts";
import type { BundleTarget } from "../target.ts";
import { tlsFiles } from "../tls_files.ts";

/** Node.js. */
export const target: BundleTarget = {
  name: "node",
  about: "Node.js 20 and later",
  exported: "default",
  extension: ".mjs",
  afterAnswer: "runs",
  tryIt: (file) => `node ${file}`,
};

/**
 * Opens the gate and returns the file's export. It also listens if Node.js runs the file as a program. Settings are
 * environment variables: those of all bundles, `PORT` (8080), and the {@link tlsFiles}.
 * Without a secret path it listens on this machine only, because every client that reaches a gate can send it reviews.
 */
export async function open(policies: BundledPolicies, images?: BundledImages): Promise<FetchHandler> {
  const gate = await openProcessGate(target, { policies, images });
  if (isProgram()) listen(gate, environmentVariable);
  return { fetch: gate.fetch };
}

/** Whether Node was started with this file. */
function isProgram(): boolean {
  const started = globalThis.process?.argv[1];
  return started !== undefined && pathToFileURL(realpathSync(started)).href === import.meta.url;
}

function listen(gate: BundledGate, settings: Settings): void {
  const files = tlsFiles(settings), writeLine = consoleLines();
  if (isFault(files)) {
    writeLine(files.message);
    globalThis.process.exitCode = 1;
    return;
  }
  const hostname = settings("POSTERN_SECRET_PATH") === undefined ? "127.0.0.1" : "0.0.0.0";
  const tls = files === undefined ? {} : {
    createServer,
    serverOptions: { cert: readFileSync(files.cert), key: readFileSync(files.key) },
  };
  const server = serve(
    { fetch: gate.fetch, port: Number(settings("PORT") ?? 8080), hostname, ...tls },
    ({ address, port }) =>
      writeLine(`listening on ${files === undefined ? "http" : "https"}://${address}:${port}`),
  );
  // The platform sends SIGTERM once and then waits for the pending answers.
  globalThis.process.once("SIGTERM", () => server.close(() => void gate.workDone()));
}
