import { detached, isString, type JsonObject } from "../../json/mod.ts";
import type { Clock, Cluster, Log } from "../../ports.ts";
import type { EventReason } from "../../report/mod.ts";
import { eventObject, longestMessage, type PolicyEvent } from "./event.ts";

/** The ports and filters of {@link EventWriter}. */
export interface EventWriterOptions {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly log: Log;
  /** The reasons of events that are not written. */
  readonly omitted: ReadonlySet<EventReason>;
  /** Actions whose success is an event; empty for all. */
  readonly successActions: () => readonly string[];
}

/** The most events in the queue. */
const mostEvents = 1_000;

/** Writes events one after another, after the answers. It drops and counts events that do not fit in the queue. */
export class EventWriter {
  readonly #options: EventWriterOptions;
  readonly #waiting: PolicyEvent[] = [];
  #running: Promise<void> | undefined;
  #serial = 0;
  #dropped = 0;

  constructor(options: EventWriterOptions) {
    this.#options = options;
  }

  /** The number of dropped events. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Adds events to the queue. */
  add(events: readonly PolicyEvent[]): void {
    const { omitted, successActions } = this.#options;
    const actions = successActions();
    for (const event of events) {
      if (omitted.has(event.reason)) continue;
      if (event.reason === "PolicyApplied" && actions.length > 0 && !actions.includes(event.action)) continue;
      if (!isAbout(event.regarding) || (event.related !== undefined && isTooLong(event.related))) continue;
      if (this.#waiting.length >= mostEvents) this.#dropped++;
      else this.#waiting.push(short(event));
    }
    this.#start();
  }

  /** Waits until the queue is empty. */
  async drain(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  #start(): void {
    if (this.#running !== undefined || this.#waiting.length === 0) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      // Events that were added while the run ended.
      this.#start();
    });
  }

  async #run(): Promise<void> {
    for (let event = this.#waiting.shift(); event !== undefined; event = this.#waiting.shift()) {
      await this.#write(event);
    }
  }

  async #write(event: PolicyEvent): Promise<void> {
    const { cluster, clock, log } = this.#options;
    this.#serial = (this.#serial + 1) & 0xffff;
    const body = eventObject(event, { now: clock.now(), serial: this.#serial });
    const { namespace } = body["metadata"] as { namespace: string };
    const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
    const answer = await cluster.call({ method: "POST", path, body });
    // The namespace of a denied object may not exist, so its event cannot be written.
    if (!answer.ok && answer.status !== 404 && answer.status !== 403) {
      log.write("warn", "event not written", { reason: event.reason, cause: answer.message });
    }
  }
}

/** Whether there can be an object of this name. */
function isAbout(regarding: JsonObject): boolean {
  return regarding["name"] !== "" && !isTooLong(regarding);
}

/** The most characters of an object's name. Reviews may have longer ones, which the API server refuses afterwards. */
const longestName = 253;

function isTooLong({ name }: JsonObject): boolean {
  return isString(name) && name.length > longestName;
}

/** The event as it waits, without the rest of its request. */
function short(event: PolicyEvent): PolicyEvent {
  const message = beginning(event.message);
  return detached({ ...event, message } as unknown as JsonObject) as unknown as PolicyEvent;
}

/** The characters that the API server has room for, which counts bytes. */
function beginning(message: string): string {
  const { read } = new TextEncoder().encodeInto(message, new Uint8Array(longestMessage));
  return message.slice(0, read);
}
