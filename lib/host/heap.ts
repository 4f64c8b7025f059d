import { getHeapStatistics } from "node:v8";

/** Bytes of the heap that a value of a policy takes, compiled, with the rules that are derived for controllers. */
const bytesOfValue = 3_000;

/** The most that all policies may weigh together: half of the heap. 22,000 in the image, and 2,000 for 43 policies. */
export function mostWeight(): number {
  return getHeapStatistics().heap_size_limit / 2 / bytesOfValue;
}

/** Bytes of JSON that the objects of all followed kinds may take: some quarter of the heap, as objects take more. */
export function mostObjectBytes(): number {
  return getHeapStatistics().heap_size_limit / 4;
}
