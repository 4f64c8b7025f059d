import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The bytes of V8's heap that are in use after some work, beyond those before it, without garbage. */
export async function heapGrowth(work: () => Promise<void>): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const used = (): number => {
    collectGarbage();
    return getHeapStatistics().used_heap_size;
  };
  const before = used();
  await work();
  return used() - before;
}
