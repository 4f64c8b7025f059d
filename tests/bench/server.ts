/** Servers under test, each a process of its own, and what the operating system says of them. */
import { systemText } from "./system_text.ts";
import https from "node:https";
import type { Command } from "../support/image.ts";

const root = new URL("../../", import.meta.url).pathname;

/** A process that serves TLS on a port of the loopback address. */
export interface Server {
  readonly port: number;
  /** NaN where the system does not tell. */
  memory(): Promise<Memory>;
  /** Processor time so far, in seconds; NaN where the system does not tell. */
  processorTime(): Promise<number>;
  /** Leaves the process one processor, counted from 0, or gives it the first two again. */
  pin(processors: "0" | "0,1"): Promise<void>;
  stop(): Promise<void>;
}

/** Memory of a process in MiB. */
export interface Memory {
  /** Private memory that no file backs: the kernel frees it when the process ends. */
  readonly unshared: number;
  /** All that is resident, with the pages of the program's file, which replicas of a node share. */
  readonly resident: number;
}

/** A request whose answer shows that a server is up. */
export interface Probe {
  readonly path: string;
  readonly body: string;
}

/** A program that serves TLS on a port of the loopback address. */
export interface Program {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly port: number;
}

/** Starts a command of Deno on a free port and waits until it answers the probe. */
export async function startServer({ args, env }: Command, probe: Probe): Promise<Server> {
  const port = freePort();
  const program = { file: Deno.execPath(), args: args.map((each) => each.replace("PORT", String(port))) };
  return await startProgram({ ...program, env, port }, probe);
}

/** Starts a program and waits until it answers the probe. */
export async function startProgram({ file, args, env, port }: Program, probe: Probe): Promise<Server> {
  const started = performance.now();
  const process = new Deno.Command(file, {
    args: [...args],
    cwd: root,
    env: { ...env },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  let ended = false;
  const status = process.status.then((value) => {
    ended = true;
    return value;
  });
  while (!await answers(port, probe)) {
    if (performance.now() - started > 60_000) process.kill("SIGKILL");
    if (ended) throw new Error(`the server ended: ${file} ${args.join(" ")}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const server: Server = {
    port,
    memory: () => memoryOf(process.pid),
    processorTime: async () => {
      // Of each thread, in nanoseconds; the time of a whole process has ticks of 10 ms.
      const threads = (await systemText(`/proc/${process.pid}/task/*/schedstat`)).split("\n");
      const times = threads.map((line) => Number(line.split(" ")[0]));
      return times.reduce((sum, time) => sum + time, 0) / 1e9;
    },
    pin: async (processors) => {
      const args = ["-a", "-c", "-p", processors, String(process.pid)];
      await new Deno.Command("taskset", { args, stdout: "null" }).output();
    },
    stop: async () => {
      running.delete(server);
      if (!ended) process.kill("SIGKILL");
      await status;
    },
  };
  running.add(server);
  return server;
}

/**
 * Waits until servers that were just started have collected the garbage of their start, which they do when no request
 * was answered for two seconds. Afterwards V8 compiles again what requests call, so they are warmed up only then.
 */
export async function untilCollected(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 4_500));
}

/** The memory of a process; NaN where the system does not tell. */
export async function memoryOf(pid: number): Promise<Memory> {
  const text = await systemText(`/proc/${pid}/status`);
  const field = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1] ?? NaN) / 1024;
  return { unshared: field("RssAnon"), resident: field("VmRSS") };
}

const running = new Set<Server>();

/** Ends the servers that a section left behind. */
export async function stopAll(): Promise<void> {
  for (const server of running) await server.stop();
}

function answers(port: number, { path, body }: Probe): Promise<boolean> {
  const headers = {
    "content-type": "application/json",
    "content-length": String(new TextEncoder().encode(body).length),
  };
  return new Promise((resolve) => {
    const request = https.request({
      host: "127.0.0.1",
      port,
      path,
      method: "POST",
      headers,
      agent: false,
      rejectUnauthorized: false,
    }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode === 200));
      answer.on("error", () => resolve(false));
    });
    request.on("error", () => resolve(false));
    request.end(body);
  });
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}
