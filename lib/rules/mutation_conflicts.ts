import {
  asList,
  asString,
  equal,
  field,
  formatPointer,
  isFault,
  isList,
  isObject,
  type Json,
  type JsonObject,
  parsePointer,
} from "../json/mod.ts";
import type { Rule } from "../policy/mod.ts";
import { readOperations } from "./patch_paths.ts";

/** Two rules that write one field differently. */
export interface MutationConflict {
  /** The earlier rule. */
  readonly rule: string;
  /** RFC 6901. */
  readonly path: string;
}

/**
 * Fields that a rule writes differently from an earlier rule of its policy that applies to the same objects: the later
 * one always wins, which is hardly meant. Only plain fields with constant values count, in rules with the same match
 * and conditions; whoever writes to lists, under anchors or with variables knows more than can be seen here.
 */
export function mutationConflicts(rule: Rule, rules: readonly Rule[]): MutationConflict[] {
  const earlier = rules.slice(0, rules.indexOf(rule)).filter((each) =>
    each.mutate !== undefined && each.generatedFor === rule.generatedFor && isAboutTheSame(each, rule)
  );
  const own = writesOf(rule);
  return earlier.flatMap((each) => {
    const theirs = writesOf(each);
    return [...own].flatMap(([path, value]) => {
      const other = theirs.get(path);
      return other === undefined || equal(other, value) ? [] : [{ rule: each.name, path }];
    });
  });
}

function isAboutTheSame(left: Rule, right: Rule): boolean {
  const subject = ({ match, exclude, preconditions, context }: Rule): Json => [
    match,
    exclude ?? null,
    preconditions ?? null,
    // Conditions may read context entries, so rules with different ones may differ in when they apply.
    preconditions === undefined ? null : context,
  ];
  return equal(subject(left), subject(right));
}

/** The plain fields that a rule writes, with their constant values. */
function writesOf({ mutate }: Rule): Map<string, Json> {
  const writes = new Map<string, Json>();
  const merge = field(mutate, "patchStrategicMerge");
  if (isObject(merge)) collect(merge, [], writes);
  const operations = field(mutate, "patchesJson6902") ?? null;
  if (operations !== null && !isFault(operations)) {
    for (const operation of readOperations(operations)) {
      const path = asString(field(operation, "path")) ?? "", value = field(operation, "value");
      const isWrite = ["add", "replace"].includes(asString(field(operation, "op")) ?? "");
      const isPlain = path.startsWith("/") && parsePointer(path).every((token) => !/^(-|\d+)$/.test(token));
      if (isWrite && isPlain && isConstant(path) && isScalar(value) && isConstant(value)) {
        writes.set(path, value);
      }
    }
  }
  // A rule that looks at its targets or at elements writes elsewhere.
  return asList(field(mutate, "targets")).length > 0 ? new Map() : writes;
}

function collect(patch: JsonObject, above: readonly string[], writes: Map<string, Json>): void {
  const keys = Object.keys(patch);
  // Anchors make everything beside them conditional; directives replace or delete as a whole.
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
