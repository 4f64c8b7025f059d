import { Fault, isFault, isObject, type Json, type JsonObject } from "../json/mod.ts";
import { decideAnchors } from "./anchors.ts";
import { wrongKind } from "./cell.ts";
import type { Draft } from "./draft.ts";
import { merge, mergeInto } from "./merge.ts";
import type { MergeMemory } from "./merge_schema.ts";
import { compilePatch, isAnchored, type PatchNodes } from "./patch_node.ts";

/** A strategic merge patch whose anchors are parsed and whose conditions are compiled. */
export interface StrategicMerge {
  /**
   * Returns the patched resource. The given one is never modified. The result is the given one itself when
   * nothing changes, so `patched === resource` means "no patches applied". All merges of a request share one
   * `memory`.
   */
  apply(resource: JsonObject, memory?: MergeMemory): JsonObject | Fault;
  /** Applies the patch to a draft, and returns whether the draft changed. After a fault the draft must not be used. */
  applyTo(draft: Draft): boolean | Fault;
}

/**
 * Prepares `patchStrategicMerge`. A patch without variables is planned once, at load; one with variables is
 * rendered and planned for each request, which costs little: parts that the rendering shares with an earlier
 * one are not compiled again. Values of the resource are never read as patterns or anchors.
 *
 * @param nodes The compiled nodes that all renderings of one patch share
 * @returns the plan, or a fault when the patch is no map or nested too deeply
 *
 * ```ts
 * import { planStrategicMerge } from "./strategic_merge.ts";
 * import { isFault } from "../json/mod.ts";
 * import assert from "node:assert/strict";
 * const plan = planStrategicMerge({ spec: { containers: [{ "(image)": "*:latest", imagePullPolicy: "Always" }] } });
 * assert.ok(!isFault(plan));
 * const pod = { apiVersion: "v1", kind: "Pod", spec: { containers: [{ name: "web", image: "nginx:latest" }] } };
 * assert.deepEqual(plan.apply(pod), {
 *   ...pod,
 *   spec: { containers: [{ name: "web", image: "nginx:latest", imagePullPolicy: "Always" }] },
 * });
 * ```
 */
export function planStrategicMerge(patch: Json, nodes?: PatchNodes): StrategicMerge | Fault {
  if (!isObject(patch)) {
    return new Fault(`failed to preProcess rule: ${wrongKind("MappingNode", patch).message}`);
  }
  const node = compilePatch(patch, nodes);
  if (isFault(node)) return node;
  if (!isAnchored(node)) {
    const plain = isObject(node.kept) ? node.kept : {};
    return {
      apply: (resource, memory) => merge(resource, plain, memory),
      applyTo: (draft) => mergeInto(draft, plain),
    };
  }
  return {
    apply(resource, memory) {
      const decided = decideAnchors(node, resource);
      return isFault(decided) ? decided : merge(resource, decided, memory);
    },
    applyTo(draft) {
      const decided = decideAnchors(node, draft.root, draft);
      return isFault(decided) ? decided : mergeInto(draft, decided);
    },
  };
}
