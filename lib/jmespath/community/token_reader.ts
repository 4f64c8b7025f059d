import type { Fault } from "../../json/mod.ts";
import { syntaxFault } from "./syntax_fault.ts";
import type { CommunityToken, TokenKind } from "./tokens.ts";

/** Thrown only inside the parser, so that its functions need no checks of each result. */
export class SyntaxRefusal extends Error {
  constructor(readonly fault: Fault) {
    super(fault.message);
  }
}

/** Reads the tokens of an expression one after the other. */
export class TokenReader {
  readonly #tokens: readonly CommunityToken[];
  #next = 0;

  constructor(tokens: readonly CommunityToken[]) {
    this.#tokens = tokens;
  }

  /** Returns the next token, or one after it. Behind the end there is only the end. */
  peek(ahead = 0): CommunityToken {
    return this.#tokens[Math.min(this.#next + ahead, this.#tokens.length - 1)]!;
  }

  /** Reads a token. */
  take(): CommunityToken {
    const token = this.peek();
    this.#next++;
    return token;
  }

  /** Reads a token of this kind; throws at another one. */
  expect(kind: TokenKind): CommunityToken {
    const token = this.peek();
    return token.kind === kind ? this.take() : this.refuse(`expected ${spelled(kind)}`);
  }

  /** Throws a fault with the position of a token. */
  refuse(message: string, token: CommunityToken = this.peek()): never {
    throw new SyntaxRefusal(syntaxFault(`${message}, found ${found(token)}`, token.at));
  }
}

function spelled(kind: TokenKind): string {
  return kind === "end" ? "the end of the expression" : kind === "number" ? "a number" : kind;
}

function found({ kind, text }: CommunityToken): string {
  return kind === "end" ? "the end of the expression" : text;
}
