import { type EntryFormat, text } from "./entry_format.ts";

/** `configMap`: an object with the data and the metadata of a ConfigMap. */
export interface ConfigMapEntry {
  readonly kind: "configMap";
  readonly name: string;
  readonly configMap: { readonly name: string; readonly namespace: string };
}

export const configMapFormat: EntryFormat<ConfigMapEntry> = {
  kind: "configMap",
  shape: { name: "text", namespace: "text" },
  read: (name, written) => ({
    kind: "configMap",
    name,
    configMap: { name: text(written["name"]), namespace: text(written["namespace"]) },
  }),
};
