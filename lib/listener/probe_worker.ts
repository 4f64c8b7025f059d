/** A thread that answers probes even while the main thread is busy. */
import { plainAnswer } from "./answer_bytes.ts";
import type { ListenerAnswer } from "./handler.ts";
import { ProbePort, type ProbeRequest } from "./probe_port.ts";
import { PulseReader } from "./pulse.ts";

/** The first message to the thread: the address to listen on, and the memory of the main thread's pulse. */
export interface ProbeTask {
  readonly hostname: string;
  readonly port: number;
  readonly pulse: Int32Array<SharedArrayBuffer>;
}

/** Every other message to the thread: the main thread's answer to a request. */
export interface ProbeReply {
  readonly request: ProbeRequest;
  readonly answer: ListenerAnswer;
}

/** A message from the probe thread: the port that it listens on, or a request that the main thread answers. */
export type ProbeMessage =
  | { readonly kind: "listens"; readonly port: number }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "request"; readonly request: ProbeRequest };

/** The members of a worker's global scope that the main thread's types lack. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<ProbeTask | ProbeReply>) => void) | null;
  postMessage(message: ProbeMessage): void;
}

/**
 * After this many milliseconds without a beat, the main thread counts as stalled. The worst requests block its event
 * loop for less than a second. The kubelet restarts the container after three failed probes.
 */
const stalledAfter = 10_000;

const scope = globalThis as unknown as WorkerScope;
/** The most different requests that may wait for the main thread: it may be busy, and callers may retry at once. */
const mostWaiting = 32;

/** Requests that wait for the main thread. Callers that send the same request meanwhile get the same answer. */
const waiting = new Map<string, PromiseWithResolvers<ListenerAnswer>>();

scope.onmessage = ({ data }) => {
  if ("answer" in data) {
    const key = keyOf(data.request);
    waiting.get(key)?.resolve(data.answer);
    waiting.delete(key);
    return;
  }
  const { hostname, port, pulse } = data;
  const reader = new PulseReader(pulse, stalledAfter);
  setInterval(() => reader.read(), 1_000);
  try {
    const opened = new ProbePort({ hostname, port, vitality: () => reader.read(), answer });
    scope.postMessage({ kind: "listens", port: opened.port });
  } catch (cause) {
    scope.postMessage({ kind: "failed", message: cause instanceof Error ? cause.message : String(cause) });
  }
};

function answer(request: ProbeRequest): Promise<ListenerAnswer> {
  const key = keyOf(request);
  let answered = waiting.get(key);
  if (answered === undefined) {
    if (waiting.size >= mostWaiting) {
      return Promise.resolve(plainAnswer(503, "too many requests are waiting"));
    }
    waiting.set(key, answered = Promise.withResolvers());
    scope.postMessage({ kind: "request", request });
  }
  return answered.promise;
}

function keyOf({ target, address }: ProbeRequest): string {
  return `${address} ${target}`;
}
