import { getHeapStatistics } from "node:v8";
import { AnswerMemory } from "../adapters/mod.ts";

/**
 * Bytes of the heap that a unit of weight takes when it is compiled: 440 to 460 with pod security policies, mutations and
 * policies in CEL.
 */
const bytesOfWeight = 500;

/** The most that all policies may weigh together: half of the heap, which are some 900 policies about Pods in the image. */
export function mostWeight(): number {
  return getHeapStatistics().heap_size_limit / 2 / bytesOfWeight;
}

/**
 * Bytes of heap that the objects of all followed kinds may take, by an estimate. Objects of the whole cluster may take a
 * quarter of it besides.
 */
export function mostObjectBytes(): number {
  return getHeapStatistics().heap_size_limit * 3 / 10;
}

/** Bytes of the heap that reviews may take together: the long ones, and the short ones that wait for loads. */
export function reviewMemory(): { readonly long: number; readonly short: number } {
  const { heap_size_limit: limit } = getHeapStatistics();
  return { long: limit * 5 / 16, short: limit * 3 / 16 };
}

/**
 * Bytes of the heap that answers may take which policies load. The evaluation that has held some for longest may take
 * `mostOfOne` while others hold `most`.
 */
export function answerMemory(): AnswerMemory {
  const { heap_size_limit: limit } = getHeapStatistics();
  return new AnswerMemory({ most: limit / 8, mostOfOne: limit * 9 / 32, small: limit / 16 });
}

/** Milliseconds without an answer after which the garbage of the start is collected. */
const quietTime = 2_000;

/** The function `gc` of V8, which the flag `--expose-gc` makes global. */
type CollectGarbage = (
  options: {
    readonly type: "major";
    readonly execution: "sync";
    readonly flavor: "regular" | "last-resort";
  },
) => void;

function garbageCollector(): CollectGarbage | undefined {
  return (globalThis as { readonly gc?: CollectGarbage }).gc;
}

/**
 * Returns a function that collects garbage when the heap and the buffers beside it have more than half of the heap's
 * limit, and an eighth of it came since the last time; otherwise it takes a microsecond. Call it between two stages of
 * long work. V8 lets texts of megabytes accumulate up to the limit, and the memory of the process with them. It needs
 * `--expose-gc`; without it nothing happens.
 */
export function garbageBound(statistics: () => HeapStatistics = getHeapStatistics): () => void {
  const { heap_size_limit: limit } = statistics();
  let kept = 0;
  return () => {
    const used = usedBytes(statistics());
    kept = Math.min(kept, used);
    if (used < Math.max(limit / 2, kept + limit / 8)) return;
    garbageCollector()?.({ type: "major", execution: "sync", flavor: "regular" });
    kept = usedBytes(statistics());
  };
}

type HeapStatistics = Readonly<Record<"heap_size_limit" | "used_heap_size" | "external_memory", number>>;

function usedBytes({ used_heap_size: heap, external_memory: buffers }: HeapStatistics): number {
  return heap + buffers;
}

/**
 * Collects once what the start left, as soon as no request was answered for some 2 seconds: 6 MiB of a replica that
 * idles, for 35 ms of processor time. V8 would do so when the heap has grown to its first size, which may take hours. V8
 * then also forgets which code is hot and what its objects look like, so a replica that serves requests must not collect:
 * they would take an eighth more time until some ten thousand later. It needs V8's flag `--expose-gc`, which the image
 * sets; without it nothing happens.
 *
 * @param answers counts the answers so far
 */
export function collectStartGarbage(answers: () => number, milliseconds: number = quietTime): void {
  const gc = garbageCollector();
  if (gc === undefined) return;
  let before = answers();
  const timer = setInterval(() => {
    const now = answers();
    if (now === before) {
      clearInterval(timer);
      gc({ type: "major", execution: "sync", flavor: "last-resort" });
    }
    before = now;
  }, milliseconds);
  Deno.unrefTimer(timer);
}
