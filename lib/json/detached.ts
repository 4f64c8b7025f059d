import type { Json } from "./json.ts";
import { parseJsonText } from "./json_text.ts";

/**
 * A copy of a value that outlives its request. V8 keeps a text that was cut from a longer one as a part of that: the
 * first words of an object's text of 3 MB keep all of it. What waits in a queue or is remembered is therefore copied.
 *
 * ```ts
 * import { detached } from "./detached.ts";
 * import assert from "node:assert/strict";
 * assert.deepEqual(detached({ a: ["b"] }), { a: ["b"] });
 * ```
 */
export function detached<Value extends Json>(value: Value): Value {
  return parseJsonText(JSON.stringify(value)) as Value;
}
