import { isList, isObject, type Json } from "../json/mod.ts";
import type { ApplyType } from "./apply_types.ts";

/**
 * Returns the paths of all lists, maps and structs of an apply configuration that server-side apply replaces as a
 * whole, as `.spec.containers[0].args`. The keys of maps are not searched, as in Kubernetes.
 *
 * Kubernetes parity: apiserver, plugin/policy/mutating/patch. Pinned by "atomicFields() finds what is replaced as a
 * whole".
 *
 * ```ts
 * import { readApplyTypes } from "./apply_types.ts";
 * import { atomicFields } from "./atomic_fields.ts";
 * import assert from "node:assert/strict";
 * const patch = { spec: { tolerations: [{ key: "a" }], hostAliases: [{ ip: "10.0.0.1" }] } };
 * assert.deepEqual(atomicFields(patch, readApplyTypes()("v1", "Pod")), [".spec.tolerations"]);
 * ```
 */
export function atomicFields(patch: Json, type: ApplyType | undefined): string[] {
  const found: string[] = [];
  search(patch, type, "");
  return found;

  function search(value: Json, type: ApplyType | undefined, path: string): void {
    if (isList(value)) {
      const list = type?.shape === "list" ? type : undefined;
      if (list?.keys === undefined) found.push(path);
      value.forEach((element, index) => search(element, list?.elements, `${path}[${index}]`));
    } else if (isObject(value) && type?.shape !== "map") {
      const struct = type?.shape === "struct" ? type : undefined;
      if (struct?.isAtomic === true) found.push(path);
      for (const [name, below] of Object.entries(value)) {
        search(below, struct?.fields.get(name), `${path}.${name}`);
      }
    }
  }
}
