import { dig, Fault, isFault, type Json } from "../json/mod.ts";
import {
  compileRequirement,
  type LabelOperatorName,
  type LabelRequirement,
  type LabelTest,
} from "./label_requirement.ts";
import { allOf } from "./label_selector.ts";

/** The meaning of the operators that follow a key, by their spelling. */
const operators: ReadonlyMap<string, LabelOperatorName> = new Map([
  ["=", "In"],
  ["==", "In"],
  ["!=", "NotIn"],
  ["in", "In"],
  ["notin", "NotIn"],
  [">", "GreaterThan"],
  ["<", "LessThan"],
]);

/**
 * Compiles the text of a `labelSelector` query parameter: `a=b,c!=d,e in (x,y),f,!g`.
 *
 * ```ts
 * import { compileLabelSelectorText } from "./selector_text.ts";
 * import { isFault } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * const selected = compileLabelSelectorText("app in (web, api), !legacy");
 * assert.ok(!isFault(selected) && selected({ app: "web" }) && !selected({ app: "web", legacy: "" }));
 * ```
 */
export function compileLabelSelectorText(text: string): LabelTest | Fault {
  const reader = new Reader(text);
  const predicates: LabelTest[] = [];
  while (!reader.atEnd) {
    const requirement = readRequirement(reader);
    if (isFault(requirement)) return requirement;
    const predicate = compileRequirement(requirement);
    if (isFault(predicate)) return new Fault(`unable to parse requirement: ${predicate.message}`);
    predicates.push(predicate);
    if (reader.atEnd) break;
    if (!reader.take(",") || reader.atEnd) return reader.unexpected("',' and an identifier");
  }
  return allOf(predicates);
}

/** Tokens of a selector: words, and runs of `=`, `!`, `<`, `>` that are operators. */
class Reader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = text.match(/==|!=|[=!<>(),]|[^\s=!<>(),]+/g) ?? [];
  }

  get atEnd(): boolean {
    return this.#at === this.#tokens.length;
  }

  get next(): string | undefined {
    return this.#tokens[this.#at];
  }

  take(token: string): boolean {
    if (this.next !== token) return false;
    this.#at++;
    return true;
  }

  /** Takes the next token if it is a word. */
  takeWord(): string | undefined {
    return this.next === undefined || /^[=!<>(),]/.test(this.next) ? undefined : this.#tokens[this.#at++];
  }

  takeOperator(): LabelOperatorName | undefined {
    const operator = operators.get(this.next ?? "");
    if (operator !== undefined) this.#at++;
    return operator;
  }

  unexpected(expected: string): Fault {
    return new Fault(`unable to parse requirement: found '${this.next ?? ""}', expected: ${expected}`);
  }
}

function readRequirement(reader: Reader): LabelRequirement | Fault {
  const negated = reader.take("!");
  const key = reader.takeWord();
  if (key === undefined) return reader.unexpected("identifier");
  if (negated) return { key, operator: "DoesNotExist", values: [] };
  if (reader.atEnd || reader.next === ",") return { key, operator: "Exists", values: [] };
  const isSet = reader.next === "in" || reader.next === "notin";
  const operator = reader.takeOperator();
  if (operator === undefined) return reader.unexpected("in, notin, =, ==, !=, >, <");
  if (!isSet) {
    if (reader.atEnd || reader.next === ",") return { key, operator, values: [""] };
    const value = reader.takeWord();
    return value === undefined ? reader.unexpected("identifier") : { key, operator, values: [value] };
  }
  const values = readValues(reader);
  return isFault(values) ? values : { key, operator, values };
}

/** Reads `(x, y)`. Nothing between two commas means the empty value. */
function readValues(reader: Reader): string[] | Fault {
  if (!reader.take("(")) return reader.unexpected("'('");
  const values: string[] = [];
  for (;;) {
    values.push(reader.takeWord() ?? "");
    if (reader.take(")")) return values;
    if (!reader.take(",")) return reader.unexpected("',' or ')'");
  }
}

/**
 * Compiles the text of a `fieldSelector` query parameter over whole objects: `metadata.name=a,status.phase!=Running`.
 * It accepts any path of field names, while the API server accepts a few of each kind. A missing field has the empty
 * text as its value.
 */
export function compileFieldSelectorText(text: string): ((object: Json) => boolean) | Fault {
  const predicates: ((object: Json) => boolean)[] = [];
  for (const term of text.match(/(?:[^\\,]|\\[\s\S]?)+/g) ?? []) {
    const parts = /^([\s\S]*?)(!=|==?)([\s\S]*)$/.exec(term);
    if (parts === null) return new Fault(`invalid selector: '${text}'; can't understand '${term}'`);
    const value = unescape(parts[3]!);
    if (isFault(value)) return value;
    const path = parts[1]!.split("."), wanted = parts[2] !== "!=";
    predicates.push((object) => (fieldText(object, path) === value) === wanted);
  }
  return (object) => predicates.every((holds) => holds(object));
}

function fieldText(object: Json, path: readonly string[]): string {
  const value = dig(object, ...path) ?? null;
  return value === null || typeof value === "object" ? "" : String(value);
}

/** Removes the escapes `\\`, `\,` and `\=`. An unescaped `=` is an error. */
function unescape(text: string): string | Fault {
  if (/^(?:[^\\=]|\\[\\,=])*$/.test(text)) return text.replace(/\\(.)/g, "$1");
  return new Fault(`invalid field selector: invalid escape sequence or '=' in '${text}'`);
}
