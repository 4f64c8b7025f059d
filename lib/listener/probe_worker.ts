/** A thread that answers probes, whatever the main thread does. */
import { plainAnswer } from "./answer_bytes.ts";
import type { ListenerAnswer } from "./handler.ts";
import { ProbePort, type ProbeRequest } from "./probe_port.ts";
import { PulseReader } from "./pulse.ts";

/** The first message to the thread: where to listen, and the main thread's pulse. */
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
 * Milliseconds without a sign of the main thread's event loop after which it counts as stalled. The worst requests hold it
 * for less than a second; with three probes that fail the kubelet starts the container again.
 */
const stalledAfter = 10_000;

const scope = globalThis as unknown as WorkerScope;
/** Different requests that the main thread is asked for together: it may be busy, and callers can come back at once. */
const mostWaiting = 32;

/** Answers that are under way: all who send the same meanwhile get the same. */
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
  setInterval(() => reader.look(), 1_000);
  try {
    const opened = new ProbePort({ hostname, port, vitality: () => reader.look(), answer });
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
