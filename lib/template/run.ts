import type { Environment } from "../jmespath/mod.ts";
import { field, isFault, type Json, type Scope } from "../json/mod.ts";
import type { Fault } from "../json/mod.ts";

/** One rendering of a template. */
export interface RenderState {
  readonly scope: Scope;
  readonly environment: Environment;
  /** Characters of text that may still be produced. */
  room: number;
}

/** A part of a template, ready to be rendered. */
export type Render = (run: RenderState) => Json | Fault;

/**
 * Characters that one rendering may put together from variables inside text; a few times etcd's limit for an object.
 */
export const maxText = 8 * 1024 * 1024;

/** Whether the request deletes its object, so that there is only an `oldObject`. */
export function isDelete(scope: Scope): boolean {
  const request = scope.get("request");
  return request !== undefined && !isFault(request) && field(request, "operation") === "DELETE";
}
