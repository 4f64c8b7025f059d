import { RE2JS } from "re2js";
import { Fault, programSize } from "../json/mod.ts";

/** The most characters of a generated text. A repetition stops when the text has this many. */
const maxLength = 10_000;

/** The most repetitions of an open repetition such as `a*`, beyond its minimum. */
const openRepetitions = 32;

/** Makes a random text that a pattern matches. */
export type TextGenerator = (random: () => number) => string;

/** Generates the text of one part of a pattern and appends it to the text so far. */
type Part = (text: GeneratedText, random: () => number) => void;

/**
 * The pieces of a text, which are joined at its end: a text to which each character is appended takes thirty times as
 * much.
 */
class GeneratedText {
  readonly #pieces: string[] = [];
  length = 0;

  add(piece: string): void {
    this.#pieces.push(piece);
    this.length += piece.length;
  }

  joined(): string {
    return this.#pieces.join("");
  }
}

/**
 * Compiles a regular expression into a generator of texts that match it. Classes and `.` generate printable ASCII if
 * they allow it; anchors generate nothing. For an invalid pattern it returns the fault of the regular expression.
 */
export function compileTextGenerator(pattern: string): TextGenerator | Fault {
  const valid = compileRegex(pattern);
  if (valid instanceof Fault) return valid;
  const reader = new PatternReader(pattern);
  const part = reader.alternatives();
  return (random) => {
    const text = new GeneratedText();
    part(text, random);
    return text.joined();
  };
}

/** Parts of classes that may have no ASCII characters: to find others among all takes twenty milliseconds. */
const rareCharacters = /\\[pPx]|[^\0-\x7f]/g;

/** The steps of compiling a pattern that comes from a request. A step takes some tens of nanoseconds. */
export function stepsOfTextGenerator(pattern: string): number {
  const rare = pattern.match(rareCharacters)?.length ?? 0;
  return 1_000 + 50 * programSize(pattern) + 400_000 * rare;
}

const escapeSequence =
  /\\(?:Q[\s\S]*?(?:\\E|$)|[pP](?:\{[^}]*\}|.)|x(?:\{[^}]*\}|[0-9A-Fa-f]{2})|[0-7]{1,3}|[\s\S])/y;
const bracketClass = /\[\^?\]?(?:\[:\^?[a-z]+:\]|\\[\s\S]|[^\]\\])*\]/y;
const groupStart = /\((?:\?(?:P?<[^>]*>|[A-Za-z-]*:|[A-Za-z-]*(?=\))))?/y;
const repetition = /(?:[*+?]|\{([0-9]+)(,([0-9]*))?\})\??/y;

/** Parses a valid pattern. It therefore only has to find where each part begins and ends. */
class PatternReader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  /** Reads the alternatives up to a closing parenthesis or the end. */
  alternatives(): Part {
    const options = [this.#sequence()];
    while (this.#pattern[this.#at] === "|") {
      this.#at++;
      options.push(this.#sequence());
    }
    if (options.length === 1) return options[0]!;
    return (text, random) => pick(options, random)(text, random);
  }

  #sequence(): Part {
    const parts: Part[] = [];
    while (this.#at < this.#pattern.length && !"|)".includes(this.#pattern[this.#at]!)) {
      parts.push(this.#repeated(this.#atom()));
    }
    return (text, random) => parts.forEach((part) => part(text, random));
  }

  #atom(): Part {
    const char = this.#pattern[this.#at]!;
    switch (char) {
      case "(":
        return this.#group();
      case "[":
        return oneOf(this.#take(bracketClass) ?? char);
      case "\\":
        return this.#escape();
      case ".":
        this.#at++;
        return oneOf(char);
      case "^":
      case "$":
        this.#at++;
        return nothing;
      default: {
        const character = String.fromCodePoint(this.#pattern.codePointAt(this.#at)!);
        this.#at += character.length;
        return (text) => text.add(character);
      }
    }
  }

  #group(): Part {
    const start = this.#take(groupStart)!;
    // `(?i)` sets flags for the rest of the group. The letters as written match under any flag.
    const part = /^\(\?[A-Za-z-]*$/.test(start) && start !== "(" ? nothing : this.alternatives();
    this.#at++;
    return part;
  }

  #escape(): Part {
    const escape = this.#take(escapeSequence)!;
    if (escape.startsWith("\\Q")) {
      const literal = escape.slice(2).replace(/\\E$/, "");
      return (text) => text.add(literal);
    }
    if (/^\\[AzbB]$/.test(escape)) return nothing;
    if (/^\\[^A-Za-z0-9]$/.test(escape)) return (text) => text.add(escape[1]!);
    return oneOf(escape);
  }

  #repeated(part: Part): Part {
    repetition.lastIndex = this.#at;
    const found = repetition.exec(this.#pattern);
    if (found === null) return part;
    this.#at += found[0].length;
    const { least, most } = bounds(found);
    const whole: Part = (text, random) => {
      const count = least + Math.floor(random() * (most - least + 1));
      for (let index = 0; index < count && text.length < maxLength; index++) part(text, random);
    };
    return this.#repeated(whole);
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#pattern)?.[0];
    this.#at += found?.length ?? 1;
    return found;
  }
}

/** The part that anchors and flags generate. */
const nothing: Part = () => {};

function bounds(found: RegExpExecArray): { readonly least: number; readonly most: number } {
  const [text, least, comma, most] = found;
  switch (text[0]) {
    case "*":
      return { least: 0, most: openRepetitions };
    case "+":
      return { least: 1, most: 1 + openRepetitions };
    case "?":
      return { least: 0, most: 1 };
  }
  const from = Number(least);
  if (comma === undefined) return { least: from, most: from };
  return { least: from, most: most === undefined || most === "" ? from + openRepetitions : Number(most) };
}

/** Generates one of the characters that a class, an escape or `.` matches. */
function oneOf(atom: string): Part {
  const regex = compileRegex(`^(?:${atom})$`);
  const characters = regex instanceof Fault ? [] : candidates(regex);
  return characters.length === 0 ? nothing : (text, random) => text.add(pick(characters, random));
}

function compileRegex(pattern: string): RE2JS | Fault {
  try {
    return RE2JS.compile(pattern);
  } catch (cause) {
    return new Fault(cause instanceof Error ? cause.message : String(cause));
  }
}

function candidates(regex: RE2JS): readonly string[] {
  for (const [from, to] of [[0x20, 0x7e], [0x00, 0xd7ff], [0xe000, 0xffff]] as const) {
    const found: string[] = [];
    for (let code = from; code <= to; code++) {
      const character = String.fromCharCode(code);
      if (regex.test(character) === true) found.push(character);
    }
    if (found.length > 0) return found;
  }
  return [];
}

function pick<T>(options: readonly T[], random: () => number): T {
  return options[Math.min(options.length - 1, Math.floor(random() * options.length))]!;
}
