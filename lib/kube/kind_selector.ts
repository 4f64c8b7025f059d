import type { GroupVersionKind } from "./group_version_kind.ts";
import { compileWildcard } from "./wildcard.ts";

/** The resource type of an admission request: the parent's kind and the subresource, `""` for none. */
export interface ResourceType extends GroupVersionKind {
  readonly subresource: string;
}

/** One kind of a policy's `kinds`, as four wildcard patterns. */
export interface KindSelector {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly subresource: string;
  /** The selector as the policy has it. */
  readonly text: string;
}

/** The options of kind selectors. */
export interface KindSelectorOptions {
  /** Whether a plain `Pod` also stands for `pods/ephemeralcontainers`, as in a rule's match; by default it does. */
  readonly ephemeralContainers?: boolean;
}

/**
 * Kyverno parity: a version has one digit, so `v10` is none; pinned by "v10/Pod reads as a kind with a subresource".
 */
const versionPattern = /^(?:v[0-9](?:(?:alpha|beta)[0-9])?|\*)$/;

/**
 * Parses a kind of a policy: `Pod`, `v1/Pod`, `apps/v1/Deployment`, `Pod/exec`, `Pod.status`, `*`, `*\/*`. A text with
 * commas means several kinds, as in Kyverno's early documentation. A text with more than four parts selects nothing.
 *
 * ```ts
 * import { parseKindSelectors } from "./kind_selector.ts";
 * import assert from "node:assert/strict";
 * const [first, second] = parseKindSelectors("apps/v1/Deployment,Pod/exec");
 * assert.equal(first?.group, "apps");
 * assert.equal(second?.subresource, "exec");
 * ```
 */
export function parseKindSelectors(text: string): KindSelector[] {
  return text.includes(",")
    ? text.split(",").map((part) => part.trim()).filter((part) => part !== "").map(parseKindSelector)
    : [parseKindSelector(text)];
}

/** Parses one kind of a policy; see {@link parseKindSelectors}. */
export function parseKindSelector(text: string): KindSelector {
  const slashed = text.split("/");
  const parts = [...slashed.slice(0, -1), ...slashed.at(-1)!.split(".")];
  const [first = "", second = "", third = "", fourth = ""] = parts;
  const all = "*";
  switch (parts.length) {
    case 1:
      return { group: all, version: all, kind: first, subresource: "", text };
    case 2:
      if (first === all && second === all) {
        return { group: all, version: all, kind: all, subresource: all, text };
      }
      // A kind has a capital letter, a subresource has none.
      if (first === all && second.toLowerCase() === second) {
        return { group: all, version: all, kind: all, subresource: second, text };
      }
      return versionPattern.test(first)
        ? { group: all, version: first, kind: second, subresource: "", text }
        : { group: all, version: all, kind: first, subresource: second, text };
    case 3:
      return versionPattern.test(first)
        ? { group: all, version: first, kind: second, subresource: third, text }
        : { group: first, version: second, kind: third, subresource: "", text };
    case 4:
      return { group: first, version: second, kind: third, subresource: fourth, text };
    default:
      return { group: "", version: "", kind: "", subresource: "", text };
  }
}

/** Compiles a policy's list of kinds into a predicate over resource types; an empty list selects nothing. */
export function compileKindSelectors(
  kinds: readonly string[],
  options: KindSelectorOptions = {},
): (type: ResourceType) => boolean {
  const predicates = kinds.flatMap(parseKindSelectors).map((selector) =>
    compileKindSelector(selector, options)
  );
  if (predicates.length === 1) return predicates[0]!;
  return (type) => predicates.some((selects) => selects(type));
}

/** Compiles one kind selector into a predicate over resource types. */
export function compileKindSelector(
  selector: KindSelector,
  options: KindSelectorOptions = {},
): (type: ResourceType) => boolean {
  const group = compileWildcard(selector.group), version = compileWildcard(selector.version);
  const kind = compileWildcard(selector.kind), subresource = compileWildcard(selector.subresource);
  const { ephemeralContainers = true } = options;
  return (type) =>
    kind(type.kind) && group(type.group) && version(type.version) &&
    (subresource(type.subresource) || ephemeralContainers && isEphemeralContainers(type));
}

function isEphemeralContainers(type: ResourceType): boolean {
  return type.subresource === "ephemeralcontainers" && type.kind === "Pod" && type.group === "" &&
    type.version === "v1";
}
