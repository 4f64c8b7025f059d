/**
 * Changes of JSON documents: JSON patches (RFC 6902) with the options that Kyverno sets, strategic merge
 * patches with Kyverno's anchors, and the patch that turns one document into another. A change never modifies
 * the given document; the new one shares unchanged values with it.
 *
 * `patchStrategicMerge` is `strategic_merge.ts`: `patch_node.ts` parses anchors, `anchors.ts` decides them for a
 * resource, `merge.ts` merges, and of its lists `distinct_list.ts` those whose elements differ in their keys,
 * `keyed_list.ts` and `irregular_list.ts` the others. `patchesJson6902` is `json_patch.ts`. MutatingPolicies patch as
 * the API server does: `structured_merge.ts` and `strict_patch.ts`. A `draft.ts` is a document that several patches
 * change, and `diff.ts` makes the patch of an answer.
 *
 * It evaluates no variables: the caller renders templates before. Merge keys are those of Kubernetes 1.21, as in
 * Kyverno; a patch replaces lists of custom resources and newer lists as a whole, and `$retainKeys`,
 * `$setElementOrder` and `$deleteFromPrimitiveList` are ordinary keys.
 *
 * Differences from Kyverno: several elements with anchors in one list all count (in Kyverno they remove each
 * other, or Kyverno crashes), and only keys are anchors, never values.
 *
 * ```ts
 * import { diff, isFault, planStrategicMerge } from "@postern/postern/patch";
 * import assert from "node:assert/strict";
 *
 * const pod = { apiVersion: "v1", kind: "Pod", spec: { containers: [{ name: "web", image: "nginx:latest" }] } };
 * const plan = planStrategicMerge({ spec: { containers: [{ "(image)": "*:latest", imagePullPolicy: "Always" }] } });
 * assert(!isFault(plan));
 * assert.deepEqual(diff(pod, plan.apply(pod) as typeof pod), [
 *   { op: "add", path: "/spec/containers/0/imagePullPolicy", value: "Always" },
 * ]);
 * ```
 *
 * @module
 */
export { Draft } from "./draft.ts";
export { diff } from "./diff.ts";
export { jsonKind, type JsonPatch, type PatchOperation, planJsonPatch } from "./json_patch.ts";
export { LongNumbers } from "./long_numbers.ts";
export { type MergeField, type MergeType, mergeTypeOf } from "./merge_keys.ts";
export type { MergeMemory } from "./merge_schema.ts";
export { parseJsonPatch } from "./parse_json_patch.ts";
export { applyStrictly } from "./strict_patch.ts";
export { type ApplyTypes, readApplyTypes, type StructType } from "./apply_types.ts";
export { atomicFields } from "./atomic_fields.ts";
export { structuredMerge } from "./structured_merge.ts";
export { patchText } from "./patch_text.ts";
export type { PatchNodes } from "./patch_node.ts";
export { planStrategicMerge, type StrategicMerge } from "./strategic_merge.ts";
export { Fault, isFault } from "../json/mod.ts";
