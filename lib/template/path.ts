import { cleanPath } from "../jmespath/mod.ts";
import type { DocumentPath } from "../json/mod.ts";

/** The path of a child in the form of Kyverno's messages: `/spec/a.b\/c/0`. */
export function pathOf(parent: string, key: string | number): string {
  return `${parent}/${typeof key === "number" ? key : key.replaceAll("/", "\\/")}`;
}

/** Joins two paths as `cd` does: `.` stays, `..` goes up, and never above the root. */
export function joinPath(base: string, relative: string): string {
  return cleanPath(base === "" ? relative : `${base}/${relative}`);
}

/**
 * The JMESPath expression of `{{ @ }}`: the path of the string below `root`, without the steps up to `foreach` and
 * without the two steps of the rule's body (`validate/pattern`).
 *
 * ```ts
 * import { currentField } from "./path.ts";
 * import assert from "node:assert/strict";
 * const steps = ["validate", "pattern", "spec", "containers", 0, "image"];
 * assert.equal(currentField("request.object", steps), "request.object.spec.containers[0].image");
 * ```
 */
export function currentField(root: string, steps: DocumentPath): string {
  const names = steps.map(String).filter((step) => step !== "");
  const inner = names.slice(names.indexOf("foreach") + 1);
  const below = inner.length < 3 ? [] : inner.slice(2);
  return root + below.map((step) => /^[0-9]+$/.test(step) ? `[${step}]` : `.${identifier(step)}`).join("");
}

function identifier(name: string): string {
  // Kyverno accepts parentheses at both ends of a plain name. Such names are anchors, and no object has such a key, so
  // Postern quotes them.
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : JSON.stringify(name);
}
