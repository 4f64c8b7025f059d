import {
  asObject,
  Fault,
  field,
  goTypeOf,
  isFault,
  isObject,
  isString,
  type Json,
  type JsonObject,
} from "../../json/mod.ts";
import { isObjectName } from "../../kube/mod.ts";
import { compileTemplate, type Template } from "../../template/mod.ts";
import type { FieldNotes } from "../../shape/mod.ts";
import type { Context, ContextEntry } from "../context.ts";
import type { ContextEntryKind } from "../entry_kind.ts";
import type { EntryOptions } from "../entry_options.ts";
import { kindNeed } from "../need.ts";
import { readPath } from "../read_path.ts";
import { checkReference } from "./entry_checks.ts";
import { text } from "./written.ts";

/** `configMap`: an object with the data and the metadata of a ConfigMap. */
export interface ConfigMapEntry {
  readonly kind: "configMap";
  readonly name: string;
  readonly configMap: { readonly name: string; readonly namespace: string };
}

/** The descriptions of `configMap` and of its fields. */
export const configMapNotes: FieldNotes = {
  "configMap": "A ConfigMap of the cluster; its data are at `NAME.data`.",
  "configMap.name": "The name of the ConfigMap; it may have variables.",
  "configMap.namespace": "The namespace of the ConfigMap. Default: that of the policy.",
};

/** `configMap: {name, namespace}`: an object with the ConfigMap's `data` and `metadata`. Values are always text. */
export const configMapKind: ContextEntryKind<ConfigMapEntry> = {
  kind: "configMap",
  shape: { name: "text", namespace: "text" },
  read: (name, written) => ({
    kind: "configMap",
    name,
    configMap: { name: text(written["name"]), namespace: text(written["namespace"]) },
  }),
  compile: compileConfigMap,
  isServed: ({ cluster }) => cluster,
};

function compileConfigMap(entry: ConfigMapEntry, options: EntryOptions): ContextEntry {
  const { policyNamespace } = options;
  const name = compileTemplate(entry.configMap.name);
  const namespace = compileTemplate(entry.configMap.namespace);
  options.variables(name.uses, ["configMap", "name"]);
  options.variables(namespace.uses, ["configMap", "namespace"]);
  checkReference(["configMap", "name"], entry.configMap.name, options);
  const isNamed = entry.configMap.name !== "" && name.constant;
  options.need(
    kindNeed({ apiVersion: "v1", kind: "ConfigMap", ...(isNamed && { name: entry.configMap.name }) }, [
      "get",
    ]),
  );
  const compiled = { entry, name, namespace, policyNamespace };
  return { name: entry.name, source: "configMap", load: (view) => load(compiled, view) };
}

/** A ConfigMap of a policy's context, compiled. */
interface CompiledConfigMap {
  readonly entry: ConfigMapEntry;
  readonly name: Template;
  readonly namespace: Template;
  /** The namespace of its Policy; `undefined` for a ClusterPolicy. */
  readonly policyNamespace: string | undefined;
}

function load(compiled: CompiledConfigMap, view: Context): Json | Fault {
  const { entry, policyNamespace } = compiled;
  const name = rendered("name", compiled, view);
  if (isFault(name)) return name;
  const written = rendered("namespace", compiled, view);
  if (isFault(written)) return written;
  const namespace = written || policyNamespace || "default";
  if (policyNamespace !== undefined && namespace !== policyNamespace) {
    return notRetrieved(
      entry,
      `context entry ${entry.name}: configMap namespace "${namespace}" is different from policy namespace "${policyNamespace}"`,
    );
  }
  if (!isObjectName(name)) {
    return notRetrieved(entry, `failed to get configmap ${namespace}/ : resource name may not be empty`);
  }
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/configmaps/${encodeURIComponent(name)}`;
  return readPath(view.tracker, { name: `ConfigMap ${namespace}/${name}`, path }, (answer) => {
    if (!answer.ok) {
      return notRetrieved(entry, `failed to get configmap ${namespace}/${name} : ${answer.message}`);
    }
    const object = asObject(answer.body) ?? {};
    return { data: contents(object), metadata: field(object, "metadata") ?? {} };
  });
}

/** Kyverno parity: a number is no name. Pinned by "a value that is no text is a fault in place of a name". */
function rendered(
  part: "name" | "namespace",
  { entry, [part]: template }: CompiledConfigMap,
  view: Context,
): string | Fault {
  const value: Json | Fault = template.render(view, view.environment);
  if (isString(value)) return value;
  const cause = isFault(value) ? value.message : `expected string, got ${goTypeOf(value)}`;
  const written = entry.configMap[part];
  return notRetrieved(
    entry,
    `failed to substitute variables in context ${entry.name} configMap.${part} ${written}: ${cause}`,
  );
}

function notRetrieved({ name }: ConfigMapEntry, cause: string): Fault {
  return new Fault(`failed to retrieve config map for context entry ${name}: ${cause}`);
}

/** The `data` of a ConfigMap; `binaryData` is not read, as in Kyverno. */
function contents(object: JsonObject): Json {
  const found = field(object, "data");
  return isObject(found) ? found : {};
}
