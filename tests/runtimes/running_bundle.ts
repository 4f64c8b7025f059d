/** A bundle that a runtime serves, for tests. */
import assert from "node:assert/strict";

/** The bundle that a runtime serves. */
export interface BundleToServe {
  /** The file of the bundle, in a folder of its own. */
  readonly file: string;
  readonly folder: string;
  /** `POSTERN_SECRET_PATH` and others, which each platform reads from its environment. */
  readonly settings: Readonly<Record<string, string>>;
  /** The hosts besides 127.0.0.1 that the runtime lets its policies call. */
  readonly hosts?: readonly string[];
  /** `public`: workerd lets the worker call public addresses only, as it does when nobody configures it. */
  readonly network?: "public";
}

/** A runtime on which bundles are tested. */
export interface Runtime {
  /** The name of the target of `bundle`. */
  readonly target: string;
  /** Whether the runtime is on this machine, or can be installed. */
  isHere(): Promise<boolean>;
  /** Starts it, and waits until it listens. */
  serve(bundle: BundleToServe): Promise<RunningBundle>;
}

/** A runtime that serves a bundle. Disposing of it ends the process and waits for its end. */
export interface RunningBundle extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`. */
  readonly address: string;
  readonly pid: number;
  /** Everything that was written to the two outputs so far. */
  log(): string;
  /** Stops reading what it writes, until the result is called: its pipe fills. */
  pauseLog(): () => void;
}

/** A process to start. */
export interface ServingProcess {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Matches what the process writes when it listens; the first group is the port. */
  readonly listens: RegExp;
}

/** Starts a process that serves, and waits until it says its port; fails when it ends before, or after 30 seconds. */
export async function startServing(
  { command, args, env = {}, listens }: ServingProcess,
): Promise<RunningBundle> {
  const process = new Deno.Command(command, {
    args: [...args],
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let log = "", resume = (): void => {};
  let reads = Promise.resolve();
  let changed = Promise.withResolvers<void>();
  const read = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    for await (const text of stream.pipeThrough(new TextDecoderStream())) {
      await reads;
      log += text;
      changed.resolve();
      changed = Promise.withResolvers();
    }
  };
  const reading = Promise.all([read(process.stdout), read(process.stderr)]);
  const ended = process.status.then(() => "ended" as const);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => timer = setTimeout(() => resolve("late"), 30_000));
  const dispose = async (): Promise<void> => {
    resume();
    try {
      process.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    await process.status;
    await reading;
  };
  for (;;) {
    const port = listens.exec(log)?.[1];
    if (port !== undefined) {
      clearTimeout(timer);
      return {
        address: `http://127.0.0.1:${port}`,
        pid: process.pid,
        log: () => log,
        pauseLog() {
          ({ promise: reads, resolve: resume } = Promise.withResolvers<void>());
          return resume;
        },
        [Symbol.asyncDispose]: dispose,
      };
    }
    const outcome = await Promise.race([changed.promise, ended, late]);
    if (outcome === undefined) continue;
    clearTimeout(timer);
    await dispose();
    assert.fail(`${command} ${outcome === "late" ? "does not listen" : "ended"}:\n${log}`);
  }
}

/** Whether a command answers. */
export async function answers(command: string, ...args: string[]): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(command, {
      args,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    })
      .output();
    return success;
  } catch {
    return false;
  }
}
