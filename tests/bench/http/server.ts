/** Servers under test, each a process of its own, and what the operating system says of them. */
import type { Load } from "./load.ts";

const root = new URL("../../../", import.meta.url).pathname;

/** A process that listens on a port of the loopback address. */
export interface Server {
  readonly port: number;
  /** Milliseconds from starting the process to its first answer. */
  readonly started: number;
  /** Resident memory in MB; NaN where the system does not tell. */
  memory(): Promise<number>;
  /** Processor time so far, in seconds; NaN where the system does not tell. */
  processorTime(): Promise<number>;
  stop(): Promise<void>;
}

/** Starts `deno ARGS`, in which PORT stands for a free port, and waits until it answers a body at a path. */
export async function startServer(
  args: readonly string[],
  { path, body }: { readonly path: string; readonly body: string },
): Promise<Server> {
  const port = freePort();
  const started = performance.now();
  const process = new Deno.Command(Deno.execPath(), {
    args: args.map((each) => each.replace("PORT", String(port))),
    cwd: root,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  let ended = false;
  const status = process.status.then((value) => {
    ended = true;
    return value;
  });
  while (!await answers(port, path, body)) {
    if (ended) throw new Error(`the server ended: deno ${args.join(" ")}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const elapsed = performance.now() - started;
  return {
    port,
    started: elapsed,
    memory: async () => {
      const text = await systemText(`/proc/${process.pid}/status`);
      return Number(/VmRSS:\s+(\d+)/.exec(text)?.[1] ?? NaN) / 1024;
    },
    processorTime: async () => {
      // The fields behind the name, which may hold spaces: user and system time are the 12th and 13th, in ticks.
      const fields = (await systemText(`/proc/${process.pid}/stat`)).split(") ").at(-1)!.split(" ");
      return (Number(fields[11] ?? NaN) + Number(fields[12] ?? NaN)) / 100;
    },
    stop: async () => {
      process.kill("SIGKILL");
      await status;
    },
  };
}

async function answers(port: number, path: string, body: string): Promise<boolean> {
  try {
    const headers = { "content-type": "application/json", connection: "close" };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body });
    await answer.text();
    return answer.status === 200;
  } catch {
    return false;
  }
}

/** A file of `/proc`, which Deno itself reads only with all permissions. */
async function systemText(path: string): Promise<string> {
  try {
    const { stdout } = await new Deno.Command("cat", { args: [path], stderr: "null" }).output();
    return new TextDecoder().decode(stdout);
  } catch {
    return "";
  }
}

function freePort(): number {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  return listener.addr.port;
}

/** What to send, and for how long. */
export interface LoadOrder {
  readonly path: string;
  readonly bodyFile: string;
  readonly seconds: number;
  /** Ends the load earlier, after so many requests. */
  readonly requests?: number;
}

/** A load with what it cost the server. */
export interface Measured extends Load {
  /** Requests in a second. */
  readonly rate: number;
  /** Microseconds of the server's processor time for a request. */
  readonly cost: number;
}

const connections = 16;

/** Sends load from a process of its own. */
export async function loadServer(server: Server, order: LoadOrder): Promise<Measured> {
  const { path, bodyFile, seconds, requests = Infinity } = order;
  const before = await server.processorTime();
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--allow-net=127.0.0.1",
      `--allow-read=${bodyFile}`,
      `${root}tests/bench/http/load.ts`,
      ...[server.port, path, bodyFile, connections, seconds, requests].map(String),
    ],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error("the load generator failed");
  const load: Load = JSON.parse(new TextDecoder().decode(stdout));
  if (load.failures > 0) {
    throw new Error(`${load.failures} of ${load.requests} answers to ${path} were not 200`);
  }
  const spent = await server.processorTime() - before;
  return { ...load, rate: load.requests / load.seconds, cost: spent * 1e6 / load.requests };
}
