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
} from "../json/mod.ts";
import type { ParsedBody, Rule } from "../policy/mod.ts";
import type { PatchChange } from "./change.ts";
import { readOperations } from "./patch_paths.ts";

/** Changes the object of the request by one patch. */
export interface PatchBody {
  readonly kind: "patch";
  readonly change: PatchChange;
  /** Set in error: there are no targets that could be changed when the policy comes into force. */
  readonly onPolicyUpdate: boolean | undefined;
}

/** A field that two rules write differently. */
export interface MutationConflict {
  /** The earlier rule. */
  readonly rule: string;
  /** A JSON pointer (RFC 6901). */
  readonly path: string;
}

/**
 * The fields that a rule writes differently from an earlier rule of its policy for the same objects. The later rule
 * always wins, which is hardly intended. Only plain fields with constant values count, in rules with the same match
 * and conditions: for lists, anchors and variables the text does not show the result.
 */
export function mutationConflicts(rule: Rule, rules: readonly Rule[]): MutationConflict[] {
  const earlier = rules.slice(0, rules.indexOf(rule)).filter((each) =>
    each.section === "mutate" && each.generatedFor === rule.generatedFor && isAboutTheSame(each, rule)
  );
  const writes = writesOf(rule);
  return earlier.flatMap((each) => {
    const theirs = writesOf(each);
    return [...writes].flatMap(([path, value]) => {
      const other = theirs.get(path);
      return other === undefined || equal(other, value) ? [] : [{ rule: each.name, path }];
    });
  });
}

function isAboutTheSame(left: Rule, right: Rule): boolean {
  const selection = ({ match, exclude, preconditions }: Rule): Json => [
    match.written,
    exclude?.written ?? null,
    preconditions ?? null,
  ];
  // Conditions may read context entries, so rules with different entries may apply to different objects.
  return equal(selection(left), selection(right)) &&
    (left.preconditions === undefined || isSameContext(left.context, right.context));
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

function isSameContext(left: Rule["context"], right: Rule["context"]): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
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
