import { getHeapStatistics } from "node:v8";
import { AnswerMemory } from "../adapters/mod.ts";
import { type CollectMuchGarbage, heapRoom } from "./garbage.ts";

/**
 * Bytes of the heap that a unit of weight takes when it is compiled: 170 on average with published ClusterPolicies, 320
 * in CEL, and 500 with patterns of plain texts. Variables in rules for Pods take a quarter more.
 */
const bytesOfWeight = 500;

/**
 * The most that all policies may weigh together: half of the heap, which are some 800 policies about Pods in the image.
 */
export function mostWeight(): number {
  return getHeapStatistics().heap_size_limit / 2 / bytesOfWeight;
}

/**
 * Bytes of heap that the objects of all followed kinds may take, by an estimate. Objects of the whole cluster may take
 * a quarter of it besides.
 */
export function mostObjectBytes(): number {
  return getHeapStatistics().heap_size_limit * 3 / 10;
}

/**
 * Bytes of heap that the values of global context entries may take which no watch keeps up to date. Policies from files
 * read these; the objects of followed policies take their room otherwise.
 */
export function mostCachedBytes(): number {
  return Math.min(64_000_000, mostObjectBytes());
}

/** Bytes that reviews may take, and whether the heap has room for so many more. */
export interface ReviewShares {
  readonly long: number;
  readonly short: number;
  readonly hasRoom: (bytes: number) => boolean;
}

/**
 * Bytes of the heap that reviews may take together: the long ones, and the short ones that wait for loads. Policies and
 * followed objects at their bounds leave less; the heap then has no room.
 */
export function reviewMemory(): ReviewShares {
  const { heap_size_limit: limit } = getHeapStatistics();
  return { long: limit * 5 / 16, short: limit * 3 / 16, hasRoom: heapRoom() };
}

/**
 * Bytes of the heap that answers may take which policies load. The evaluation that has held some for longest may take
 * `mostOfOne` while others hold `most`.
 */
export function answerMemory(beforeMore: CollectMuchGarbage): AnswerMemory {
  const { heap_size_limit: limit } = getHeapStatistics();
  return new AnswerMemory({ most: limit / 8, mostOfOne: limit * 9 / 32, small: limit / 16, beforeMore });
}
