import type { CelExpression } from "./expression.ts";
import type { TextProblem } from "../../diagnostics/mod.ts";
import { type CelToken, tokenize } from "./token.ts";

const maxErrors = 30;

/** The tokens of an expression in order, and the errors that were found in it. */
export class TokenStream {
  readonly #tokens: readonly CelToken[];
  readonly #errors: TextProblem[];
  #next = 0;

  constructor(text: string) {
    const { tokens, errors } = tokenize(text);
    this.#tokens = tokens;
    this.#errors = [...errors];
  }

  /** The first errors, in the order of the text. */
  get errors(): readonly TextProblem[] {
    return [...this.#errors].sort((a, b) => a.offset - b.offset).slice(0, maxErrors);
  }

  /** Returns the next token, or the one after it. */
  peek(ahead: 0 | 1 = 0): CelToken {
    return this.#tokens[this.#next + ahead]!;
  }

  /** Reads a token. The end is never passed. */
  take(): CelToken {
    const token = this.peek();
    if (token.kind !== "end") this.#next++;
    return token;
  }

  /** Makes the last token the next one again. */
  putBack(): void {
    this.#next--;
  }

  /** Whether the next token is a symbol. */
  isAt(symbol: string): boolean {
    const token = this.peek();
    return token.text === symbol && (token.kind === "symbol" || (token.kind === "ident" && symbol === "in"));
  }

  /** Reads a symbol if it is the next token. */
  accept(symbol: string): boolean {
    if (!this.isAt(symbol)) return false;
    this.#next++;
    return true;
  }

  /** Reports an error, and returns the expression in place of the wrong text. */
  report(offset: number, message: string): CelExpression {
    this.#errors.push({ offset, message });
    return { kind: "broken", offset };
  }

  /** Reports a token that stands where something else is expected. */
  mismatch({ text, offset }: Pick<CelToken, "text" | "offset">, expected: string): CelExpression {
    return this.report(offset, `Syntax error: mismatched input '${text}' expecting ${expected}`);
  }

  /** Reports an error and skips the whole rest. */
  giveUp(offset: number, message: string): CelExpression {
    this.#next = this.#tokens.length - 1;
    return this.report(offset, message);
  }

  /** Reads a closing bracket. At another token it skips to the bracket, so that the following text is still parsed. */
  close(symbol: string): void {
    if (this.accept(symbol)) return;
    const token = this.peek();
    if (token.kind === "end") this.report(token.offset, `Syntax error: missing '${symbol}' at '<EOF>'`);
    else this.mismatch(token, `'${symbol}'`);
    this.#skipTo(symbol);
    this.accept(symbol);
  }

  /** Reads a colon and returns its position; without one, skips to the closing brace. */
  colon(): number | undefined {
    const token = this.peek();
    if (this.accept(":")) return token.offset;
    this.mismatch(token, "':'");
    this.#skipTo("}");
    return undefined;
  }

  /** Skips to a closing bracket of the current level. */
  #skipTo(symbol: string): void {
    for (let open = 0; this.peek().kind !== "end"; this.#next++) {
      const { text } = this.peek();
      if (open === 0 && text === symbol) return;
      if (["(", "[", "{"].includes(text)) open++;
      else if ([")", "]", "}"].includes(text) && --open < 0) return;
    }
  }
}
