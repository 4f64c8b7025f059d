import { field, isList, isObject, type Json, type JsonObject, stepsOfText } from "../json/mod.ts";
import { isDirectSkip, isSkip, mismatch, mismatchOf, type PatternMismatch, under } from "./mismatch.ts";
import type { ListNode, MapNode, Node, PatternEntry, ScalarNode, Walk } from "./node.ts";

/**
 * Compares a value (`undefined` when it is missing) with a node of a pattern, and returns the mismatch if there is one.
 *
 * Nodes are values that these functions walk. Closures would be as readable, but a request visits hundreds of nodes,
 * and the processor cannot predict calls whose target changes each time.
 */
export function check(node: Node, value: Json | undefined, walk: Walk): PatternMismatch | undefined {
  if (--walk.steps.left < 0) return mismatch("out of steps", undefined, undefined);
  switch (node.kind) {
    case "map":
      return isObject(value) ? checkMap(node, value, walk) : mismatch("not a map", node.pattern, value);
    case "list":
      return isList(value) ? checkList(node, value, walk) : mismatch("not a list", node.pattern, value);
    case "scalar":
      return agrees(node, value, walk) ? undefined : mismatch("value", node.pattern, value);
    case "template": {
      const filled = walk.filled[node.template]!;
      return agrees(filled, value, walk) ? undefined : mismatch("value", filled.value, value);
    }
  }
}

/** The test of a scalar, with its cost. */
type Tested = Pick<ScalarNode, "test" | "cost">;

/** Tests a value. A list passes when every element passes. */
function agrees({ test, cost }: Tested, value: Json | undefined, { steps }: Walk): boolean {
  if (!isList(value)) {
    steps.left -= cost * unitsOf(value);
    return test(value);
  }
  return value.every((element) => (steps.left -= cost * unitsOf(element)) >= 0 && test(element));
}

/**
 * The factor by which a longer value raises the cost of testing it, and one that may be a number, which is parsed as a
 * duration and as a quantity.
 */
function unitsOf(value: Json | undefined): number {
  if (typeof value === "string") {
    return mayBeNumber(value.charCodeAt(0)) ? stepsOfNumber + (value.length >> 1) : stepsOfText(value);
  }
  if (typeof value !== "number") return 1;
  return Number.isSafeInteger(value) ? stepsOfNumber : stepsOfFraction;
}

/** The steps of comparing a number as a text of a resource, and of writing one with a fraction before. */
const stepsOfNumber = 3, stepsOfFraction = 8;

/** Whether a text that begins with the character may be a number: with a digit, a sign or a point. */
function mayBeNumber(first: number): boolean {
  return first <= 0x39 && (first >= 0x30 || first === 0x2b || first === 0x2d || first === 0x2e);
}

function checkMap(node: MapNode, resource: JsonObject, walk: Walk): PatternMismatch | undefined {
  const { tracked, deciding, rest } = node;
  if (tracked.length > 0) { for (const entry of tracked) notePresence(walk, entry, resource); }
  if (deciding.length > 0) {
    const found = decide(deciding, resource, walk);
    if (found !== undefined) return found;
  }
  for (let index = 0; index < rest.length; index++) {
    const found = checkEntry(rest[index]!, resource, walk);
    if (found !== undefined) return found;
  }
  return undefined;
}

function notePresence(walk: Walk, entry: PatternEntry, resource: JsonObject): void {
  walk.presence ??= new Map();
  const { choose, key, text } = entry;
  walk.steps.left--;
  const isThere = choose === undefined
    ? Object.hasOwn(resource, key)
    : choose(resource, walk.steps).length > 0;
  if (isThere) walk.presence.set(text, true);
  else if (!walk.presence.has(text)) walk.presence.set(text, false);
}

/**
 * Runs the deciding keys. The map is skipped when an anchor of the map itself skips, or when no key applies; one key
 * that applies is enough to ignore the skips from nested maps. Kyverno parity: after an anchor of the map itself has
 * skipped, failures of later keys do not count. Pinned by "a condition that fails hides later failures".
 */
function decide(
  entries: readonly PatternEntry[],
  resource: JsonObject,
  walk: Walk,
): PatternMismatch | undefined {
  let skips: PatternMismatch[] | undefined;
  let applied = 0, direct = false;
  for (let index = 0; index < entries.length; index++) {
    const found = checkEntry(entries[index]!, resource, walk);
    if (found === undefined) applied++;
    else if (isSkip(found)) {
      (skips ??= []).push(found);
      direct ||= isDirectSkip(found);
    } else if (!direct) return found;
  }
  return skips !== undefined && (applied === 0 || direct) ? mismatchOf("none applied", skips) : undefined;
}

/** Compares a key of a pattern with a map, which may lack it. */
export function checkEntry(
  entry: PatternEntry,
  resource: JsonObject,
  walk: Walk,
): PatternMismatch | undefined {
  const { key, choose } = entry;
  walk.steps.left--;
  if (choose !== undefined) return checkChosen(entry, choose(resource, walk.steps), { resource, walk });
  const value = entry.inherited ? field(resource, key) : resource[key];
  const found = checkKey(entry, value, walk);
  return found && under(key, found);
}

/**
 * Checks a key with wildcards: the keys of the resource that it matches, or the key itself when it matches
 * none.
 */
function checkChosen(
  entry: PatternEntry,
  keys: readonly string[],
  { resource, walk }: { readonly resource: JsonObject; readonly walk: Walk },
): PatternMismatch | undefined {
  const anyIsEnough = entry.kind === "condition" || entry.kind === "global";
  let first: PatternMismatch | undefined;
  for (const key of keys.length === 0 ? [entry.key] : keys) {
    const failed = checkKey(entry, field(resource, key), walk);
    const found = failed && under(key, failed);
    if (anyIsEnough ? found === undefined : found !== undefined) return found;
    first ??= found;
  }
  return first;
}

/** Checks the value of one key by the kind of its anchor; the value is `undefined` when the resource lacks the key. */
function checkKey(entry: PatternEntry, value: Json | undefined, walk: Walk): PatternMismatch | undefined {
  const { node } = entry;
  switch (entry.kind) {
    case "equality":
      return value === undefined ? undefined : check(node, value, walk);
    case "plain":
    case "addition":
      // An addition anchor has a meaning only in patches; here it is a plain key.
      return isAnything(entry, walk) ? checkPresent(value) : check(node, value, walk);
    case "condition": {
      if (value === undefined) return mismatch("condition missing", entry.pattern, undefined);
      const found = check(node, value, walk);
      return found && mismatchOf("condition", [found]);
    }
    case "global": {
      // Kyverno parity: an absent key satisfies a global anchor, though it fails a condition. Pinned by "global accepts
      // an absent key".
      if (value === undefined) return undefined;
      const found = check(node, value, walk);
      return found && mismatchOf("global", [found]);
    }
    case "negation":
      return value === undefined ? undefined : mismatch("forbidden", undefined, value);
    case "existence":
      return value === undefined ? undefined : checkExistence(entry, value, walk);
  }
}

/** Whether the pattern is `*` alone, which accepts any value that is there, also a map or list. */
export function isAnything({ node, pattern }: PatternEntry, { filled }: Walk): boolean {
  return (node.kind === "template" ? filled[node.template]!.value : pattern) === "*";
}

function checkPresent(value: Json | undefined): PatternMismatch | undefined {
  return value === undefined || value === null ? mismatch("missing", "*", value) : undefined;
}

/** Each map of the pattern's list must agree with some element of the resource's list. */
function checkExistence(
  { pattern, node }: PatternEntry,
  value: Json,
  walk: Walk,
): PatternMismatch | undefined {
  if (!isList(value)) return mismatch("existence of a non-list", pattern, value);
  if (node.kind !== "list") {
    const given = node.kind === "template" ? walk.filled[node.template]!.value : pattern;
    return mismatch("existence pattern", given, value);
  }
  for (const [index, item] of node.pattern.entries()) {
    if (!isObject(item)) return mismatch("existence element", pattern, value);
    const agreesWith = (element: Json) => check(node.items[index]!, element, walk) === undefined;
    if (walk.steps.left < 0 || !value.some(agreesWith)) {
      return mismatch("none exists", item, value);
    }
  }
  return undefined;
}

function checkList(node: ListNode, list: readonly Json[], walk: Walk): PatternMismatch | undefined {
  const { items } = node;
  switch (node.means) {
    case "nothing":
      return mismatch("empty pattern", node.pattern, list);
    case "every scalar":
      // `check` compares a scalar with each element of a list.
      return check(items[0]!, list, walk);
    case "every element":
      return checkElements(list, { count: list.length, items, repeated: items[0] }, walk);
    case "by index":
      if (list.length < items.length) return mismatch("too short", node.pattern, list);
      return checkElements(list, { count: items.length, items, repeated: undefined }, walk);
  }
}

/** How many elements to compare. Each is compared with the item at its index, or all with `repeated`. */
interface ElementPattern {
  readonly count: number;
  readonly items: readonly Node[];
  readonly repeated: Node | undefined;
}

/** Compares elements up to the first that fails. The list is skipped when the pattern applies to no element. */
function checkElements(
  list: readonly Json[],
  { count, items, repeated }: ElementPattern,
  walk: Walk,
): PatternMismatch | undefined {
  let skips: PatternMismatch[] | undefined;
  let skipped = 0;
  for (let index = 0; index < count; index++) {
    const found = check(repeated ?? items[index]!, list[index], walk);
    if (found === undefined) continue;
    if (!isSkip(found)) return under(index, found);
    if (++skipped <= mostSkips) (skips ??= []).push(under(index, found));
    else if (skipped === mostSkips + 1) skips?.push(mismatch("left out", undefined, undefined));
  }
  return skips !== undefined && skipped === count ? mismatchOf("none applied", skips) : undefined;
}

/** The most skipped elements of a list that are kept for the message: a list may have half a million elements. */
const mostSkips = 100;
