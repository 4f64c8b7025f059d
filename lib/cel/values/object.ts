/**
 * Every CEL value that JSON does not know is an instance of this class, so that one `instanceof` tells it from a plain
 * JSON object.
 */
export abstract class CelObject {}
