import { asList, isObject, type JsonObject } from "../json/mod.ts";
import type { Candidate } from "./candidate.ts";
import { compileFilter, type Filter, type FilterRole, type Mismatch } from "./filter.ts";

/** A whole match or exclude block: alternatives, conjunctions, or the direct form. */
export interface Block {
  mismatch(candidate: Candidate): Mismatch;
  readonly filters: readonly Filter[];
  readonly form: "any" | "all" | "direct";
  readonly empty: boolean;
}

/** Which answer a setting of the dialect gives where seeds and reference differ. */
export type Dialect = "classic" | "current";

/**
 * Compiles a match block. `any` wins over `all`, which wins over the direct form, when several are given.
 * An empty match selects nothing.
 */
export function compileMatch(block: JsonObject, dialect: Dialect): Block {
  return compileBlock(block, "match", dialect);
}

/** Compiles an exclude block; empty filters in it never exclude. */
export function compileExclude(block: JsonObject, dialect: Dialect): Block {
  return compileBlock(block, "exclude", dialect);
}

/** Compiles the match of a PolicyException. */
export function compileExceptionMatch(block: JsonObject): Block {
  return compileBlock(block, "exception", "current");
}

function compileBlock(block: JsonObject, of: FilterRole["of"], dialect: Dialect): Block {
  for (const form of ["any", "all"] as const) {
    const listed = asList(block[form]).filter(isObject);
    if (listed.length === 0) continue;
    const filters = listed.map((filter) => compileFilter(filter, { of, users: "all" }));
    return { form, filters, empty: false, mismatch: form === "any" ? anyOf(filters) : allOf(filters) };
  }
  const filter = compileFilter(block, { of, users: dialect === "classic" ? "any" : "all" });
  const mismatch = (candidate: Candidate): Mismatch =>
    filter.empty ? "empty filter" : filter.mismatch(candidate);
  return { form: "direct", filters: [filter], empty: filter.empty, mismatch };
}

function anyOf(filters: readonly Filter[]): (candidate: Candidate) => Mismatch {
  return (candidate) => {
    let first: Mismatch;
    for (const filter of filters) {
      const mismatch = filter.mismatch(candidate);
      if (mismatch === undefined) return undefined;
      first ??= mismatch;
    }
    return first;
  };
}

function allOf(filters: readonly Filter[]): (candidate: Candidate) => Mismatch {
  return (candidate) => {
    for (const filter of filters) {
      const mismatch = filter.mismatch(candidate);
      if (mismatch !== undefined) return mismatch;
    }
    return undefined;
  };
}
