/**
 * The behaviour of Postern where Kyverno's documentation and its program differ: `classic` follows the documentation,
 * `current` follows Kyverno 1.19.
 */
export type Dialect = "classic" | "current";
