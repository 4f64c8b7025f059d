import type { openWatch as full } from "../open_watch.ts";

/** Stands in for watches: a bundle reads objects when a request needs them. */
const openWatch: typeof full = () =>
  Promise.resolve({ ok: false, status: undefined, message: "this bundle watches nothing" });

export { openWatch };
