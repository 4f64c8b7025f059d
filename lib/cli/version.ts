/** The version of Postern; a test compares it with `deno.json`. */
export const version = "0.1.0";
