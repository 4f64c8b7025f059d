import { isList, isObject, type Json } from "../json/mod.ts";

/** Estimates how many bytes a JSON value takes as text, to bound caches. Shared parts count each time. */
export function approximateBytes(value: Json | undefined): number {
  let bytes = 0;
  const waiting: (Json | undefined)[] = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") bytes += next.length + 2;
    else if (isList(next)) {
      bytes += next.length + 2;
      for (const item of next) waiting.push(item);
    } else if (isObject(next)) {
      for (const [key, item] of Object.entries(next)) {
        bytes += key.length + 4;
        waiting.push(item);
      }
    } else bytes += 8;
  }
  return bytes;
}
