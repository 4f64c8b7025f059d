import { Fault, isFault, type StepBudget } from "../../json/mod.ts";

/** One step of a glob: a character that passes a test, or any text. */
type Step = "any text" | ((char: string) => boolean);

/** The most alternatives to which braces are expanded. */
const maxAlternatives = 1_000;

/**
 * Compiles a glob: `*` for any text, `?` for a character, `[abc]` and `[!a-z]` for one of some, `{a,b}` for one of
 * several texts; a backslash before a character takes it literally. A fault says why a glob cannot be read. Each look
 * at a character takes a step, because texts come from objects and have their size: beyond the steps no text matches.
 *
 * Kyverno parity: `*` crosses `/` and `:`, a brace that is not closed ends with the glob, and brackets have one range
 * or a list. Pinned by tests/rules/verify_images/image_validating_test.ts.
 *
 * ```ts
 * import { compileGlob } from "./glob.ts";
 * import assert from "node:assert/strict";
 * const matches = compileGlob("ghcr.io/{acme,[!o]ther}/*");
 * assert.ok(typeof matches === "function");
 * assert.deepEqual([matches("ghcr.io/acme/app/web:v1"), matches("ghcr.io/other/app:v1")], [true, false]);
 * ```
 */
export function compileGlob(glob: string): Fault | ((text: string, budget?: StepBudget) => boolean) {
  const written = alternativesOf(glob);
  if (written === undefined) return new Fault(`the braces have more than ${maxAlternatives} alternatives`);
  const alternatives: (readonly Step[])[] = [];
  for (const each of written) {
    const steps = stepsOf(each);
    if (isFault(steps)) return steps;
    alternatives.push(steps);
  }
  return (text, budget = { left: Infinity }) =>
    alternatives.some((steps) => budget.left >= 0 && matches(steps, text, budget));
}

/** The globs that replace a glob with braces, one for each choice; `undefined` when there are too many. */
function alternativesOf(glob: string): string[] | undefined {
  const start = braceOf(glob);
  if (start < 0) return [glob];
  const end = endOf(glob, start);
  const rest = alternativesOf(glob.slice(end + 1));
  if (rest === undefined) return undefined;
  const written: string[] = [];
  for (const choice of choicesOf(glob.slice(start + 1, end))) {
    const inner = alternativesOf(choice);
    if (inner === undefined) return undefined;
    for (const middle of inner) {
      for (const tail of rest) written.push(glob.slice(0, start) + middle + tail);
      if (written.length > maxAlternatives) return undefined;
    }
  }
  return written;
}

/** The index of the first `{` without a backslash before it; -1 when there is none. */
function braceOf(glob: string): number {
  for (let at = 0; at < glob.length; at++) {
    if (glob[at] === "\\") at++;
    else if (glob[at] === "{") return at;
  }
  return -1;
}

/** The index of the end of the brace that begins at an index: that of the glob when it is not closed. */
function endOf(glob: string, start: number): number {
  let depth = 0;
  for (let at = start; at < glob.length; at++) {
    if (glob[at] === "\\") at++;
    else if (glob[at] === "{") depth++;
    else if (glob[at] === "}" && --depth === 0) return at;
  }
  return glob.length;
}

function choicesOf(text: string): string[] {
  const choices: string[] = [];
  let depth = 0, from = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (char === "\\") at++;
    else if (char === "{") depth++;
    else if (char === "}") depth--;
    else if (char === "," && depth === 0) {
      choices.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...choices, text.slice(from)];
}

function stepsOf(glob: string): Step[] | Fault {
  const steps: Step[] = [];
  const chars = [...glob];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at]!;
    if (char === "*") {
      if (steps.at(-1) !== "any text") steps.push("any text");
    } else if (char === "?") steps.push(() => true);
    else if (char === "[") {
      const read = readBrackets(chars, at + 1);
      if (isFault(read)) return read;
      steps.push(read.step);
      at = read.end;
    } else if (char !== "\\") steps.push(isOnly(char));
    else if (++at < chars.length) steps.push(isOnly(chars[at]!));
  }
  return steps;
}

function isOnly(wanted: string): Step {
  return (char) => char === wanted;
}

/** Reads `abc]`, `a-z]`, and with a leading `!` all other characters, from the index after the bracket. */
function readBrackets(chars: readonly string[], start: number): { step: Step; end: number } | Fault {
  const isOther = chars[start] === "!";
  const first = isOther ? start + 1 : start;
  return chars[first + 1] === "-" ? readRange(chars, first, isOther) : readList(chars, first, isOther);
}

function readRange(
  chars: readonly string[],
  first: number,
  isOther: boolean,
): { step: Step; end: number } | Fault {
  const from = chars[first]!, to = chars[first + 2]!, end = first + 3;
  if (end >= chars.length) return new Fault("unexpected end of input");
  if (chars[end] !== "]") return new Fault("expected close range character");
  if (to < from) return new Fault(`hi character '${to}' should be greater than lo '${from}'`);
  return { step: (char) => (from <= char && char <= to) !== isOther, end };
}

function readList(
  chars: readonly string[],
  first: number,
  isOther: boolean,
): { step: Step; end: number } | Fault {
  const members = new Set<string>();
  for (let at = first; at < chars.length; at++) {
    const char = chars[at]!;
    if (char === "]") {
      return members.size === 0
        ? new Fault("could not parse range")
        : { step: (each) => members.has(each) !== isOther, end: at };
    }
    const member = char === "\\" ? chars[++at] : char;
    if (member !== undefined) members.add(member);
  }
  return new Fault("unexpected end of input");
}

/** The steps of a comparison besides those for characters. */
const stepsOfBeginning = 2;

/** Only the last `*` needs to be tried again: the later one can match whatever an earlier one could. */
function matches(steps: readonly Step[], text: string, budget: StepBudget): boolean {
  let step = 0, at = 0, star = -1, resumeAt = 0;
  budget.left -= stepsOfBeginning;
  while (at < text.length) {
    if (--budget.left < 0) return false;
    const wanted = steps[step], char = characterAt(text, at);
    if (wanted === "any text") {
      star = step++;
      resumeAt = at;
    } else if (wanted !== undefined && wanted(char)) {
      step++;
      at += char.length;
    } else if (star >= 0) {
      step = star + 1;
      at = resumeAt += characterAt(text, resumeAt).length;
    } else return false;
  }
  while (steps[step] === "any text") step++;
  return step === steps.length;
}

/** The character at an index, which is two units of the text outside of Unicode's first plane. */
function characterAt(text: string, index: number): string {
  const unit = text.charCodeAt(index);
  return unit >= 0xd800 && unit < 0xdc00 ? String.fromCodePoint(text.codePointAt(index)!) : text[index]!;
}
