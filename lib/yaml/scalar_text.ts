import { resolveScalar } from "./scalar.ts";

/** The role of a text. A key stays on its line. */
export type Role = "key" | "value";

/** Where the lines of a literal block stand. */
export interface BlockLines {
  readonly column: number;
  /** The number of columns by which the lines are to the right of the collection that holds the block. */
  readonly beyondParent: number;
}

/**
 * Writes a text as Go's yaml.v3 does: plain when it reads back as the same text, quoted otherwise, and as a
 * literal block when it has several lines. A block ends with a newline when the text does.
 */
export function scalarText(text: string, role: Role, lines: BlockLines): string {
  const traits = analyse(text);
  if (text.includes("\n") && role === "value") {
    return traits.blockAllowed ? literal(text, lines) : doubleQuoted(text);
  }
  if (text.includes("\n") || !readsAsText(text)) return doubleQuoted(text);
  if (traits.plainAllowed) return text;
  return traits.singleAllowed ? singleQuoted(text) : doubleQuoted(text);
}

/**
 * Whether every reader of YAML 1.1 and 1.2 would read a plain scalar as text. Go forgets `<<`, which merges.
 */
function readsAsText(text: string): boolean {
  return text !== "<<" && resolveScalar(text).type === "str" &&
    !/^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/.test(text);
}

interface Traits {
  readonly plainAllowed: boolean;
  readonly singleAllowed: boolean;
  readonly blockAllowed: boolean;
}

/**
 * Characters that need an escape, among them those beyond the basic plane. The separators U+2028 and U+2029 are
 * here too, although Go writes them as they are: readers do not agree on whether they end a line.
 */
const unprintable = /[^\t\n\x20-\x7e\u00a0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;

/** A character that is not printable ASCII. */
const otherThanAscii = /[^ -~]/;

function analyse(text: string): Traits {
  return otherThanAscii.test(text) ? analyseAny(text) : analyseAscii(text);
}

/**
 * Finds the traits of one line of ASCII, as most texts are. With a regular expression for each trait, the
 * message of a denial takes twice the time.
 */
function analyseAscii(text: string): Traits {
  const endsInSpace = text.endsWith(" ");
  const hasColon = text.includes(": ", 1) || (text.length > 1 && text.endsWith(":"));
  return {
    plainAllowed: !hasColon && !text.includes(" #") && !endsInSpace && !text.startsWith(" ") &&
      !startsWithIndicator.test(text),
    singleAllowed: true,
    blockAllowed: !endsInSpace,
  };
}

function analyseAny(text: string): Traits {
  const spaceAtEdge = /^ | $/.test(text);
  const breakAtEdge = text.startsWith("\n") || text.endsWith("\n");
  const spaceThenBreak = text.includes(" \n");
  const special = unprintable.test(text);
  const singleAllowed = !text.includes("\n ") && !spaceThenBreak && !special && !text.includes("\t");
  return {
    plainAllowed: singleAllowed && !spaceAtEdge && !breakAtEdge && !text.includes("\n") &&
      !hasIndicator(text),
    singleAllowed,
    blockAllowed: !text.endsWith(" ") && !spaceThenBreak && !special,
  };
}

/** A beginning of a plain text that YAML would read as syntax. */
const startsWithIndicator = /^(?:---|\.\.\.|[#,[\]{}&*!|>'"%@`]|[-?:](?:[ \t]|$))/;

/** Whether YAML would read a part of a plain text as syntax. */
function hasIndicator(text: string): boolean {
  return startsWithIndicator.test(text) ||
    /:(?:[ \t]|$)/.test(text.slice(1)) ||
    /[ \t\n\0]#/.test(text);
}

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["\0", "\\0"],
  ["\x07", "\\a"],
  ["\b", "\\b"],
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\v", "\\v"],
  ["\f", "\\f"],
  ["\r", "\\r"],
  ["\x1b", "\\e"],
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\u0085", "\\N"],
  ["\u2028", "\\L"],
  ["\u2029", "\\P"],
]);

function doubleQuoted(text: string): string {
  // Kyverno parity: after a byte order mark at its start every character is escaped; pinned by "a leading U+FEFF".
  const escapesAll = text.startsWith("\ufeff");
  let quoted = '"';
  for (const character of text) {
    quoted += escapes.get(character) ??
      (escapesAll || unprintable.test(character) ? escape(character) : character);
  }
  return `${quoted}"`;
}

function escape(character: string): string {
  if (character === "\u00a0") return "\\_";
  const code = character.codePointAt(0)!;
  const [mark, width] = code <= 0xff
    ? ["x", 2] as const
    : code <= 0xffff
    ? ["u", 4] as const
    : ["U", 8] as const;
  return `\\${mark}${code.toString(16).toUpperCase().padStart(width, "0")}`;
}

function literal(text: string, { column, beyondParent }: BlockLines): string {
  const indicator = text.startsWith(" ") || text.startsWith("\n") ? String(beyondParent) : "";
  const chomp = text === "\n" || text.endsWith("\n\n") ? "+" : text.endsWith("\n") ? "" : "-";
  return `|${indicator}${chomp}\n${text.replace(/^(?!\n|$)/gm, " ".repeat(column))}`;
}
