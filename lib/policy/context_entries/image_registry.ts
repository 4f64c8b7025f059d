import { asTexts, isObject, type Json } from "../../json/mod.ts";
import type { RegistryCredentials } from "../../ports.ts";
import { type EntryFormat, text } from "./entry_format.ts";

/** `imageRegistry`: the manifest and configuration of an image. */
export interface ImageRegistryEntry {
  readonly kind: "imageRegistry";
  readonly name: string;
  readonly reference: string;
  readonly jmesPath: string;
  readonly credentials: RegistryCredentials | undefined;
}

export const imageRegistryFormat: EntryFormat<ImageRegistryEntry> = {
  kind: "imageRegistry",
  shape: { reference: "text", jmesPath: "text", imageRegistryCredentials: "open" },
  read: (name, written) => ({
    kind: "imageRegistry",
    name,
    reference: text(written["reference"]),
    jmesPath: text(written["jmesPath"]),
    credentials: parseRegistryCredentials(written["imageRegistryCredentials"]),
  }),
};

/** Parses `imageRegistryCredentials`. */
export function parseRegistryCredentials(written: Json | undefined): RegistryCredentials | undefined {
  return isObject(written)
    ? {
      allowInsecureRegistry: written["allowInsecureRegistry"] === true,
      providers: asTexts(written["providers"]),
      secrets: asTexts(written["secrets"]),
    }
    : undefined;
}
