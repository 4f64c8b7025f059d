/** The path of a child as the reference writes it in its messages: `/spec/a.b\/c/0`. */
export function pathOf(parent: string, key: string | number): string {
  return `${parent}/${typeof key === "number" ? key : key.replaceAll("/", "\\/")}`;
}

/** Joins two paths as `cd` does: `.` stays, `..` goes up, and never above the root. */
export function joinPath(base: string, relative: string): string {
  return cleanPath(base === "" ? relative : `${base}/${relative}`);
}

/** A path without empty steps, `.` and `..`; a relative one may still begin with `..`. */
export function cleanPath(path: string): string {
  const absolute = path.startsWith("/");
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "" || step === ".") continue;
    if (step !== ".." || (!absolute && (steps.length === 0 || steps.at(-1) === ".."))) steps.push(step);
    else steps.pop();
  }
  return absolute ? `/${steps.join("/")}` : steps.join("/") || ".";
}

/**
 * The JMESPath of the field that `{{ @ }}` stands for: the place of the string, without what comes up to `foreach` and
 * without the two steps that name the rule's kind (`validate/pattern`), below `root`. A rule: Kyverno's `{{@}}`.
 *
 * ```ts
 * import { currentField } from "./path.ts";
 * import assert from "node:assert/strict";
 * const place = ["validate", "pattern", "spec", "containers", 0, "image"];
 * assert.equal(currentField("request.object", place), "request.object.spec.containers[0].image");
 * ```
 */
export function currentField(root: string, place: readonly (string | number)[]): string {
  const steps = place.map(String).filter((step) => step !== "");
  const inner = steps.slice(steps.indexOf("foreach") + 1);
  const below = inner.length < 3 ? [] : inner.slice(2);
  return root + below.map((step) => /^[0-9]+$/.test(step) ? `[${step}]` : `.${identifier(step)}`).join("");
}

function identifier(name: string): string {
  // Kyverno parity: a parenthesis at the edges would count as part of a plain name, but the names it is written for
  // are anchors, which are quoted here because no object has such a key.
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : JSON.stringify(name);
}
