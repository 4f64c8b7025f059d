/** The load generator, built from `client/` with Go: an API server's way to call a webhook. */
import type { Command } from "../support/image.ts";
import { root } from "./bench.ts";
import type { Server } from "./server.ts";

const client = new URL("client/", import.meta.url).pathname;

/** The result of one run of load; times in milliseconds. */
export interface Load {
  readonly requests: number;
  readonly seconds: number;
  readonly p50: number;
  readonly p99: number;
  /** How much of one core the generator itself took. */
  readonly busy: number;
  /** Answers other than 200, and calls without one. */
  readonly failures: number;
  /** The first of the failures, or "". */
  readonly problem: string;
  /** `HTTP/1.1` or `HTTP/2.0`. */
  readonly protocol: string;
}

/** The load of one of several servers that are loaded in turn. */
export interface LoadInTurn extends Load {
  /** Requests in a second, of each turn. */
  readonly rates: readonly number[];
  /** Microseconds of the server's processor time for a request. */
  readonly cost: number;
}

/** A load with what it cost the server. */
export interface Measured extends Load {
  /** Requests in a second. */
  readonly rate: number;
  /** Microseconds of the server's processor time for a request. */
  readonly cost: number;
}

/** The request that a run of load sends, how many callers send it, and for how many seconds. */
export interface LoadOrder {
  readonly path: string;
  readonly bodyFile: string;
  readonly connections: number;
  readonly seconds: number;
  /** Ends the load earlier, after so many requests. */
  readonly requests?: number;
  /** Milliseconds that a caller waits after an answer; none when absent. */
  readonly pause?: number;
  /** Runs the generator on this processor alone, counted from 0. */
  readonly processor?: number;
}

/** Builds the generator into a folder; an error says that Go is missing. */
export async function buildClient(folder: string): Promise<string> {
  const file = `${folder}/client`;
  const env = { CGO_ENABLED: "0", GOFLAGS: "-mod=mod", GOTOOLCHAIN: "local" };
  const args = ["build", "-o", file, "."];
  const { success, stderr } = await new Deno.Command("go", { args, cwd: client, env }).output();
  if (!success) throw new Error(`the load generator needs Go: ${new TextDecoder().decode(stderr)}`);
  return file;
}

/** Loads a server and measures both sides; a failed request ends the benchmark, as its figures would mean nothing. */
export async function loadServer(generator: string, server: Server, order: LoadOrder): Promise<Measured> {
  const before = await server.processorTime();
  const load = await loadUrl(generator, urlOf(server, order.path), order);
  const spent = await server.processorTime() - before;
  return { ...load, rate: load.requests / load.seconds, cost: spent * 1e6 / load.requests };
}

/**
 * Loads servers in turn, each `turns` times for so many seconds, and keeps the connections. What else the machine does
 * then meets them alike: at one connection a run of a second differs from the next by a tenth.
 */
export async function loadInTurn(
  generator: string,
  servers: readonly Server[],
  { turns, ...order }: LoadOrder & { readonly turns: number },
): Promise<readonly LoadInTurn[]> {
  const before = await Promise.all(servers.map((server) => server.processorTime()));
  const urls = servers.map((server) => urlOf(server, order.path));
  const loads = await runGenerator(generator, urls, { ...order, turns });
  const after = await Promise.all(servers.map((server) => server.processorTime()));
  return loads.map((load, index) => ({
    ...load,
    cost: (after[index]! - before[index]!) * 1e6 / load.requests,
  }));
}

/**
 * Milliseconds from starting a command on a free port to its first answer to a review. The generator starts it and
 * tries to connect, since a client in this process would itself take time at its first request.
 */
export async function startTime(
  generator: string,
  { args, env }: Command,
  { path, bodyFile }: Pick<LoadOrder, "path" | "bodyFile">,
): Promise<number> {
  const line = ["start", `-path=${path}`, `-body=${bodyFile}`, "--", Deno.execPath(), ...args];
  const command = new Deno.Command(generator, { args: line, cwd: root, env: { ...env }, stderr: "inherit" });
  const { success, stdout } = await command.output();
  if (!success) throw new Error(`no start: deno ${args.join(" ")}`);
  return JSON.parse(new TextDecoder().decode(stdout)).answered;
}

function urlOf({ port }: Server, path: string): string {
  return `https://127.0.0.1:${port}${path}?timeout=10s`;
}

async function loadUrl(
  generator: string,
  url: string,
  order: Omit<LoadOrder, "path">,
): Promise<Load> {
  const [load] = await runGenerator(generator, [url], { ...order, turns: 1 });
  return load!;
}

async function runGenerator(
  generator: string,
  urls: readonly string[],
  order: Omit<LoadOrder, "path"> & { readonly turns: number },
): Promise<readonly (Load & Pick<LoadInTurn, "rates">)[]> {
  const args = [
    `-url=${urls.join(",")}`,
    "-server-name=postern.postern.svc",
    `-body=${order.bodyFile}`,
    `-connections=${order.connections}`,
    `-seconds=${order.seconds}`,
    `-turns=${order.turns}`,
    ...(order.requests === undefined ? [] : [`-requests=${order.requests}`]),
    ...(order.pause === undefined ? [] : [`-pause=${order.pause}`]),
  ];
  const { processor } = order;
  const command = processor === undefined
    ? new Deno.Command(generator, { args, stderr: "inherit" })
    : new Deno.Command("taskset", {
      args: ["-c", String(processor), generator, ...args],
      env: { GOMAXPROCS: "1" },
      stderr: "inherit",
    });
  const { success, stdout } = await command.output();
  if (!success) throw new Error("the load generator failed");
  const lines = new TextDecoder().decode(stdout).trimEnd().split("\n");
  const loads: (Load & Pick<LoadInTurn, "rates">)[] = lines.map((line) => JSON.parse(line));
  for (const [index, { failures, requests, problem }] of loads.entries()) {
    if (failures > 0) {
      throw new Error(`${failures} of ${requests} requests to ${urls[index]} failed: ${problem}`);
    }
  }
  return loads;
}
