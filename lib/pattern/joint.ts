import { isList, isObject, type Json, type JsonObject, type StepBudget } from "../json/mod.ts";
import { check, checkEntry, isAnything } from "./check.ts";
import type { Node, PatternEntry, Walk } from "./node.ts";
import { walkWith } from "./walk.ts";

/**
 * Patterns that are compared with a resource in one walk: their requirements for the same field lie together.
 * They are numbered by bits.
 */
export interface JointPatterns {
  /** The bits of the patterns that may not hold. One without its bit passes. Beyond the steps all may not hold. */
  doubtful(resource: Json, steps: StepBudget): number;
  /** The number of fields and values that are compared, for the memory that they take. */
  readonly parts: number;
}

/** The most patterns that are joined: so many bits make a small integer. */
export const maxJoint = 30;

/** A part of a pattern, with the bits of the patterns that have it at this path. */
interface Part<T> {
  readonly part: T;
  readonly bits: number;
}

/** The requirements of patterns for a map. */
interface JointMap {
  /** The patterns that require one. */
  readonly bits: number;
  readonly fields: readonly JointField[];
  /** Keys with wildcards, conditions and the like, and keys of which every object inherits a property. */
  readonly others: readonly Part<PatternEntry>[];
}

interface JointField {
  readonly key: string;
  /** The patterns that do not hold without the field, and those that do not hold with it. */
  readonly missed: number;
  readonly forbidden: number;
  readonly value: JointValue;
}

/** The requirements of patterns for a value. */
interface JointValue {
  readonly map: JointMap | undefined;
  /** The list, each of whose elements is compared with the same value. */
  readonly list: { readonly bits: number; readonly element: JointValue } | undefined;
  readonly others: readonly Part<Node>[];
}

/** Joins at most {@link maxJoint} patterns without templates. The first has the bit 1, the second 2, and so on. */
export function joinPatterns(nodes: readonly Node[]): JointPatterns {
  const root = joinValues(nodes.map((part, index) => ({ part, bits: 1 << index })));
  const all = 2 ** nodes.length - 1;
  return {
    parts: partsOf(root),
    doubtful: (resource, steps) => {
      const doubtful = compareValue(root, resource, walkWith({ steps }));
      return steps.left < 0 ? all : doubtful;
    },
  };
}

function partsOf({ map, list, others }: JointValue): number {
  let parts = 1 + others.length;
  if (map !== undefined) {
    parts += map.others.length;
    for (const { value } of map.fields) parts += 1 + partsOf(value);
  }
  return list === undefined ? parts : parts + partsOf(list.element);
}

function joinValues(nodes: readonly Part<Node>[]): JointValue {
  const maps: Part<Node & { kind: "map" }>[] = [], lists: Part<Node>[] = [];
  const others: Part<Node>[] = [];
  for (const { part, bits } of nodes) {
    if (part.kind === "map") maps.push({ part, bits });
    else if (part.kind === "list" && part.means === "every element") {
      lists.push({ part: part.items[0]!, bits });
    } else {
      const equal = others.findIndex((other) => isSameScalar(other.part, part));
      if (equal < 0) others.push({ part, bits });
      else others[equal] = { part, bits: others[equal]!.bits | bits };
    }
  }
  return {
    map: maps.length === 0 ? undefined : joinMaps(maps),
    list: lists.length === 0 ? undefined : { bits: bitsOf(lists), element: joinValues(lists) },
    others,
  };
}

function isSameScalar(one: Node, other: Node): boolean {
  return one.kind === "scalar" && other.kind === "scalar" && one.pattern === other.pattern;
}

function bitsOf(parts: readonly Part<unknown>[]): number {
  return parts.reduce((all, { bits }) => all | bits, 0);
}

function joinMaps(maps: readonly Part<Node & { kind: "map" }>[]): JointMap {
  const fields = new Map<string, Part<PatternEntry>[]>(), others: Part<PatternEntry>[] = [];
  for (const { part: { deciding, rest }, bits } of maps) {
    for (const part of [...deciding, ...rest]) {
      if (!isPlain(part)) others.push({ part, bits });
      else if (fields.has(part.key)) fields.get(part.key)!.push({ part, bits });
      else fields.set(part.key, [{ part, bits }]);
    }
  }
  return { bits: bitsOf(maps), fields: [...fields.values()].map(joinField), others };
}

/** Whether the key's value alone decides, and not the other keys or elements. */
function isPlain(entry: PatternEntry): boolean {
  const { kind, choose, inherited } = entry;
  if (choose !== undefined || inherited || isAnything(entry, walkWith({}))) return false;
  return kind === "plain" || kind === "addition" || kind === "equality" || kind === "negation";
}

function joinField(entries: readonly Part<PatternEntry>[]): JointField {
  const { key } = entries[0]!.part;
  const isMissed = ({ part }: Part<PatternEntry>) => checkEntry(part, {}, walkWith({})) !== undefined;
  const [negations, values] = [true, false].map((wanted) =>
    entries.filter(({ part }) => (part.kind === "negation") === wanted)
  ) as [Part<PatternEntry>[], Part<PatternEntry>[]];
  return {
    key,
    missed: bitsOf(entries.filter(isMissed)),
    forbidden: bitsOf(negations),
    value: joinValues(values.map(({ part, bits }) => ({ part: part.node, bits }))),
  };
}

function compareValue({ map, list, others }: JointValue, value: Json, walk: Walk): number {
  let doubtful = 0;
  if (map !== undefined) doubtful |= isObject(value) ? compareMap(map, value, walk) : map.bits;
  if (list !== undefined) {
    if (isList(value)) {
      for (let index = 0; index < value.length && walk.steps.left >= 0; index++) {
        walk.steps.left--;
        doubtful |= compareValue(list.element, value[index]!, walk);
      }
    } else doubtful |= list.bits;
  }
  for (let index = 0; index < others.length; index++) {
    const { part, bits } = others[index]!;
    if (check(part, value, walk) !== undefined) doubtful |= bits;
  }
  return doubtful;
}

function compareMap({ fields, others }: JointMap, resource: JsonObject, walk: Walk): number {
  let doubtful = 0;
  for (let index = 0; index < fields.length; index++) {
    const { key, missed, forbidden, value } = fields[index]!;
    walk.steps.left--;
    const found = resource[key];
    doubtful |= found === undefined ? missed : forbidden | compareValue(value, found, walk);
  }
  for (let index = 0; index < others.length; index++) {
    const { part, bits } = others[index]!;
    if (checkEntry(part, resource, walk) !== undefined) doubtful |= bits;
  }
  return doubtful;
}
