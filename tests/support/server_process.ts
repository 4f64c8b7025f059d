/** Postern as a process of its own, for tests that attack it, measure it or end it. */
import { join } from "node:path";

const root = new URL("../../", import.meta.url).pathname;

/** How to start a server. */
export interface ServerOptions {
  /** YAML of the policies; they are written to a folder that goes with the server. */
  readonly policies: string;
  /** Arguments of `serve` beside `--policies`, `--port` and `--metrics-port`. Without `--no-tls` it serves TLS. */
  readonly args?: readonly string[];
  /** The file of Deno that is run: `main.ts` of this repository by default. */
  readonly program?: string;
  /** Arguments of `deno run`, such as `--v8-flags=…`, before the file. */
  readonly runtime?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** A server that runs. Disposing of it kills it and waits for its end. */
export interface ServerProcess extends AsyncDisposable {
  /** `http://127.0.0.1:PORT` or `https://…`, without a slash at the end. */
  readonly address: string;
  readonly port: number;
  readonly metricsPort: number;
  readonly pid: number;
  /** The folder of the policies, to change them while the server runs. */
  readonly folder: string;
  /** Everything that the server wrote to standard error so far. */
  log(): string;
  /** Stops reading what the server writes, until the result is called: its pipe fills. */
  pauseLog(): () => void;
  /** Waits until the server has written something that matches; fails when it ends before or after a minute. */
  until(pattern: RegExp): Promise<string>;
  /** Memory of the process in MiB: what is resident now, and the most that ever was. */
  memory(): Promise<Memory>;
  /** Processor time so far, in seconds. */
  processorTime(): Promise<number>;
  signal(name: Deno.Signal): void;
  /** Whether the process still runs. */
  running(): boolean;
  /** How it ended. */
  readonly status: Promise<Deno.CommandStatus>;
}

/** Resident memory in MiB. */
export interface Memory {
  readonly now: number;
  readonly most: number;
}

/** Starts `main.ts serve` on free ports of the loopback address and waits until it listens. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const folder = await Deno.makeTempDir({ prefix: "postern-hostile-" });
  await Deno.writeTextFile(join(folder, "policies.yaml"), options.policies);
  const { args = [], program = "main.ts", env = {} } = options;
  const { runtime = ["--v8-flags=--max-semi-space-size=8"] } = options;
  const permissions = ["--no-prompt", "--allow-read", "--allow-env", "--allow-net=127.0.0.1"];
  const ports = ["--port", "0", "--metrics-port", "0"];
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", ...permissions, ...runtime, program, "serve", "--policies", folder, ...ports, ...args],
    cwd: root,
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
    stdout: "null",
    stderr: "piped",
  }).spawn();
  const output = new Output(process.stderr);
  let running = true;
  const status = process.status.then((value) => {
    running = false;
    return value;
  });
  const end = async (): Promise<void> => {
    if (running) process.kill("SIGKILL");
    await status;
    output.resume();
    await output.ended;
    await Deno.remove(folder, { recursive: true });
  };
  try {
    const listening = /listens on (https?):\/\/([^\s/:]+):(\d+)[^\n]*?metrics: http:\/\/[^\s/]+:(\d+)/;
    const [, scheme, host, port, metricsPort] = listening.exec(await output.until(listening))!;
    return {
      address: `${scheme}://${host}:${port}`,
      port: Number(port),
      metricsPort: Number(metricsPort),
      pid: process.pid,
      folder,
      log: () => output.text,
      pauseLog: () => output.pause(),
      until: (pattern) => output.until(pattern),
      memory: () => memoryOf(process.pid),
      processorTime: () => processorTimeOf(process.pid),
      signal: (name) => process.kill(name),
      running: () => running,
      status,
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** Collects what a process writes, in one text. */
class Output {
  text = "";
  readonly ended: Promise<void>;
  #open = true;
  #more = Promise.withResolvers<void>();
  #paused: PromiseWithResolvers<void> | undefined;

  constructor(stream: ReadableStream<Uint8Array>) {
    this.ended = this.#read(stream);
  }

  async until(pattern: RegExp): Promise<string> {
    const { promise: late, resolve } = Promise.withResolvers<"late">();
    const timer = setTimeout(() => resolve("late"), 60_000);
    try {
      while (!pattern.test(this.text)) {
        if (!this.#open) throw new Error(`the server ended: ${this.text}`);
        if (await Promise.race([this.#more.promise, late]) === "late") {
          throw new Error(`${pattern} was not written within a minute: ${this.text}`);
        }
      }
      return this.text;
    } finally {
      clearTimeout(timer);
    }
  }

  async #read(stream: ReadableStream<Uint8Array>): Promise<void> {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      this.text += text;
      this.#wake();
      await this.#paused?.promise;
    }
    this.#open = false;
    this.#wake();
  }

  pause(): () => void {
    this.#paused ??= Promise.withResolvers();
    return () => this.resume();
  }

  resume(): void {
    this.#paused?.resolve();
    this.#paused = undefined;
  }

  #wake(): void {
    this.#more.resolve();
    this.#more = Promise.withResolvers();
  }
}

async function memoryOf(pid: number): Promise<Memory> {
  const text = await systemText(`/proc/${pid}/status`);
  const field = (name: string): number =>
    Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1] ?? NaN) / 1024;
  return { now: field("VmRSS"), most: field("VmHWM") };
}

async function processorTimeOf(pid: number): Promise<number> {
  // The fields behind the name, which may hold spaces: user and system time are the 12th and 13th, in ticks.
  const fields = (await systemText(`/proc/${pid}/stat`)).split(") ").at(-1)!.split(" ");
  return (Number(fields[11] ?? NaN) + Number(fields[12] ?? NaN)) / 100;
}

/** A file of `/proc`, which Deno itself reads only with all permissions. */
async function systemText(path: string): Promise<string> {
  const { stdout } = await new Deno.Command("cat", { args: [path], stderr: "null" }).output();
  return new TextDecoder().decode(stdout);
}

/** Waits some milliseconds. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Waits until something holds, looking every 50 milliseconds; fails with the text after the time. */
export async function eventually(
  what: string,
  holds: () => boolean | Promise<boolean>,
  milliseconds = 15_000,
): Promise<void> {
  const end = performance.now() + milliseconds;
  while (!await holds()) {
    if (performance.now() > end) throw new Error(`${what}: not within ${milliseconds} ms`);
    await pause(50);
  }
}
