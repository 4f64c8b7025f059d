/**
 * The usual mistakes in the text of an expression that does not compile, with what to write instead. Each pattern reads
 * a text once, however it is made: authors of policies choose it, and the API server waits for the review.
 */
const mistakes: readonly [mistake: RegExp, hint: string | ((found: string) => string)][] = [
  [/^\s*$/, "write the path of a value, such as request.object.metadata.name"],
  [/^\s*\./, "an expression begins with a name, not with a dot"],
  // A key with a dash, such as labels.my-app: names are letters, digits and _.
  [
    /(?<!\w)(?:\w+\.)?[A-Za-z_]\w*(?:-\w+)+/,
    (path) => `quote a key with a dash: ${path.replace(/(?<![^.])[^.]+$/, '"$&"')}`,
  ],
  [/\[[A-Za-z_]/, "a list is followed by [0], [*] or [?filter]; the key of an object by a dot"],
  [/[^=!<>]=[^=]/, "== compares two values"],
  [/\[[^[\]]*$/, "a [ is not closed"],
  [/\([^()]*$/, "a ( is not closed"],
];

/** A quoted part, to its end or to the end of the text. */
const quoted = /(["'`])(?:(?!\1)[^\\]|\\[^])*(\1|\\?$)/g;

/** Returns a hint about the usual mistake in an expression that does not compile; `undefined` when it shows none. */
export function expressionHint(expression: string): string | undefined {
  let isOpen = false;
  // Quoted keys, texts and literals may hold anything.
  const bare = expression.replace(quoted, (_, mark: string, end: string) => {
    isOpen ||= end !== mark;
    return "''";
  });
  if (isOpen) return "a quotation mark is not closed";
  for (const [mistake, hint] of mistakes) {
    const found = mistake.exec(bare);
    if (found !== null) return typeof hint === "string" ? hint : hint(found[0]);
  }
  return undefined;
}
