import { isString, type Json, type JsonObject, setField, sortedKeys } from "../json/mod.ts";
import { parseAnchor } from "./anchor.ts";
import { compileEntry } from "./entry.ts";
import type { PathStep } from "./mismatch.ts";
import type { Compiler, MapNode, MetadataSection, Node, PatternEntry } from "./node.ts";

/** A map to compile. */
export interface MapPattern {
  readonly pattern: JsonObject;
  readonly path: readonly PathStep[];
  readonly section: MetadataSection;
}

type Fill = readonly [key: string, keyTemplate: number | undefined, fill: Node["fill"]];

/** Whether a key or its value has templates. */
function isFilled([, keyTemplate, fill]: Fill): boolean {
  return keyTemplate !== undefined || fill !== undefined;
}

/**
 * Compiles a map. The keys with a condition, equality, existence or negation anchor come first, in the order of their
 * text, because they decide whether the map applies. Among the other keys, those that can skip the rule come first.
 */
export function compileMap(compiler: Compiler, { pattern, path, section }: MapPattern): MapNode {
  const entries: PatternEntry[] = [], fills: Fill[] = [];
  for (const text of sortedKeys(pattern)) {
    const value = pattern[text]!;
    const anchor = parseAnchor(text);
    const keyTemplate = compiler.template({ text, path, role: "key" });
    const node = compiler.node(value, [...path, text], sectionUnder(section, anchor?.key ?? text));
    fills.push([text, keyTemplate, node.fill]);
    // Kyverno parity: labels and annotations of a pattern that are not strings are ignored. Pinned by "values that are
    // no strings are dropped".
    if (section === "labels" && !isString(value)) continue;
    entries.push(compileEntry({ text, anchor, pattern: value, node, wildcards: section === "labels" }));
  }
  return {
    kind: "map",
    pattern,
    tracked: shared(entries.filter(({ kind }) => kind === "condition" || kind === "existence")),
    deciding: shared(entries.filter((entry) => entry.phase === "deciding")),
    rest: shared(inOrder(entries.filter((entry) => entry.phase === "rest"))),
    fill: fills.some(isFilled) ? (values) => fillMap({ pattern, fills }, values) : undefined,
    anchored: entries.some((entry) => entry.anchored),
  };
}

/**
 * Most maps have one list that is not empty. The empty ones are the same list, which then is in the processor's cache.
 */
function shared(entries: readonly PatternEntry[]): readonly PatternEntry[] {
  return entries.length === 0 ? noEntries : entries;
}

const noEntries: readonly PatternEntry[] = [];

function sectionUnder(section: MetadataSection, key: string): MetadataSection {
  if (section === "labels") return "label";
  if (section === "metadata" && (key === "labels" || key === "annotations")) return "labels";
  return key === "metadata" ? "metadata" : "elsewhere";
}

interface FilledMap {
  readonly pattern: JsonObject;
  readonly fills: readonly Fill[];
}

function fillMap({ pattern, fills }: FilledMap, values: readonly Json[]): Json {
  const filled: { [key: string]: Json } = {};
  for (const [text, keyTemplate, fill] of fills) {
    const key = keyTemplate === undefined ? text : values[keyTemplate];
    setField(filled, isString(key) ? key : text, fill === undefined ? pattern[text]! : fill(values));
  }
  return filled;
}

/** Puts global anchors and values with anchors inside first, in reverse order. */
function inOrder(entries: readonly PatternEntry[]): PatternEntry[] {
  const front = entries.filter((entry) => entry.kind === "global" || entry.nested);
  const back = entries.filter((entry) => !front.includes(entry));
  return [...front.toReversed(), ...back];
}
