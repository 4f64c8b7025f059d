import type { Snapshot } from "../../engine/mod.ts";
import type { JsonObject } from "../../json/mod.ts";
import type { ManifestOptions } from "../manifests/manifest_options.ts";
import type { PolicyFile } from "../manifests/policy_maps.ts";

/** A file of an installation's folder. */
export interface PackageFile {
  /** The path in the folder: `templates/postern.yaml`. */
  readonly path: string;
  readonly text: string;
}

/** The policies and options from which the folder of an installation is made. */
export interface PackageInput {
  readonly snapshot: Snapshot;
  readonly files: readonly PolicyFile[];
  readonly options: ManifestOptions;
  /** The dashboard for Grafana. */
  readonly dashboard: JsonObject;
  /** Postern's version. */
  readonly version: string;
}

/** A format in which an installation is written into a folder. */
export interface PackageFormat {
  readonly name: string;
  /** The instruction for users of the folder, with DIR in place of its path. */
  readonly use: string;
  files(input: PackageInput): PackageFile[];
}
