/**
 * The base class of every CEL value besides JSON, so that one `instanceof` distinguishes them from plain JSON
 * objects.
 */
export abstract class CelObject {}
