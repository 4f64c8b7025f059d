import { type Diagnostic, type Locate, withPosition } from "../diagnostics/mod.ts";
import { type DocumentPath, documentPathText, isList, isObject, type Json } from "../json/mod.ts";
import { checkShape, type Shape } from "../shape/mod.ts";
import {
  answersShape,
  answersTypes,
  contextShape,
  contextTypes,
  userInfoShape,
  userInfoTypes,
  valuesShape,
  valuesTypes,
} from "./given_shapes.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { valueProblems } from "./value_problems.ts";

/**
 * A document of the kind Values, UserInfo or Context, or the answers of a Test, under the proper names of its fields,
 * and its problems.
 */
export interface GivenDocument {
  readonly value: Json;
  readonly diagnostics: readonly Diagnostic[];
}

type Types = readonly (readonly [path: string, type: "text" | "map" | "list"])[];

/**
 * Checks a Values document. A field that does not exist, or has the wrong type, is an error: a misspelt name would
 * replace nothing, and say nothing. Kyverno parity: upper and lower case of field names do not matter. Pinned by
 * tests/cli/given_test.ts.
 */
export function checkValues(document: Json, locate: Locate): GivenDocument {
  const checked = check(document, { shape: valuesShape, types: valuesTypes, locate });
  const problems = valueProblems(checked.value).map((problem) => withPosition(problem, locate));
  return { ...checked, diagnostics: [...checked.diagnostics, ...problems] };
}

/** Checks a UserInfo document, as {@link checkValues}. */
export function checkUser(document: Json, locate: Locate): GivenDocument {
  return check(document, { shape: userInfoShape, types: userInfoTypes, locate });
}

/** Checks a Context document, as {@link checkValues}. */
export function checkContext(document: Json, locate: Locate): GivenDocument {
  return check(document, { shape: contextShape, types: contextTypes, locate });
}

/** Checks the answers that a test gives, as {@link checkValues}. */
export function checkAnswers(test: Json, locate: Locate): GivenDocument {
  return check(test, { shape: answersShape, types: answersTypes, locate });
}

/**
 * The keys that occur twice in the first document of a file, as errors. Kyverno parity: which of the values counts is
 * not guessed, and further documents are ignored. Pinned by tests/cli/given_test.ts.
 */
export function duplicateKeys(
  { documents, diagnostics }: {
    readonly documents: readonly YamlDocument[];
    readonly diagnostics: readonly Diagnostic[];
  },
): readonly Diagnostic[] {
  const end = documents[1]?.positionOf([]).line ?? Infinity;
  return diagnostics.filter(({ code, position }) => code === "duplicate-key" && (position?.line ?? 0) < end)
    .map((each) => ({ ...each, severity: "error", message: each.message.replace(/; .*/, "") }));
}

function check(
  document: Json,
  { shape, types, locate }: { readonly shape: Shape; readonly types: Types; readonly locate: Locate },
): GivenDocument {
  const value = properlyNamed(document, shape);
  const diagnostics = checkShape(value, shape, { path: [], locate });
  if (isObject(value)) {
    for (const [path, type] of types) {
      for (const [found, node] of nodesAt(value, path.split("."), [])) {
        const problem = typeProblem(node, type);
        if (problem === undefined) continue;
        const must = `${documentPathText(found)} must be `;
        if (diagnostics.some((each) => each.message.startsWith(must))) continue;
        const message = must + problem.wanted;
        diagnostics.push(
          withPosition(
            { severity: "error", code: "wrong-type", message, ...problem.more, path: found },
            locate,
          ),
        );
      }
    }
  }
  return { value, diagnostics };
}

/** The value with the names of its fields in the case of the shape. */
function properlyNamed(value: Json, shape: Shape): Json {
  if (typeof shape === "string") return value;
  if (Array.isArray(shape)) return isList(value) ? value.map((item) => properlyNamed(item, shape[0])) : value;
  if (!isObject(value)) return value;
  const fields = shape as { readonly [field: string]: Shape };
  const spelling = new Map(Object.keys(fields).map((name) => [name.toLowerCase(), name]));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      const proper = spelling.get(name.toLowerCase());
      return proper === undefined ? [name, inner] : [proper, properlyNamed(inner, fields[proper]!)];
    }),
  );
}

/** The nodes at a path in which `*` stands for each name or index. Null counts as absent. */
function* nodesAt(
  node: Json,
  steps: readonly string[],
  path: DocumentPath,
): Generator<readonly [DocumentPath, Json]> {
  const [step, ...rest] = steps;
  if (node === null) return;
  if (step === undefined) yield [path, node];
  else if (step === "*" && isList(node)) {
    for (const [index, item] of node.entries()) yield* nodesAt(item, rest, [...path, index]);
  } else if (step === "*" && isObject(node)) {
    for (const [name, item] of Object.entries(node)) yield* nodesAt(item, rest, [...path, name]);
  } else if (isObject(node) && Object.hasOwn(node, step)) {
    yield* nodesAt(node[step]!, rest, [...path, step]);
  }
}

function typeProblem(
  node: Json,
  type: "text" | "map" | "list",
): { readonly wanted: string; readonly more: { readonly hint?: string } } | undefined {
  switch (type) {
    case "text":
      if (typeof node === "string") return undefined;
      return { wanted: "text", more: isObject(node) || isList(node) ? {} : { hint: `write "${node}"` } };
    case "map":
      return isObject(node) ? undefined : { wanted: "an object", more: {} };
    case "list":
      return isList(node) ? undefined : { wanted: "a list", more: {} };
  }
}
