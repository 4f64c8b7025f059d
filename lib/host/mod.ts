/**
 * Builds one running gate from ports, policies and listeners. It decides nothing.
 *
 * @module
 */
import type { Gate } from "./gate.ts";
import type { Fault } from "../json/mod.ts";
import type { GateOptions } from "./gate_options.ts";
import type { ImageLookup, ImagePortsOptions } from "./image_ports.ts";

export type { Gate } from "./gate.ts";
export type { GateOptions } from "./gate_options.ts";
export type { ImageLookup } from "./image_ports.ts";
export { openPorts } from "./ports.ts";
export { type RecorderOptions, ReviewFiles, type ReviewFilesOptions } from "./review_recorder.ts";

/**
 * Opens a gate; a text says why it cannot be opened. The server's code is loaded only here: commands that need
 * nothing but ports start in a tenth less time.
 */
export async function openGate(options: GateOptions): Promise<Gate | string> {
  const gate = await import("./gate.ts");
  return await gate.openGate(options);
}

/** Reads the files of the options, so that the image ports can be opened for several clusters. */
export async function readImageFiles(
  options: ImagePortsOptions & { readonly for: "server" | "command" },
): Promise<ImageLookup | Fault> {
  const images = await import("./image_ports.ts");
  return await images.readImageFiles(options);
}
