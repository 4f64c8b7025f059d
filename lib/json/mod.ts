/**
 * JSON values and what every layer above does with them: guards, equality, pointers, faults, scopes, and Go's ways of
 * printing them, which policies' messages rely on. It keeps whole numbers as doubles (no integers beyond 2^53).
 *
 * @module
 */
export {
  asList,
  asObject,
  asString,
  asTexts,
  dig,
  field,
  isGiven,
  isInherited,
  isList,
  isObject,
  isString,
  type Json,
  type JsonObject,
  setField,
} from "./json.ts";
export { nestsDeeperThan } from "./depth.ts";
export { equal } from "./equal.ts";
export { Fault, isFault } from "./fault.ts";
export { goJsonProblem, maxJsonDepth } from "./go_json.ts";
export { parseJson } from "./parse.ts";
export { formatPointer, parsePointer } from "./pointer.ts";
export { compareBytes, goFloat, goJson, goPrint, sortedKeys } from "./go_text.ts";
export { type Scope, scopeOf } from "./scope.ts";
export { jsonSize } from "./size.ts";
