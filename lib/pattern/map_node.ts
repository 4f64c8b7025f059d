import { isObject, isString, type Json, type JsonObject, setField, sortedKeys } from "../json/mod.ts";
import { parseAnchor } from "./anchor.ts";
import { compileEntry, type Entry } from "./entry.ts";
import { isDirectSkip, isSkip, type Mismatch, mismatch, mismatchOf, type Step } from "./mismatch.ts";
import type { Compiler, Node, Place, Walk } from "./node.ts";

/** A map to compile. */
export interface MapPattern {
  readonly pattern: JsonObject;
  readonly path: readonly Step[];
  readonly place: Place;
}

type Fill = readonly [key: string, keyTemplate: number | undefined, fill: Node["fill"]];

/**
 * Compiles a map. First come the keys with a condition, equality, existence or negation anchor, in the order of their
 * text; they decide whether the map applies. Then come the others, and of those first the ones that could skip the rule.
 */
export function compileMap(compiler: Compiler, { pattern, path, place }: MapPattern): Node {
  const entries: Entry[] = [], fills: Fill[] = [];
  for (const text of sortedKeys(pattern)) {
    const value = pattern[text]!;
    const anchor = parseAnchor(text);
    const keyTemplate = compiler.template({ text, path, role: "key" });
    const node = compiler.node(value, [...path, text], placeUnder(place, anchor?.key ?? text));
    fills.push([text, keyTemplate, node.fill]);
    // Kyverno parity: labels and annotations of a pattern are read as texts; anything else there is dropped.
    if (place === "labels" && !isString(value)) continue;
    entries.push(compileEntry({ text, anchor, pattern: value, node, wildcards: place === "labels" }));
  }
  return {
    check: mapCheck(pattern, entries),
    fill: (values) => fillMap(fills, values),
    anchored: entries.some((entry) => entry.anchored),
    template: undefined,
    items: [],
  };
}

function placeUnder(place: Place, key: string): Place {
  if (place === "labels") return "label";
  if (place === "metadata" && (key === "labels" || key === "annotations")) return "labels";
  return key === "metadata" ? "metadata" : "elsewhere";
}

function fillMap(fills: readonly Fill[], values: readonly Json[]): Json {
  const filled: { [key: string]: Json } = {};
  for (const [text, keyTemplate, fill] of fills) {
    const key = keyTemplate === undefined ? text : values[keyTemplate];
    setField(filled, isString(key) ? key : text, fill(values));
  }
  return filled;
}

function mapCheck(pattern: JsonObject, entries: readonly Entry[]): Node["check"] {
  const tracked = entries.filter(({ kind }) => kind === "condition" || kind === "existence");
  const deciding = entries.filter((entry) => entry.phase === "deciding");
  const rest = inOrder(entries.filter((entry) => entry.phase === "rest"));
  const checks = rest.map(({ check }) => check);
  return (value, walk) => {
    if (!isObject(value)) return mismatch("not a map", pattern, value);
    if (tracked.length > 0) { for (const entry of tracked) notePresence(walk, entry, value); }
    if (deciding.length > 0) {
      const found = decide(deciding, value, walk);
      if (found !== undefined) return found;
    }
    for (let index = 0; index < checks.length; index++) {
      const found = checks[index]!(value, walk);
      if (found !== undefined) return found;
    }
    return undefined;
  };
}

/** Global anchors and values with anchors inside go first, the last of them foremost. */
function inOrder(entries: readonly Entry[]): Entry[] {
  const front = entries.filter((entry) => entry.kind === "global" || entry.nested);
  const back = entries.filter((entry) => !front.includes(entry));
  return [...front.toReversed(), ...back];
}

function notePresence(walk: Walk, entry: Entry, resource: JsonObject): void {
  walk.presence ??= new Map();
  if (entry.isIn(resource)) walk.presence.set(entry.text, true);
  else if (!walk.presence.has(entry.text)) walk.presence.set(entry.text, false);
}

/**
 * Runs the deciding keys. A key that says "does not apply" is remembered, and the map is skipped when nothing applied
 * or when this map's own anchors said so; skips from deeper down are outvoted by any key that applied.
 * Kyverno parity: after this map's own anchor has skipped, failures of later keys count for nothing
 * (`a condition that fails hides later failures`).
 */
function decide(entries: readonly Entry[], resource: JsonObject, walk: Walk): Mismatch | undefined {
  let skips: Mismatch[] | undefined;
  let applied = 0, direct = false;
  for (let index = 0; index < entries.length; index++) {
    const found = entries[index]!.check(resource, walk);
    if (found === undefined) applied++;
    else if (isSkip(found)) {
      (skips ??= []).push(found);
      direct ||= isDirectSkip(found);
    } else if (!direct) return found;
  }
  return skips !== undefined && (applied === 0 || direct) ? mismatchOf("none applied", skips) : undefined;
}
