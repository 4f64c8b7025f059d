/**
 * Every regular expression searches any text in linear time: texts of requests, policies, registries and clusters are
 * as long as their authors like, and a quadratic search of 1 MB would keep the server from answering for minutes.
 */
import assert from "node:assert/strict";
import { join, relative, resolve } from "node:path";
import { slowTextFor } from "./search_time.ts";

const root = resolve(import.meta.dirname!, "../..");

/** Regular expressions that may take longer, by file and source, and why: their texts are short. */
const shortTexts: Readonly<Record<string, string>> = {
  "lib/cel/libraries/number_format.ts \\B(?=(?:\\d{3})+$)": "the integer digits of a double: at most 309",
  "site/docs/written_pages.ts (?<!!)\\[([^\\]]+)\\]\\(([^)#\\s]+)(#[^)]*)?\\)":
    "the project's documents, once a build",
};

/** Regular expressions that are put together, as they are written. They are linear, whatever their parts are. */
const composed: Readonly<Record<string, string>> = {
  "lib/bundled/policy_facts.ts": "names of functions, and white space before a parenthesis",
  "lib/pattern/operator.ts": "two numbers between the begin and the end",
  "lib/policy/cel_autogen.ts": "one of two words",
  "lib/cel/syntax/token.ts": "the digits of an integer and a letter",
  "lib/cli/bundle.ts": "begins only where the text before it cannot be part of it",
  "site/playground/editor/yaml_path.ts": "a name at the begin of a line",
};

interface Found {
  readonly file: string;
  readonly expression: RegExp;
  /** Whether a match is not the end of the search. */
  readonly isRepeated: boolean;
}

function sourceFiles(path: string): string[] {
  if (!Deno.statSync(path).isDirectory) return /\.(?:tsx?|js)$/.test(path) ? [path] : [];
  return [...Deno.readDirSync(path)].map(({ name }) => name)
    .filter((name) => name !== "node_modules" && name !== "dist").sort()
    .flatMap((name) => sourceFiles(join(path, name)));
}

/** The regular expressions that a source text writes as such, and those that it puts together. */
function expressionsIn(file: string, text: string): { written: Found[]; composed: string[] } {
  const written: Found[] = [], composed: string[] = [];
  const compose = ({ callee, range }: Deno.lint.NewExpression | Deno.lint.CallExpression): void => {
    if (callee.type === "Identifier" && callee.name === "RegExp") composed.push(text.slice(...range));
  };
  const visitor: Deno.lint.LintVisitor = {
    Literal(node) {
      // Other literals have the field, too, without a value.
      if (!("regex" in node) || node.regex === undefined) return;
      const { pattern, flags } = node.regex;
      const { parent } = node;
      const isSplit = parent.type === "CallExpression" && parent.callee.type === "MemberExpression" &&
        parent.callee.property.type === "Identifier" && parent.callee.property.name === "split";
      const expression = new RegExp(pattern, flags);
      written.push({ file, expression, isRepeated: expression.global || isSplit });
    },
    NewExpression: compose,
    CallExpression: compose,
  };
  Deno.lint.runPlugin({ name: "expressions", rules: { all: { create: () => visitor } } }, file, text);
  return { written, composed };
}

const found = ["lib", "image", "site", "main.ts", "mod.ts"].flatMap((path) => sourceFiles(join(root, path)))
  .map((path) => ({
    file: relative(root, path),
    ...expressionsIn(relative(root, path), Deno.readTextFileSync(path)),
  }));

Deno.test("every regular expression searches any text in linear time", () => {
  const checked = new Map<string, string | undefined>();
  const slow: string[] = [];
  for (const { file, expression, isRepeated } of found.flatMap(({ written }) => written)) {
    const key = `${expression} ${isRepeated}`;
    if (!checked.has(key)) {
      const text = slowTextFor(expression, isRepeated);
      checked.set(key, text && JSON.stringify(text));
    }
    const text = checked.get(key);
    if (text !== undefined) slow.push(`${file} ${expression.source} # ${text}`);
  }
  assert.ok(checked.size > 300, "regular expressions are found");
  const unexpected = slow.filter((each) => !Object.hasOwn(shortTexts, each.split(" # ")[0]!));
  assert.deepEqual(unexpected, []);
  const listed = Object.keys(shortTexts).filter((each) => !slow.some((one) => one.startsWith(`${each} # `)));
  assert.deepEqual(listed, [], "these are linear and need not be listed");
});

Deno.test("regular expressions are put together in few files, and of parts that keep them linear", () => {
  const files = found.filter((each) => each.composed.length > 0).map(({ file }) => file);
  assert.deepEqual(files.toSorted(), Object.keys(composed).toSorted());
});

const slowOnes: readonly RegExp[] = [
  /0+$/,
  /\s+,/,
  /"[^"]*\{\{[^"]*"/,
  /^\s*([^=]*?)\s*=/,
  /^(?:a+)+$/,
  /^(?:a|b|ab)*c/,
  /\B(?=(?:\d{3})+$)/,
  /request\.roles\b[^]*key/,
  /\/v2\/.*$/,
  /"(?:\\.|[^"\\])*"/g,
  /^[^a]+|[^a]+$/,
  /-----BEGIN KEY-----[^]+?-----END KEY-----/,
  /<([^>]+)>;/,
  /a.*b|a/g,
  /\p{L}+\d/u,
];

for (const expression of slowOnes) {
  Deno.test(`a slow regular expression is found: ${expression}`, () => {
    assert.ok(slowTextFor(expression) !== undefined);
  });
}

const linearOnes: readonly RegExp[] = [
  /(?<!0)0+$/,
  /^\s*=/,
  /a{1,64}b/,
  /^(?:\d(?:_?\d)*)(?:\.\d+)?$/,
  /"(?:\\[^]|[^"\\])*(?:"|\\?$)/g,
  /-----BEGIN KEY-----[^-]+-----END KEY-----/,
  /[^a-z]+/g,
  /\d+|\w+/y,
];

for (const expression of linearOnes) {
  Deno.test(`a linear regular expression is not reported: ${expression}`, () => {
    assert.equal(slowTextFor(expression), undefined);
  });
}
