/**
 * The values that a rule can read: the request's loaded answers, layered contexts over them, and the kinds of context
 * entries, each with its fields, its parser and its loading. A value loads when it is first read, once in a request,
 * within its deadline.
 *
 * `context.ts` has the layers, `entries/` the kinds of entries. `load_tracker.ts` follows the evaluation of a request:
 * `request_loads.ts` its external calls, `time_slices.ts` its time, `progress.ts` the loops that it has to continue.
 *
 * @module
 */
export { type Computed, Context, type ContextEntry } from "./context.ts";
export { loadNamespace } from "./namespace.ts";
export { readPath } from "./read_path.ts";
export { kindNeed, type Need, readsRoles } from "./need.ts";
export {
  compileEntry,
  contextNotes,
  contextShape,
  entryKinds,
  type EntrySpec,
  parseContext,
  unservedEntries,
} from "./entries/table.ts";
export { apiCallShape, parseApiCall } from "./entries/api_call_spec.ts";
export { parseRegistryCredentials } from "./entries/image_registry.ts";
export type { EntryOptions } from "./entry_options.ts";
export type {
  ConditionOwner,
  ObservedAttestor,
  ObservedElement,
  ObservedEntry,
  ObservedException,
  ObservedExpression,
  ObservedPattern,
  Observer,
} from "./observer.ts";
export type { EntrySource } from "./entry_source.ts";
export type { LoopProgress, Progress } from "./progress.ts";
export { inStages, StagedWork } from "./stages.ts";
export { type AbsentSource, LoadTracker } from "./load_tracker.ts";
export { untilLoaded } from "./until_loaded.ts";
export { fewSteps, type GoAhead, mostRequestSteps } from "./time_slices.ts";
