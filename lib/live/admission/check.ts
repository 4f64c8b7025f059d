import type { CompiledPolicy } from "../../engine/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { ServedResource } from "../../ports.ts";
import type { Right } from "../access_review.ts";
import type { Accounts } from "../installation.ts";
import type { PublishedTypes } from "./published_types.ts";

/** The errors that refuse an object, and the warnings for the author of an accepted one. */
export interface Findings {
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

/** An object that is about to be stored. */
export interface CheckedObject {
  readonly object: JsonObject;
  /** The stored object; `undefined` for a new one. */
  readonly former: JsonObject | undefined;
}

/** The ports and lists that checks read. */
export interface CheckTools {
  readonly served: readonly ServedResource[];
  readonly accounts: Accounts;
  /** Reads from the API server whether an account has a right. */
  readonly hasRight: (account: string, right: Right) => Promise<boolean>;
  readonly types: PublishedTypes;
}

/** A policy with its compiled form. */
export interface CheckedPolicy extends CheckedObject {
  readonly compiled: CompiledPolicy;
  /** The compiled form of the stored policy. */
  readonly formerCompiled: CompiledPolicy | undefined;
}

/**
 * Checks a policy for one reason for which Kyverno refuses it, or warns its author; returns the problems.
 */
export type PolicyCheck = (
  policy: CheckedPolicy,
  tools: CheckTools,
) => readonly string[] | Promise<readonly string[]>;
