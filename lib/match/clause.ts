import { asObject, field, type Json, type JsonObject, setField } from "../json/mod.ts";
import { userCriteria } from "../policy/mod.ts";
import type { Block } from "./block.ts";
import type { Candidate } from "./candidate.ts";
import type { Filter } from "./filter.ts";

/** The result of one clause of a match or exclude block, for explanations. */
export interface Clause {
  /** The path in the rule: `match.any[0]`, or `exclude` for the direct form. */
  readonly path: string;
  readonly holds: boolean;
  /**
   * The first criterion that does not match: `kinds`, `selector`, `user`, `empty filter`; `undefined` when the clause
   * holds.
   */
  readonly criterion: string | undefined;
  /** The values of the criterion, and those of the object or its request. */
  readonly wanted: Json;
  readonly found: Json;
  /** Whether the clause holds only because there is no user with whom its user criteria could be compared. */
  readonly isUserIgnored: boolean;
}

/** All clauses of a block in order. */
export function clausesOf(name: string, { form, filters }: Block, candidate: Candidate): readonly Clause[] {
  return filters.map((filter, index) => {
    const path = form === "direct" ? name : `${name}.${form}[${index}]`;
    const criterion = filter.mismatch(candidate);
    const users = criteriaOfUsers(filter.written);
    if (criterion === undefined) {
      const isUserIgnored = name === "match" && candidate.user === undefined && Object.keys(users).length > 0;
      const wanted = { ...asObject(filter.written["resources"]), ...users };
      return { path, holds: true, criterion, wanted, found: null, isUserIgnored };
    }
    return {
      path,
      holds: false,
      criterion,
      wanted: criterion === "user" ? users : wantedBy(filter, criterion),
      found: foundBy(criterion, candidate),
      isUserIgnored: false,
    };
  });
}

function wantedBy({ written }: Filter, criterion: string): Json {
  return field(written["resources"], criterion) ?? null;
}

function criteriaOfUsers(written: JsonObject): JsonObject {
  const criteria: { [name: string]: Json } = {};
  for (const name of userCriteria) {
    const value = written[name];
    if (value !== undefined) setField(criteria, name, value);
  }
  return criteria;
}

function foundBy(criterion: string, candidate: Candidate): Json {
  const { group, version, kind, subresource, operation, resource, namespaceLabels, user } = candidate;
  const { name, generateName, namespace, annotations, labels } = asObject(field(resource, "metadata")) ?? {};
  const called = name ?? generateName;
  const found: Readonly<Record<string, Json | undefined>> = {
    kinds: [group, version, kind, subresource].filter((part) => part !== "").join("/"),
    operations: operation,
    name: called,
    names: called,
    namespaces: kind === "Namespace" ? name : namespace,
    annotations,
    selector: labels,
    namespaceSelector: namespaceLabels,
    user: user && { ...user },
  };
  return found[criterion] ?? null;
}
