import type { ListenerAnswer } from "./handler.ts";
import { listenProblem } from "./listen_problem.ts";
import { ProbePort, type ProbeRequest } from "./probe_port.ts";
import type { ProbeMessage, ProbeReply, ProbeTask } from "./probe_worker.ts";
import { Pulse } from "./pulse.ts";

/** The address of the port of probes and metrics, and the functions that answer there. */
export interface ProbeOptions {
  readonly hostname: string;
  readonly port: number;
  /** Whether Postern can decide requests. */
  readonly isReady: () => boolean;
  /** Answers requests that are not probes; it must not throw. */
  readonly answer: (request: ProbeRequest) => Promise<ListenerAnswer>;
  /** Receives a message when the port runs without a thread, or when the thread ended and probes fail. */
  readonly problem: (message: string) => void;
}

/** The port of probes and metrics, without TLS. */
export interface Probes {
  readonly port: number;
  close(): void;
}

/**
 * Opens the port of probes and metrics on a separate thread. The event loop of the main thread may be busy for seconds
 * when thousands of callers connect at once, and the kubelet would then restart a container that works. If the process
 * has no permission to read the thread's code, the main thread answers probes, and `problem` receives a message.
 *
 * @returns the port, or a text that says why it cannot be opened
 */
export async function openProbePort(options: ProbeOptions): Promise<Probes | string> {
  const file = workerFile();
  const { state } = await Deno.permissions.query({ name: "read", path: file });
  if (state === "granted") return await openThread(file, options);
  options.problem(`the main thread answers probes: there is no permission to read ${file.pathname}`);
  return openHere(options);
}

async function openThread(file: URL, options: ProbeOptions): Promise<Probes | string> {
  const { hostname, port, isReady, answer, problem } = options;
  const worker = new Worker(file, { type: "module", name: "probes" });
  const pulse = new Pulse(isReady);
  const close = (): void => {
    pulse.stop();
    worker.terminate();
  };
  const opened = await new Promise<number | string>((resolve) => {
    worker.onerror = (event) => {
      event.preventDefault();
      problem(`the probe thread ended: ${event.message}`);
      resolve(`the probe thread cannot be started: ${event.message}`);
    };
    worker.onmessage = ({ data }: MessageEvent<ProbeMessage>) => {
      switch (data.kind) {
        case "listens":
          return resolve(data.port);
        case "failed":
          return resolve(listenProblem(hostname, port, data.message));
        case "request": {
          const { request } = data;
          void answer(request).then((answer) => worker.postMessage({ request, answer } satisfies ProbeReply));
        }
      }
    };
    worker.postMessage({ hostname, port, pulse: pulse.memory } satisfies ProbeTask);
  });
  if (typeof opened === "number") return { port: opened, close };
  close();
  return opened;
}

/** Opens the port on the main thread. It never reports "stalled": a thread that answers is not stalled. */
function openHere(options: ProbeOptions): Probes | string {
  const { hostname, port, isReady, answer } = options;
  try {
    return new ProbePort({ hostname, port, vitality: () => isReady() ? "ready" : "loading", answer });
  } catch (cause) {
    return listenProblem(hostname, port, cause);
  }
}

/** The thread's code: beside this file, or beside the bundled program, as in the container image. */
function workerFile(): URL {
  const here = import.meta.url as string | undefined;
  return here === undefined
    ? new URL("./probes.js", Deno.mainModule)
    : new URL("./probe_worker.ts", import.meta.url);
}
