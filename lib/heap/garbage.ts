import { getHeapStatistics } from "node:v8";

/**
 * Returns a function that says whether the heap has room for so many bytes, with an eighth of its limit left: V8 ends
 * the process when its heap stays nearly full. Before it says no it collects garbage, unless less than 1/32 of the
 * limit came since it last did. It needs `--expose-gc`; without it there is always room.
 */
export function heapRoom(statistics: () => HeapSize = getHeapStatistics): (bytes: number) => boolean {
  const { heap_size_limit: limit } = statistics();
  const most = limit * 7 / 8, growth = new GarbageGrowth({ threshold: 0, step: limit / 32 });
  return (bytes) => {
    const used = statistics().used_heap_size;
    if (used + bytes <= most) return true;
    const collect = garbageCollector();
    if (collect === undefined) return true;
    if (!growth.isCollectionDue(used)) return false;
    collect({ type: "major", execution: "sync", flavor: "regular" });
    const after = statistics().used_heap_size;
    growth.collected(after);
    return after + bytes <= most;
  };
}

/** Milliseconds without an answer or an evaluation of a scan after which the garbage of the start is collected. */
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
 * Collects garbage when there is much of it. Call it between two stages of long work: mostly it takes 10 microseconds.
 */
export type CollectMuchGarbage = () => void;

/**
 * V8 lets texts of megabytes accumulate up to its limit, and the memory of the process with them. The result collects
 * garbage when the heap and the buffers beside it have more than half of the limit, and an eighth of it came since the
 * last time. Afterwards V8 keeps the pages that it emptied; it gives them back when more than 9/8 of the limit is
 * resident, and a sixteenth came since the last time. It needs `--expose-gc`; without it nothing happens.
 */
export function garbageBound(statistics: () => HeapStatistics = processStatistics): CollectMuchGarbage {
  const { heap_size_limit: limit } = statistics();
  const heap = new GarbageGrowth({ threshold: limit / 2, step: limit / 8 });
  const resident = new GarbageGrowth({ threshold: limit * 9 / 8, step: limit / 16 });
  return () => {
    const now = statistics();
    // Both are called each time, because each notes when its bytes have become fewer.
    const isHeapLarge = heap.isCollectionDue(usedBytes(now));
    const isMuchResident = resident.isCollectionDue(now.resident);
    if (!isHeapLarge && !isMuchResident) return;
    const flavor = isMuchResident ? "last-resort" : "regular";
    garbageCollector()?.({ type: "major", execution: "sync", flavor });
    const after = statistics();
    heap.collected(usedBytes(after));
    if (isMuchResident) resident.collected(after.resident);
  };
}

/**
 * Decides when a number of bytes makes a collection worth its time: above a threshold, and a step above what the last
 * collection left.
 */
class GarbageGrowth {
  readonly #threshold: number;
  readonly #step: number;
  #left = 0;

  constructor({ threshold, step }: { readonly threshold: number; readonly step: number }) {
    this.#threshold = threshold;
    this.#step = step;
  }

  isCollectionDue(bytes: number): boolean {
    this.#left = Math.min(this.#left, bytes);
    return bytes >= Math.max(this.#threshold, this.#left + this.#step);
  }

  /** Notes the bytes that a collection left. */
  collected(left: number): void {
    this.#left = left;
  }
}

type HeapSize = Readonly<Record<"heap_size_limit" | "used_heap_size", number>>;

type HeapStatistics = HeapSize & Readonly<Record<"external_memory" | "resident", number>>;

function processStatistics(): HeapStatistics {
  return { ...getHeapStatistics(), resident: Deno.memoryUsage().rss };
}

function usedBytes({ used_heap_size: heap, external_memory: buffers }: HeapStatistics): number {
  return heap + buffers;
}

/**
 * Collects once what the start left, as soon as no request was answered and no object scanned for some 2 seconds: 6 MiB
 * of a replica that idles, for 35 ms of processor time. V8 would do so when the heap has grown to its first size, which
 * may take hours. V8 then also forgets which code is hot and what its objects look like, so a replica that evaluates
 * must not collect: requests would take an eighth more time until some ten thousand later, and the first scan stalls
 * twice as long as an idle replica and compiles its code again. It needs V8's flag `--expose-gc`, which the image sets;
 * without it nothing happens.
 *
 * @param work counts the answers and the evaluations of scans so far
 */
export function collectStartGarbage(work: () => number, milliseconds: number = quietTime): void {
  const gc = garbageCollector();
  if (gc === undefined) return;
  let before = work();
  const timer = setInterval(() => {
    const now = work();
    if (now === before) {
      clearInterval(timer);
      gc({ type: "major", execution: "sync", flavor: "last-resort" });
    }
    before = now;
  }, milliseconds);
  Deno.unrefTimer(timer);
}
