/** A path in a document: object keys and list indexes from its root. */
export type DocumentPath = readonly (string | number)[];
