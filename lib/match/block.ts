import type { Dialect } from "../kube/mod.ts";
import type { MatchBlock } from "../policy/mod.ts";
import type { Candidate } from "./candidate.ts";
import { compileFilter, type Filter, type FilterRole, type Mismatch } from "./filter.ts";

/** A compiled match or exclude block: alternatives, conjunctions, or the direct form. */
export interface Block {
  mismatch(candidate: Candidate): Mismatch;
  readonly filters: readonly Filter[];
  readonly form: "any" | "all" | "direct";
  readonly empty: boolean;
}

/** Compiles a match block. An empty block selects nothing. */
export function compileMatch(block: MatchBlock, dialect: Dialect): Block {
  return compileBlock(block, "match", dialect);
}

/** Compiles an exclude block. Empty filters in it never exclude. */
export function compileExclude(block: MatchBlock, dialect: Dialect): Block {
  return compileBlock(block, "exclude", dialect);
}

/** Compiles the match of a PolicyException. */
export function compileExceptionMatch(block: MatchBlock): Block {
  return compileBlock(block, "exception", "current");
}

function compileBlock(block: MatchBlock, of: FilterRole["of"], dialect: Dialect): Block {
  const { form } = block;
  if (form !== "direct") {
    const filters = block.filters.map((filter) => compileFilter(filter, { of, users: "all" }));
    return { form, filters, empty: false, mismatch: form === "any" ? anyOf(filters) : allOf(filters) };
  }
  const filter = compileFilter(block.filters[0]!, { of, users: dialect === "classic" ? "any" : "all" });
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
