import type { Environment } from "../jmespath/mod.ts";
import { type Fault, field, isFault, type Json, type Scope } from "../json/mod.ts";

/** The state of one rendering of a template. */
export interface RenderState {
  readonly scope: Scope;
  readonly environment: Environment;
  /** The characters of text that may still be produced. */
  room: number;
}

/** Renders a part of a template. */
export type Render = (run: RenderState) => Json | Fault;

/**
 * The most characters that one rendering may produce from variables inside text: a few times etcd's limit for an
 * object.
 */
export const maxText = 8 * 1024 * 1024;

/** Whether the request is a DELETE, which has only an `oldObject`. */
export function isDelete(scope: Scope): boolean {
  const request = scope.get("request");
  return request !== undefined && !isFault(request) && field(request, "operation") === "DELETE";
}
