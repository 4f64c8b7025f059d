/**
 * One running gate put together: ports, listener, and the handler of bundles. It chooses parts and decides nothing.
 *
 * @module
 */
export { bundledHandler, type BundledPolicies, type FetchHandler } from "./bundled.ts";
export { Listener } from "./listener.ts";
export { openPorts } from "./ports.ts";
export { environmentSettings, type Settings } from "./settings.ts";
