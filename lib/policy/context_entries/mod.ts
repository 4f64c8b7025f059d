/**
 * The kinds of context entries as their authors write them: the fields of each, and how it is read. `lib/context` loads
 * them.
 *
 * @module
 */
export {
  type ApiCallEntry,
  apiCallShape,
  type ApiCallSpec,
  parseApiCall,
  type ServiceSpec,
} from "./api_call.ts";
export type { ConfigMapEntry } from "./config_map.ts";
export type { GlobalReferenceEntry } from "./global_reference.ts";
export { type ImageRegistryEntry, parseRegistryCredentials } from "./image_registry.ts";
export {
  contextShape,
  type EntryKind,
  entryKinds,
  type EntryOf,
  type EntrySpec,
  parseContext,
} from "./table.ts";
export type { VariableEntry } from "./variable.ts";
