import type { FunctionNotes, FunctionTable } from "../../functions/record.ts";
import { collectionNotes, collections } from "./collections.ts";
import { type CommunityTable, communityTable } from "./record.ts";
import { communityTextNotes, texts } from "./texts.ts";

/**
 * The dialect's functions: all of Kyverno's, so that its `items`, `trim`, `replace`, `split` and `sum` win over the
 * community's as in kyverno-json, with the community's own and those that differ laid over them.
 */
export function communityFunctions(kyverno: FunctionTable): CommunityTable {
  return communityTable([...kyverno.values()], texts, collections);
}

/** The notes of the community's functions that Kyverno's dialect lacks or has otherwise. */
export function communityFunctionNotes(): FunctionNotes {
  return { ...communityTextNotes, ...collectionNotes };
}
