import { equal, isObject, type Json, type JsonObject } from "../../json/mod.ts";

/** A template: JSON with conditional parts, and with numbers or objects from the user's values. */
export type Tree = Json | Part | { readonly [key: string]: Tree } | readonly Tree[];

/** A part of a template that JSON does not have. */
export class Part {
  /**
   * `choice`: the tree whose condition holds; `undefined` for nothing. `expression`: an expression of the template's
   * language, such as a user's value.
   */
  constructor(
    readonly content:
      | { readonly kind: "choice"; readonly branches: readonly Branch[] }
      | { readonly kind: "expression"; readonly text: string },
  ) {}
}

/** A tree with its condition. */
export interface Branch {
  /** The condition in the template's language. */
  readonly condition: string;
  readonly tree: Tree | undefined;
}

/** An option that users can choose, with the condition that holds when they chose it. */
export interface Option<T> {
  readonly condition: string;
  readonly value: T;
}

/**
 * Merges the trees that are made for each option into one: parts that are the same for all appear once. Calls can be
 * nested, one for each choice of users. Exactly one of the conditions must hold.
 */
export function vary<T>(options: readonly Option<T>[], make: (value: T) => Tree): Tree {
  const branches = options.map(({ condition, value }): Branch => ({ condition, tree: make(value) }));
  return merge(branches)!;
}

function merge(branches: readonly Branch[]): Tree | undefined {
  const trees = branches.map(({ tree }) => tree);
  const [first] = trees;
  if (trees.every((tree) => sameTree(tree, first))) return first;
  if (trees.every(isMap)) return mergeMaps(branches as readonly MapBranch[]);
  if (trees.every(isItems)) return mergeLists(branches as readonly ListBranch[]);
  return new Part({ kind: "choice", branches });
}

type TreeMap = { readonly [key: string]: Tree };
type MapBranch = Branch & { readonly tree: TreeMap };
type ListBranch = Branch & { readonly tree: readonly Tree[] };

function mergeMaps(branches: readonly MapBranch[]): TreeMap {
  const keys = mergedOrder(branches.map(({ tree }) => Object.keys(tree)));
  const entries = keys.map((key): [string, Tree] => {
    const parts = branches.map(({ condition, tree }) => ({ condition, tree: tree[key] }));
    return [key, merge(parts)!];
  });
  return Object.fromEntries(entries);
}

/** Items with the same name are the same item. Items that some lists lack get a condition. */
function mergeLists(branches: readonly ListBranch[]): readonly Tree[] {
  const named = branches.map(({ condition, tree }) => ({
    condition,
    items: new Map(tree.map((item) => [nameOf(item), item])),
  }));
  return mergedOrder(named.map(({ items }) => [...items.keys()])).map((name) =>
    merge(named.map(({ condition, items }) => ({ condition, tree: items.get(name) })))!
  );
}

/** One order that keeps the order of each list, as far as they agree. */
function mergedOrder(lists: readonly (readonly string[])[]): string[] {
  const order: string[] = [];
  for (const list of lists) {
    let at = 0;
    for (const each of list) {
      const found = order.indexOf(each);
      if (found >= 0) at = found + 1;
      else order.splice(at++, 0, each);
    }
  }
  return order;
}

function nameOf(item: Tree): string {
  if (!isMap(item)) return JSON.stringify(item);
  const { kind, name, metadata } = item as JsonObject;
  if (isObject(metadata)) return `${JSON.stringify(kind)} ${JSON.stringify(metadata["name"])}`;
  return name === undefined ? JSON.stringify(item) : JSON.stringify(name);
}

function isMap(tree: Tree | undefined): tree is TreeMap {
  return typeof tree === "object" && tree !== null && !Array.isArray(tree) && !(tree instanceof Part);
}

function isItems(tree: Tree | undefined): tree is readonly Tree[] {
  return Array.isArray(tree);
}

function sameTree(left: Tree | undefined, right: Tree | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return equal(plain(left), plain(right));
}

/** A tree as JSON, for comparisons. */
function plain(tree: Tree): Json {
  if (isMap(tree)) return Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, plain(value)]));
  if (isItems(tree)) return tree.map(plain);
  if (!(tree instanceof Part)) return tree as Json;
  const { content } = tree;
  if (content.kind === "expression") return ["\u0000expression", content.text];
  return [
    "\u0000choice",
    ...content.branches.map((
      { condition, tree },
    ) => [condition, ...(tree === undefined ? [] : [plain(tree)])]),
  ];
}
