import type { StepBudget } from "../../json/mod.ts";

/** One step of a glob: a character that passes a test, or any text. */
type Step = "any text" | ((char: string) => boolean);

/** The most alternatives to which braces are expanded. A glob with more is matched with its braces as they are. */
const maxAlternatives = 1_000;

/**
 * Compiles a glob: `*` for any text, `?` for a character, `[abc]` and `[!a-z]` for one of some, `{a,b}` for one of
 * several texts. Each look at a character takes a step, because texts come from objects and have their size: beyond the
 * steps no text matches.
 *
 * Kyverno parity: `*` crosses `/` and `:`. Pinned by tests/rules/verify_images/image_validating_test.ts.
 *
 * ```ts
 * import { compileGlob } from "./glob.ts";
 * import assert from "node:assert/strict";
 * assert.ok(compileGlob("ghcr.io/{acme,other}/*")("ghcr.io/acme/app/web:v1"));
 * assert.ok(!compileGlob("ghcr.io/[!a]cme/*")("ghcr.io/acme/app:v1"));
 * ```
 */
export function compileGlob(glob: string): (text: string, budget?: StepBudget) => boolean {
  const alternatives = (alternativesOf(glob) ?? [glob]).map(stepsOf);
  return (text, budget = { left: Infinity }) => alternatives.some((steps) => matches(steps, text, budget));
}

/**
 * The globs that replace a glob with braces, one for each choice; `undefined` when there are too many, or a brace is
 * not closed.
 */
function alternativesOf(glob: string): string[] | undefined {
  const start = glob.indexOf("{");
  if (start < 0) return [glob];
  const end = endOf(glob, start);
  if (end < 0) return undefined;
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

/** The index of the end of the brace that begins at an index; -1 when it is not closed. */
function endOf(glob: string, start: number): number {
  let depth = 0;
  for (let at = start; at < glob.length; at++) {
    if (glob[at] === "{") depth++;
    else if (glob[at] === "}" && --depth === 0) return at;
  }
  return -1;
}

function choicesOf(text: string): string[] {
  const choices = [""];
  let depth = 0;
  for (const char of text) {
    if (char === "{") depth++;
    else if (char === "}") depth--;
    if (char === "," && depth === 0) choices.push("");
    else choices[choices.length - 1] += char;
  }
  return choices;
}

function stepsOf(glob: string): Step[] {
  const steps: Step[] = [];
  const chars = [...glob];
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at]!;
    if (char === "*") {
      if (steps.at(-1) !== "any text") steps.push("any text");
    } else if (char === "?") steps.push(() => true);
    else if (char === "[") {
      const end = chars.indexOf("]", at + 2);
      steps.push(end < 0 ? isOnly(char) : classOf(chars.slice(at + 1, end)));
      if (end >= 0) at = end;
    } else steps.push(isOnly(char === "\\" ? chars[++at] ?? char : char));
  }
  return steps;
}

function isOnly(wanted: string): Step {
  return (char) => char === wanted;
}

/** Compiles `abc`, `a-z`, and with a leading `!` all other characters. */
function classOf(chars: readonly string[]): Step {
  const isOther = chars[0] === "!";
  const members = isOther ? chars.slice(1) : chars;
  const ranges: (readonly [string, string])[] = [];
  for (let at = 0; at < members.length; at++) {
    const from = members[at]!, isRange = members[at + 1] === "-" && at + 2 < members.length;
    ranges.push([from, isRange ? members[at + 2]! : from]);
    if (isRange) at += 2;
  }
  return (char) => ranges.some(([from, to]) => from <= char && char <= to) !== isOther;
}

/** Only the last `*` needs to be tried again: the later one can match whatever an earlier one could. */
function matches(steps: readonly Step[], text: string, budget: StepBudget): boolean {
  let step = 0, at = 0, star = -1, resumeAt = 0;
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
