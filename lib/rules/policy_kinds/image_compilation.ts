import { formatCelError, goQuote } from "../../cel/mod.ts";
import { documentPathText } from "../../json/mod.ts";
import type { UnusableText } from "../cel/mod.ts";
import { error, type Outcome } from "../outcome.ts";

/** The fields of which all mistakes are listed; of the others the first one is. */
const listed: ReadonlySet<unknown> = new Set(["matchConditions", "matchImageReferences", "variables"]);

/** The most characters of errors in one message: each error repeats its line. */
const longest = 8_192;

/**
 * The result of an image policy with expressions that cannot be used; `undefined` when there are none. Kyverno parity:
 * the first field with mistakes is named, and objects that the policy matches get the message. Pinned by
 * tests/rules/verify_images/image_compilation_test.ts.
 */
export function compilationFailed(unusable: readonly UnusableText[]): Outcome | undefined {
  const [first] = unusable;
  if (first === undefined) return undefined;
  const isListed = listed.has(first.path[1]);
  const mistakes = isListed ? unusable.filter(({ path }) => path[1] === first.path[1]) : [first];
  const texts = [...new Set(mistakes.map(textOf))];
  const all = texts.length === 1 ? texts[0]! : `[${texts.join(", ")}]`;
  const isReference = first.path[1] === "matchImageReferences";
  const text = isReference ? `<nil>: Internal error: failed to compile matches: ${all}` : all;
  return { ...error(`failed to compile policy: ${text}`), reportedAs: "evaluation", meaning: "unusable" };
}

function textOf({ path, text, cause }: UnusableText): string {
  const at = documentPathText(path).replace(/^spec\.match(?=ImageReferences)/, "spec.Match");
  return `${at}: Invalid value: ${text === undefined ? "{}" : goQuote(text)}: ${causeText(cause, text)}`;
}

function causeText(cause: UnusableText["cause"], written: string | undefined): string {
  if (typeof cause === "string") return cause;
  // An empty text has no position.
  if (written === "") return `ERROR: <input>:1:0: ${cause[0]?.message}`;
  let text = "";
  for (const mistake of cause) {
    const line = formatCelError(mistake);
    if (text !== "" && text.length + line.length > longest) break;
    text += text === "" ? line : `\n${line}`;
  }
  return text;
}
