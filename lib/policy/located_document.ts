import type { Locate } from "../diagnostics/mod.ts";
import type { JsonObject } from "../json/mod.ts";

/** A document with its positions, for kinds that other modules parse. */
export interface LocatedDocument {
  readonly kind: string;
  readonly group: string;
  readonly document: JsonObject;
  readonly locate: Locate;
}
