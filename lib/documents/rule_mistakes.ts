import type { PathDiagnostic } from "../diagnostics/mod.ts";
import { entryKinds } from "../context/mod.ts";
import {
  asList,
  asObject,
  asString,
  type DocumentPath,
  field,
  isGiven,
  isList,
  isObject,
  isString,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import { parseAnchor } from "../pattern/mod.ts";
import { requestVariables } from "../template/mod.ts";

/**
 * Mistakes of a rule in the current spelling that leave it usable, though it does not do what its author means. Kyverno
 * refuses most of them. Paths are those below the rule.
 */
export function ruleMistakes(rule: JsonObject): PathDiagnostic[] {
  return [
    ...matchMistakes(rule, "match"),
    ...matchMistakes(rule, "exclude"),
    ...contextMistakes(rule, []),
    ...["validate", "mutate", "generate"].flatMap((section) => {
      const body = asObject(rule[section]);
      return body === undefined ? [] : bodyMistakes(body, [section]);
    }),
    ...generateMistakes(asObject(rule["generate"])),
    ...openVariables(rule, []),
  ];
}

/** Texts with a `{{` that no `}}` follows: they are not variables. */
function openVariables(value: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  if (isList(value)) return value.flatMap((item, index) => openVariables(item, [...path, index]));
  if (isObject(value)) {
    return Object.entries(value).flatMap(([name, inner]) => openVariables(inner, [...path, name]));
  }
  if (!isString(value)) return [];
  const at = value.lastIndexOf("{{");
  if (at < 0 || value[at - 1] === "\\" || value.includes("}}", at)) return [];
  return [warning({
    code: "broken-template",
    message: `The variable "${excerpt(value.slice(at))}" does not end: it is read as text`,
    hint: "close it with }}; \\{{ writes the characters themselves",
    path,
  })];
}

function excerpt(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** A `match` or `exclude` block that is written in several forms, of which the engine reads one: `any` before `all`. */
function matchMistakes(rule: JsonObject, name: string): PathDiagnostic[] {
  const block = asObject(rule[name]) ?? {};
  const [counts, ...others] = ["any", "all", "resources"].filter((form) => {
    const value = block[form];
    return isList(value) ? value.length > 0 : isObject(value);
  });
  if (others.length === 0) return [];
  return [warning({
    code: "several-bodies",
    message: `Of ${name} only ${counts} counts, not ${others.join(", ")}`,
    hint: "write all filters under one of them",
    path: [name],
  })];
}

/** The mistakes of a `validate`, `mutate` or `generate` block, and of the loops in it. */
function bodyMistakes(body: JsonObject, path: DocumentPath): PathDiagnostic[] {
  const inLoops = asList(body["foreach"]).flatMap((entry, index) => {
    if (!isObject(entry)) return [];
    const below = [...path, "foreach", index];
    return [...contextMistakes(entry, below), ...bodyMistakes(entry, below)];
  });
  if (path[0] !== "validate") return inLoops;
  return [
    ...patternMistakes(body["pattern"], [...path, "pattern"]),
    ...asList(body["anyPattern"]).flatMap((pattern, index) =>
      patternMistakes(pattern, [...path, "anyPattern", index])
    ),
    ...inLoops,
  ];
}

/** Names that Kyverno refuses for entries, because they hide a value of the request. */
const reserved = [...requestVariables, "element", "elementIndex"];

function contextMistakes(holder: JsonObject, path: DocumentPath): PathDiagnostic[] {
  return asList(holder["context"]).flatMap((entry, index): PathDiagnostic[] => {
    if (!isObject(entry)) return [];
    const below = [...path, "context", index];
    const name = asString(entry["name"]) ?? "";
    const [counts, ...others] = entryKinds.filter((kind) => isObject(entry[kind]));
    const found: PathDiagnostic[] = [];
    if (reserved.includes(name.split(".")[0]!)) {
      found.push(warning({
        code: "reserved-name",
        message: `A context entry cannot be named "${name}": "${name.split(".")[0]}" is the request's`,
        hint: "give it another name",
        path: [...below, "name"],
      }));
    }
    if (others.length > 0) {
      found.push(warning({
        code: "several-bodies",
        message: `Of context entry "${name}" only ${counts} counts, not ${others.join(", ")}`,
        hint: "make an entry of each",
        path: below,
      }));
    }
    const variable = entry["variable"];
    if (isObject(variable) && !["value", "jmesPath", "default"].some((each) => isGiven(variable[each]))) {
      found.push(warning({
        code: "missing-reference",
        message: `Context entry "${name}" has no value`,
        hint: "give it value, jmesPath or default",
        path: [...below, "variable"],
      }));
    }
    return found;
  });
}

/** A key that looks like an anchor and is none. No key of Kubernetes has such characters at its ends. */
const almostAnchor = /^[+<=^~]|^X\(|^\(|\)$/;

/** Keys of a pattern that do not mean what their anchors say. */
function patternMistakes(pattern: Json | undefined, path: DocumentPath): PathDiagnostic[] {
  if (isList(pattern)) return pattern.flatMap((item, index) => patternMistakes(item, [...path, index]));
  if (!isObject(pattern)) return [];
  return Object.entries(pattern).flatMap(([key, value]) => {
    const below = [...path, key];
    const problem = anchorProblem(key, value);
    const found = problem === undefined ? [] : [warning({ code: "bad-pattern", path: below, ...problem })];
    return [...found, ...patternMistakes(value, below)];
  });
}

function anchorProblem(key: string, value: Json): { message: string; hint: string } | undefined {
  const anchor = parseAnchor(key);
  if (anchor === undefined) {
    if (key.includes("{{") || !almostAnchor.test(key)) return undefined;
    const name = key.replace(/^[X+<=^~]?\(?|\)$/g, "");
    return {
      message: `"${key}" is no anchor: the key is compared as it stands`,
      hint: `anchors are (${name}), =(${name}), ^(${name}), X(${name}) and <(${name})`,
    };
  }
  if (anchor.kind === "addition") {
    return {
      message: `"${key}" adds nothing in a pattern: the key is compared as it stands`,
      hint: `write =(${anchor.key}) for a key that may be absent`,
    };
  }
  if (anchor.kind !== "existence" || isList(value) && value.length > 0) return undefined;
  return {
    message: `"${key}" needs a list: one of the object's elements must match each of its elements`,
    hint: `write the pattern of an element as a list of one`,
  };
}

function generateMistakes(generate: JsonObject | undefined): PathDiagnostic[] {
  const given = ["data", "clone", "cloneList"].filter((name) => {
    const value = field(generate, name);
    return isObject(value) && Object.keys(value).length > 0;
  });
  if (given.length < 2) return [];
  return [warning({
    code: "several-bodies",
    message: `A generate rule has one of data, clone and cloneList, not ${given.join(" and ")}`,
    hint: "make a rule of each",
    path: ["generate"],
  })];
}

function warning(problem: Omit<PathDiagnostic, "severity">): PathDiagnostic {
  return { severity: "warning", ...problem };
}
