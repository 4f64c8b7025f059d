/**
 * JSON values, with the functions that all other folders use: type guards, equality, pointers, faults, scopes, and
 * printing as Go does it, because Kyverno's messages contain such text. Numbers are doubles: integers beyond 2^53 lose
 * digits.
 *
 * `parse.ts` parses texts from outside; all parsers go through `json_text.ts`, which avoids a defect of the runtime's.
 * Long texts are parsed in stages (`parse_stages.ts`), answers while they arrive (`streamed_json.ts`). The cost of
 * texts and regular expressions is estimated before they are read: `heap_size.ts`, `step_budget.ts`, `program_size.ts`.
 *
 * @module
 */
export {
  asBoolean,
  asList,
  asObject,
  asString,
  asTextMap,
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
  textField,
} from "./json.ts";
export { apart } from "./apart.ts";
export { BoundedCache } from "./bounded_cache.ts";
export { clipped, quoted } from "./clip.ts";
export { maxJsonDepth, nestsDeeperThan } from "./depth.ts";
export { detached } from "./detached.ts";
export { type DigitRuns, digitRunsOf } from "./digit_runs.ts";
export { type DocumentPath, documentPathText, valueAtPath } from "./document_path.ts";
export { equal, type Visits } from "./equal.ts";
export { Fault, isFault } from "./fault.ts";
export {
  densestHeap,
  heapSize,
  heapSizeOfText,
  isTooDense,
  sharedHeapSize,
  sharedHeapSizeInStages,
  sharedHeapSizeOfText,
} from "./heap_size.ts";
export { goJsonProblem } from "./go_json_problem.ts";
export { groupBy, groupByKeys } from "./group_by.ts";
export { parseJson } from "./parse.ts";
export { parseJsonText } from "./json_text.ts";
export { formatPointer, parsePointer } from "./pointer.ts";
export {
  compareBytes,
  compareTexts,
  goFloat,
  goJson,
  goPrint,
  goTypeOf,
  quoteAscii,
  sortedKeys,
  sortedTexts,
} from "./go_text.ts";
export { programSize } from "./program_size.ts";
export { hasRepeatedNames } from "./repeated_names.ts";
export { emptyScope, type Scope, scopeOf } from "./scope.ts";
export { jsonLength, jsonSize } from "./size.ts";
export { parseInStages } from "./parse_stages.ts";
export { countCharacters, unitsOf } from "./characters.ts";
export { CountedText } from "./counted_text.ts";
export { completed, type Stages } from "./stages.ts";
export { endOfString } from "./string_end.ts";
export { type StepBudget, stepsOfText } from "./step_budget.ts";
export { StreamedJson } from "./streamed_json.ts";
export { withoutEnding } from "./text_end.ts";
export { replaceText, TextSearch } from "./text_search.ts";
