import { Part, type Tree } from "./variants.ts";

/**
 * Writes a tree as a Helm template (Go: text/template) that renders to its YAML. Strings are written as JSON, which is
 * YAML.
 */
export function helmTemplate(tree: Tree): string {
  return textOf(linesOf(tree, ""));
}

/** Writes objects as a template of one document for each. */
export function helmDocuments(objects: readonly Tree[]): string {
  const documents = objects.flatMap((object) =>
    conditional(object, "", (object) => ["---", ...linesOf(object, "")])
  );
  return textOf(documents);
}

/** The lines as text. A condition that begins where the same condition ends continues it instead. */
function textOf(lines: readonly string[]): string {
  const kept: string[] = [];
  const open: string[] = [];
  for (const [index, line] of lines.entries()) {
    const isEnd = line.trimStart() === "{{- end }}";
    if (isEnd && lines[index + 1] === open.at(-1)) continue;
    if (line.trimStart().startsWith("{{- if ")) {
      // The end of that condition was left out.
      if (open.at(-1) === line) continue;
      open.push(line);
    }
    if (isEnd) open.pop();
    kept.push(line);
  }
  return `${kept.join("\n")}\n`;
}

/** The lines of a value on separate lines. */
function linesOf(tree: Tree, indent: string): string[] {
  if (isItems(tree)) return tree.flatMap((item) => conditional(item, indent, itemLines));
  return Object.entries(tree as Record<string, Tree>).flatMap(([key, value]) =>
    conditional(value, indent, (value, indent) => fieldLines(key, value, indent))
  );
}

/** The lines of each branch of a choice, or of a plain value. */
function conditional(tree: Tree, indent: string, write: (tree: Tree, indent: string) => string[]): string[] {
  if (!(tree instanceof Part) || tree.content.kind !== "choice") return write(tree, indent);
  const present = tree.content.branches.flatMap(({ condition, tree }) =>
    tree === undefined ? [] : [{ condition, tree }]
  );
  return present.flatMap(({ condition, tree }) => [
    `${indent}{{- if ${condition} }}`,
    ...conditional(tree, indent, write),
    `${indent}{{- end }}`,
  ]);
}

function fieldLines(key: string, value: Tree, indent: string): string[] {
  const name = /^[A-Za-z][A-Za-z0-9_.\/-]*$/.test(key) ? key : scalar(key);
  if (isEmpty(value) || !isNested(value)) return [`${indent}${name}: ${inline(value)}`];
  return [`${indent}${name}:`, ...linesOf(value, `${indent}  `)];
}

function itemLines(item: Tree, indent: string): string[] {
  if (isEmpty(item) || !isNested(item)) return [`${indent}- ${inline(item)}`];
  // On a separate line, so that a condition on the first field does not remove the hyphen.
  return [`${indent}-`, ...linesOf(item, `${indent}  `)];
}

function inline(tree: Tree): string {
  if (tree instanceof Part) return tree.content.kind === "expression" ? `{{ ${tree.content.text} }}` : "";
  return scalar(tree);
}

/** A scalar in which Helm's braces are escaped, and the mark of the namespace is replaced by its expression. */
function scalar(value: Tree): string {
  return JSON.stringify(value).replaceAll("{{", '{{ "{{" }}')
    .replaceAll(namespaceMark, `{{ ${namespaceExpression} }}`);
}

const namespaceExpression = ".Values.namespace";

/**
 * Stands for the chart's namespace inside texts. It is the only mark: texts of policies are among them, and must not
 * name other values, such as the key of the certificate.
 */
export const namespaceMark = `HELM[${namespaceExpression}]`;

function isNested(tree: Tree): tree is readonly Tree[] | { readonly [key: string]: Tree } {
  return typeof tree === "object" && tree !== null && !(tree instanceof Part);
}

function isEmpty(tree: Tree): boolean {
  return isNested(tree) && Object.keys(tree).length === 0;
}

function isItems(tree: Tree): tree is readonly Tree[] {
  return Array.isArray(tree);
}
