import { Fault, type Json } from "../../json/mod.ts";
import type { CommunityInput } from "../../jmespath/mod.ts";
import type { Compile, TreeExpression } from "./compilers.ts";

/** A message whose `{{ expressions }}` are evaluated for the payload. */
export type MessageTemplate = (payload: Json, input: CommunityInput) => string;

/** A piece of a template: text, or an expression with its source. */
type Piece = string | { readonly source: string; readonly expression: TreeExpression | Fault };

/**
 * Compiles a message. Kyverno parity: an expression that fails, finds nothing or is no text shows as `ERR (…)`.
 * Pinned by tests/rules/assertion/json_policy_test.ts. Unlike Kyverno, Postern never reads an inserted value as a
 * template again.
 */
export function compileMessage(text: string, compile: Compile): MessageTemplate {
  const pieces: Piece[] = [];
  let from = 0;
  for (let open = text.indexOf("{{"); open >= 0; open = text.indexOf("{{", from)) {
    const close = text.indexOf("}}", open);
    if (close < 0) break;
    const source = text.slice(open + 2, close).trim();
    pieces.push(text.slice(from, open), { source, expression: compile(source) });
    from = close + 2;
  }
  pieces.push(text.slice(from));
  return (payload, input) => pieces.map((piece) => render(piece, payload, input)).join("");
}

function render(piece: Piece, payload: Json, input: CommunityInput): string {
  if (typeof piece === "string") return piece;
  const { source, expression } = piece;
  const value = expression instanceof Fault ? expression : expression(payload, input);
  if (value instanceof Fault) return `ERR (${source} - ${value.message})`;
  if (typeof value === "string") return value;
  return value === null ? `ERR (${source} not found)` : `ERR (${source} not a string)`;
}
