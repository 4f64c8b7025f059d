/**
 * The heap of a server: the shares that policies, objects, reviews and answers may take of it, and when its garbage is
 * collected.
 *
 * @module
 */
export { collectStartGarbage, garbageBound, heapRoom } from "./garbage.ts";
export { answerMemory, mostCachedBytes, mostObjectBytes, mostWeight, reviewMemory } from "./shares.ts";
