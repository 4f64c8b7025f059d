import type { JsonObject } from "../json/mod.ts";
import { earlier } from "./missed_note.ts";

/** The start of the names of these annotations of the Lease; the end is that of the replica's identity. */
const prefix = "postern.dev/effects-wait-";
/** The most characters of an identity in a name: those of its UUID. */
const identityLength = 36;

/** A note as this replica read it first, and when that was, by `elapsedOn`. */
interface SeenNote {
  readonly text: string;
  readonly at: number;
}

/** The annotations that remain on the Lease, and since when effects of killed replicas may be missing. */
export interface RemainingNotes {
  readonly annotations: JsonObject;
  /** Milliseconds since 1970, by the API server's clock. */
  readonly lostSince: number | undefined;
}

/**
 * The notes of replicas that do not lead: each on which effects wait writes on the Lease since when they do, and
 * renews its note for as long. The leader removes a note that is not renewed, because its replica was killed, and
 * looks for the effects.
 */
export class WaitingNotes {
  readonly #name: string;
  readonly #lasts: number;
  #renewals = 0;
  #isWritten = false;
  #seen: ReadonlyMap<string, SeenNote> = new Map();

  /** @param lasts The milliseconds after which a note that is not renewed means that its replica was killed. */
  constructor(identity: string, lasts: number) {
    this.#name = prefix + identity.slice(-identityLength);
    this.#lasts = lasts;
  }

  /** Whether the Lease had a note of this replica when it was last read or written. */
  get isWritten(): boolean {
    return this.#isWritten;
  }

  /**
   * The annotations with the renewed note of this replica, or without it when nothing waits. They are the same object
   * when nothing changes.
   */
  renew(annotations: JsonObject, since: number | undefined): JsonObject {
    this.#isWritten = since !== undefined;
    if (since !== undefined) {
      return { ...annotations, [this.#name]: `${Math.floor(since)}/${++this.#renewals}` };
    }
    const { [this.#name]: former, ...others } = annotations;
    return former === undefined ? annotations : others;
  }

  /**
   * Returns the annotations without the notes of replicas that were killed, and without that of this replica, whose
   * renewals of the Lease say the same. The leader calls it each time before it renews the Lease.
   */
  withoutEnded(annotations: JsonObject, now: number): RemainingNotes {
    this.#isWritten = false;
    const seen = new Map<string, SeenNote>();
    const remaining: Record<string, JsonObject[string]> = {};
    let lostSince: number | undefined;
    for (const [name, text] of Object.entries(annotations)) {
      if (name === this.#name) continue;
      if (name.startsWith(prefix)) {
        const former = this.#seen.get(name), note = String(text);
        const { at } = former?.text === note ? former : { at: now };
        if (now >= at + this.#lasts) {
          lostSince = earlier(lostSince, timeOf(note));
          continue;
        }
        seen.set(name, { text: note, at });
      }
      remaining[name] = text;
    }
    this.#seen = seen;
    return { annotations: remaining, lostSince };
  }
}

/** The annotations that are not notes of waiting effects. */
export function withoutWaiting(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).filter(([name]) => !name.startsWith(prefix)));
}

function timeOf(note: string): number | undefined {
  const since = Number.parseInt(note, 10);
  return Number.isFinite(since) ? since : undefined;
}
