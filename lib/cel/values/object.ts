/**
 * Every CEL value that JSON does not know is an instance of this class, so that one `instanceof` separates it from
 * plain JSON objects.
 */
export abstract class CelObject {}
