import { asObject, dig, field, type Json, type JsonObject, setField } from "../json/mod.ts";
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
}

/** All clauses of a block in order. */
export function clausesOf(name: string, { form, filters }: Block, candidate: Candidate): readonly Clause[] {
  return filters.map((filter, index) => {
    const path = form === "direct" ? name : `${name}.${form}[${index}]`;
    const criterion = filter.mismatch(candidate);
    if (criterion === undefined) {
      return { path, holds: true, criterion, wanted: wantedAnyway(filter), found: null };
    }
    return {
      path,
      holds: false,
      criterion,
      wanted: criterion === "user" ? criteriaOfUsers(filter.written) : wantedBy(filter, criterion),
      found: foundBy(criterion, candidate),
    };
  });
}

function wantedAnyway({ written }: Filter): Json {
  return { ...asObject(written["resources"]), ...criteriaOfUsers(written) };
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
  const { resource, user } = candidate;
  switch (criterion) {
    case "kinds": {
      const { group, version, kind, subresource } = candidate;
      return [group, version, subresource === "" ? kind : `${kind}/${subresource}`]
        .filter((part) => part !== "").join("/");
    }
    case "operations":
      return candidate.operation;
    case "name":
    case "names":
      return dig(resource, "metadata", "name") ?? dig(resource, "metadata", "generateName") ?? null;
    case "namespaces":
      return dig(resource, "metadata", candidate.kind === "Namespace" ? "name" : "namespace") ?? null;
    case "annotations":
      return dig(resource, "metadata", "annotations") ?? null;
    case "selector":
      return dig(resource, "metadata", "labels") ?? null;
    case "namespaceSelector":
      return candidate.namespaceLabels;
    case "user":
      return user === undefined ? null : { ...user };
    default:
      return null;
  }
}
