/** The global context with collections and services of the test. */
import { EmbeddedCluster, systemObjects } from "../../lib/embedded/mod.ts";
import { type EntryState, ObjectBudget, WatchedGlobalEntries } from "../../lib/adapters/mod.ts";
import { asList, Fault, type JsonObject } from "../../lib/json/mod.ts";
import type { Answer, Collections, HttpCall, LeftOutObjects } from "../../lib/ports.ts";
import { countingEntropy, fixedClock, type TestClock } from "./fakes.ts";

/** A watched collection whose objects a test changes. */
export interface FakeCollection {
  objects: JsonObject[];
  readonly changed: () => void;
  closed: boolean;
  leftOut?: LeftOutObjects;
  /** How often its objects were listed. */
  lists: number;
}

function fakeCollections(synced: Promise<void>) {
  const watched = new Map<string, FakeCollection>();
  const collections: Collections = {
    watch(path, changed) {
      const kept: FakeCollection = {
        objects: [],
        changed: () => void changed({ object: undefined, former: undefined }),
        closed: false,
        lists: 0,
      };
      watched.set(path, kept);
      return {
        objects: () => {
          kept.lists++;
          return kept.objects;
        },
        synced,
        close: () => Promise.resolve(void (kept.closed = true)),
        get leftOut() {
          return kept.leftOut;
        },
      };
    },
  };
  return { watched, collections };
}

/** The differences from a trial in which all is answered at once. */
export interface TrialOptions {
  /** The bytes of all answers together are half of it. */
  readonly budget?: number;
  readonly synced?: Promise<void>;
  readonly firstWait?: number;
  /** Answers calls of services instead of the list of answers. */
  readonly call?: (call: HttpCall) => Promise<Answer>;
}

/** The entries, what a test changes, and what it counts. */
export interface EntriesTrial {
  readonly entries: WatchedGlobalEntries;
  readonly budget: ObjectBudget;
  readonly clock: TestClock;
  readonly watched: ReadonlyMap<string, FakeCollection>;
  readonly reported: readonly EntryState[];
  readonly define: (...objects: JsonObject[]) => void;
  /** The steps that were left before each projection. */
  readonly steps: readonly number[];
  readonly projections: () => number;
  readonly failFromNow: () => void;
}

/** `length(@)` counts a list, `fail` fails, and other projections are null. */
export function entriesTrial(answers: Answer[] = [], options: TrialOptions = {}): EntriesTrial {
  const clock = fixedClock(), entropy = countingEntropy();
  const cluster = new EmbeddedCluster({ objects: systemObjects(), clock, entropy });
  const { watched, collections } = fakeCollections(options.synced ?? Promise.resolve());
  const budget = new ObjectBudget(options.budget ?? 1_000_000);
  const reported: EntryState[] = [], steps: number[] = [];
  let projections = 0, fails = false;
  const entries = new WatchedGlobalEntries({
    cluster,
    clock,
    entropy,
    collections,
    budget,
    http: {
      call: options.call ??
        (() => Promise.resolve(answers.shift() ?? { ok: false, status: 404, message: "no more" })),
    },
    compile: (expression) => (value, budget) => {
      projections++;
      steps.push(budget.left);
      budget.left -= 1_500_000;
      if (expression === "fail" || fails) return new Fault("cannot");
      return expression === "length(@)" ? asList(value).length : null;
    },
    others: { entry: (name) => Promise.resolve({ ok: false, status: 404, message: `no ${name}` }) },
    retry: 5,
    leastRefresh: 5,
    ...(options.firstWait !== undefined && { firstWait: options.firstWait }),
  });
  const define = (...objects: JsonObject[]) => entries.define(objects, (state) => reported.push(state));
  return {
    entries,
    budget,
    clock,
    watched,
    reported,
    define,
    steps,
    projections: () => projections,
    failFromNow: () => void (fails = true),
  };
}
