/**
 * The fields of documents, as data: the kinds of rules and context entries describe theirs, the loader compares
 * documents with them, and schemas are made from them.
 *
 * @module
 */
export { checkShape } from "./check_shape.ts";
export { type FieldNotes, isChoice, selectorShape, type Shape } from "./shape.ts";
