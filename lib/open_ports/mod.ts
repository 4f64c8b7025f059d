/**
 * Opens the ports of this process: the cluster, services and image registries that its options name. It is apart from
 * the gate because most commands need ports and no server.
 *
 * @module
 */
import type { Fault } from "../json/mod.ts";
import type { ImageLookup, ImagePortsOptions } from "./image_ports.ts";

export type { ImageLookup, ImagePortsOptions } from "./image_ports.ts";
export { type OpenPorts, openPorts, type ServiceOptions } from "./ports.ts";

/** Reads the files of the options, so that the image ports can be opened for several clusters. */
export async function readImageFiles(
  options: ImagePortsOptions & { readonly for: "server" | "command" },
): Promise<ImageLookup | Fault> {
  const images = await import("./image_ports.ts");
  return await images.readImageFiles(options);
}
