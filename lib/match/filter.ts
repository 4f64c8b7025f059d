import {
  asObject,
  asString,
  dig,
  field,
  isFault,
  isString,
  type Json,
  type JsonObject,
} from "../json/mod.ts";
import {
  compileKindSelectors,
  compileLabelSelector,
  compileWildcard,
  compileWildcards,
  type LabelTest,
  stepsOfPair,
} from "../kube/mod.ts";
import type { MatchFilter, ResourceCriteria } from "../policy/mod.ts";
import type { Candidate } from "./candidate.ts";
import { compileUserTest, type UserCombination } from "./user.ts";

/** The criterion of a filter that does not select an object, for explanations; `undefined` when all do. */
export type Mismatch = string | undefined;

/** A compiled filter of a match or exclude block. */
export interface Filter {
  mismatch(candidate: Candidate): Mismatch;
  /** The filter as the policy has it, for explanations. */
  readonly written: JsonObject;
  /** Whether it has no criteria. */
  readonly empty: boolean;
  /** The kinds as written; empty for any kind. */
  readonly kinds: readonly string[];
  /** The operations as written; empty for any. */
  readonly operations: readonly string[];
  readonly needsNamespaceLabels: boolean;
  readonly needsRoles: boolean;
  /** Whether kind and operation alone decide, so that the result is the same for all objects of a type. */
  readonly decidedByType: boolean;
}

/** The role of a filter, which decides about users and the fields that count. */
export interface FilterRole {
  readonly of: "match" | "exclude" | "exception";
  readonly users: UserCombination;
}

type Test = (candidate: Candidate) => boolean;

/**
 * Compiles `{resources, subjects, roles, clusterRoles}`. All criteria must match; the values of a list are
 * alternatives.
 */
export function compileFilter(filter: MatchFilter, role: FilterRole): Filter {
  const { resources } = filter;
  const tests = resourceTests(resources, role);
  const users = compileUserTest(filter, role.users);
  const { kinds } = resources;
  return {
    written: filter.written,
    mismatch: (candidate) => {
      for (const [name, test] of tests) if (!test(candidate)) return name;
      if (users === undefined) return tests.length === 0 ? "empty filter" : undefined;
      if (candidate.user === undefined && role.of === "match") {
        // Kyverno parity: without a user, the user criteria of a match are dropped. Pinned by "without a user, user
        // criteria are ignored".
        return tests.length === 0 ? "empty filter" : undefined;
      }
      return users(candidate.user ?? nobody, candidate.steps) ? undefined : "user";
    },
    empty: tests.length === 0 && users === undefined,
    kinds,
    operations: role.of === "exception" ? [] : resources.operations,
    needsNamespaceLabels: resources.namespaceSelector !== undefined,
    needsRoles: filter.roles.length + filter.clusterRoles.length > 0,
    decidedByType: users === undefined && tests.every(([name]) => name === "kinds" || name === "operations"),
  };
}

const nobody = { username: "", groups: [], roles: [], clusterRoles: [] };

function resourceTests(resources: ResourceCriteria, { of }: FilterRole): [string, Test][] {
  const tests: [string, Test][] = [];
  const { operations, kinds, name, names, namespaces, annotations } = resources;
  if (operations.length > 0) {
    // Kyverno parity: an exception is about all operations, whatever it names. Pinned by "an exception is about all
    // operations".
    const isOf: Test = of === "exception" ? () => true : ({ operation }) => operations.includes(operation);
    tests.push(["operations", isOf]);
  }
  if (kinds.length > 0) tests.push(["kinds", compileKindSelectors(kinds)]);
  if (name !== "") tests.push(["name", namedBy([name])]);
  if (names.length > 0) tests.push(["names", namedBy(names)]);
  if (namespaces.length > 0) tests.push(["namespaces", inNamespaces(namespaces)]);
  if (Object.keys(annotations).length > 0) {
    tests.push(["annotations", annotatedBy(annotations)]);
  }
  const { selector, namespaceSelector } = resources;
  if (selector !== undefined) tests.push(["selector", selectedBy(selector)]);
  if (namespaceSelector !== undefined) {
    tests.push(["namespaceSelector", inSelectedNamespace(namespaceSelector, of)]);
  }
  return tests;
}

function namedBy(patterns: readonly string[]): Test {
  const matches = compileWildcards(patterns);
  return ({ resource, steps }) => {
    const metadata = field(resource, "metadata");
    // Kyverno parity: the generateName stands in for a name. Pinned by "generateName stands in for a name".
    const name = asString(field(metadata, "name")) || asString(field(metadata, "generateName")) || "";
    return matches(name, steps);
  };
}

function inNamespaces(patterns: readonly string[]): Test {
  const matches = compileWildcards(patterns);
  return ({ resource, kind, steps }) => {
    const name = kind === "Namespace" ? "name" : "namespace";
    const namespace = asString(dig(resource, "metadata", name)) ?? "";
    return matches(namespace, steps);
  };
}

function annotatedBy(expected: JsonObject): Test {
  const pairs = Object.entries(expected).map(([key, value]) =>
    [compileWildcard(key), compileWildcard(isString(value) ? value : JSON.stringify(value))] as const
  );
  return ({ resource, steps }) => {
    if (steps !== undefined && steps.left < 0) return false;
    const actual = Object.entries(asObject(dig(resource, "metadata", "annotations")) ?? {});
    return pairs.every(([keyMatches, valueMatches]) =>
      actual.some(([key, value]) => {
        if (!isString(value)) return false;
        if (steps !== undefined && (steps.left -= stepsOfPair(key, value)) < 0) return false;
        return keyMatches(key) && valueMatches(value);
      })
    );
  };
}

function selectedBy(selector: Json): Test {
  const matches = labelTest(selector);
  return ({ resource, steps }) => matches(asObject(dig(resource, "metadata", "labels")) ?? {}, steps);
}

function inSelectedNamespace(selector: Json, of: FilterRole["of"]): Test {
  const matches = labelTest(selector);
  return ({ kind, namespaceLabels }) => {
    // Kyverno parity: a Namespace is in no namespace; exceptions ignore the criterion there, rules fail on it. Pinned
    // by "a Namespace has no namespace labels".
    if (kind === "Namespace") return of === "exception";
    return matches(namespaceLabels);
  };
}

/** Compiles a label selector. An unreadable selector selects nothing. */
export function labelTest(selector: Json): LabelTest {
  const matches = compileLabelSelector(selector, { wildcards: true });
  return isFault(matches) ? () => false : matches;
}
