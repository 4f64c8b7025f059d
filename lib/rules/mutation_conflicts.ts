import {
  asString,
  equal,
  field,
  formatPointer,
  isList,
  isObject,
  type Json,
  type JsonObject,
  parsePointer,
  sortedKeys,
} from "../json/mod.ts";
import type { ParsedBody, Rule } from "../policy/mod.ts";
import type { PatchBody } from "./change.ts";
import { readOperations } from "./patch_paths.ts";
import type { MutationConflict } from "./rule_kind.ts";

/** A rule that writes a field. */
interface Writer {
  readonly rule: Rule;
  /** Its position in the policy. */
  readonly position: number;
  readonly value: Json;
}

/** The most earlier rules that are compared for a field: all rules of a policy may write one. */
const mostWriters = 20;

/**
 * The fields that rules of a policy write differently from earlier rules for the same objects. The later rule always
 * wins, which is hardly intended. Only plain fields with constant values count, in rules with the same match and
 * conditions: for lists, anchors and variables the text does not show the result.
 */
export class MutationConflicts {
  readonly #rules: readonly Rule[];
  #found: ReadonlyMap<Rule, readonly MutationConflict[]> | undefined;

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
  }

  /** The conflicts of a rule with earlier ones. All are found in one walk through the rules. */
  of(rule: Rule): readonly MutationConflict[] {
    this.#found ??= conflictsOf(this.#rules);
    return this.#found.get(rule) ?? [];
  }
}

function conflictsOf(rules: readonly Rule[]): Map<Rule, readonly MutationConflict[]> {
  const found = new Map<Rule, readonly MutationConflict[]>();
  const groups = new Map<Rule["generatedFor"], Map<string, Map<string, Writer[]>>>();
  for (const [position, rule] of rules.entries()) {
    const writes = rule.section === "mutate" ? writesOf(rule) : undefined;
    if (writes === undefined || writes.size === 0) continue;
    const selections = madeIn(groups, rule.generatedFor, () => new Map<string, Map<string, Writer[]>>());
    const writers = madeIn(selections, selectionOf(rule), () => new Map<string, Writer[]>());
    found.set(
      rule,
      [...writes].flatMap(([path, value]) =>
        (writers.get(path) ?? []).filter((each) => !equal(each.value, value)).map((each) => ({
          ...each,
          path,
        }))
      ).sort((one, other) => one.position - other.position).map(({ rule: { name }, path }) => ({
        rule: name,
        path,
      })),
    );
    for (const [path, value] of writes) {
      const earlier = madeIn(writers, path, (): Writer[] => []);
      if (earlier.length < mostWriters) earlier.push({ rule, position, value });
    }
  }
  return found;
}

function madeIn<Key, Value>(values: Map<Key, Value>, key: Key, make: () => Value): Value {
  let value = values.get(key);
  if (value === undefined) values.set(key, value = make());
  return value;
}

/** A text that is the same for rules that match the same objects. */
function selectionOf({ match, exclude, preconditions, context }: Rule): string {
  const conditions = preconditions ?? null;
  // Conditions may read context entries, so rules with different entries may apply to different objects.
  const entries = conditions === null ? "" : JSON.stringify(context);
  return [sortedText([match.written, exclude?.written ?? null, conditions]), entries].join("\n");
}

/** A value as JSON, in which the order of keys does not show. */
function sortedText(value: Json): string {
  return JSON.stringify(
    value,
    (_, inner: Json) =>
      isObject(inner) ? Object.fromEntries(sortedKeys(inner).map((key) => [key, inner[key]])) : inner,
  );
}

/** The plain fields that a rule writes, with their constant values. */
function writesOf({ body }: Rule): Map<string, Json> {
  const writes = new Map<string, Json>();
  // A rule with targets or elements writes to other objects or paths.
  if (!isPatch(body)) return writes;
  const { patch } = body.change;
  if (patch.form === "merge" && isObject(patch.merge)) collect(patch.merge, [], writes);
  if (patch.form === "json") {
    for (const operation of readOperations(patch.operations)) {
      const path = asString(field(operation, "path")) ?? "", value = field(operation, "value");
      const isWrite = ["add", "replace"].includes(asString(field(operation, "op")) ?? "");
      const isPlain = path.startsWith("/") && parsePointer(path).every((token) => !/^(-|\d+)$/.test(token));
      if (isWrite && isPlain && isConstant(path) && isScalar(value) && isConstant(value)) {
        writes.set(path, value);
      }
    }
  }
  return writes;
}

function isPatch(body: ParsedBody): body is PatchBody {
  return body.kind === "patch";
}

function collect(patch: JsonObject, above: readonly string[], writes: Map<string, Json>): void {
  const keys = Object.keys(patch);
  // Anchors make the fields beside them conditional; directives replace or delete the whole map.
  if (keys.some((key) => /^[<=^X]?\(.*\)$/.test(key) || key === "$patch")) return;
  for (const key of keys) {
    const value = patch[key]!;
    if (/^\+\(.*\)$/.test(key) || !isConstant(key)) continue;
    if (isObject(value)) collect(value, [...above, key], writes);
    else if (!isList(value) && isConstant(value)) writes.set(formatPointer([...above, key]), value);
  }
}

function isScalar(value: Json | undefined): value is Json {
  return value !== undefined && !isObject(value) && !isList(value);
}

function isConstant(value: Json): boolean {
  return typeof value !== "string" || !/\{\{|\uE000/.test(value);
}
