import { kindNeed, type LoadTracker, type Need } from "../../context/mod.ts";
import { asObject, field, isFault, type Json, type JsonObject, textField } from "../../json/mod.ts";
import { nameOf, namespaceOf, parseKindSelectors } from "../../kube/mod.ts";
import type { Rule } from "../../policy/mod.ts";
import { createdInDryRun } from "../cluster_objects.ts";
import { type Pending, pending } from "../verify_images/mod.ts";

/**
 * `dryRun` of a rule: an object that differs from its manifest is also compared with the manifest as the API server
 * would store it.
 */
export interface DryRun {
  /** The namespace of the dry run; empty for the object's namespace. */
  readonly namespace: string;
}

/** Reads `dryRun`; `undefined` where it is not enabled. A Policy creates nothing outside its namespace. */
export function dryRunOf(written: Json | undefined, policyNamespace: string | undefined): DryRun | undefined {
  if (field(written, "enable") !== true) return undefined;
  return { namespace: policyNamespace ?? textField(written, "namespace") };
}

/** The rights to create the objects that the rule matches. */
export function dryRunNeeds({ match }: Pick<Rule, "match">): Need[] {
  const kinds = match.filters.flatMap(({ resources }) => resources.kinds).flatMap(parseKindSelectors);
  return kinds.map(({ group, version, kind }): Need => {
    if (/[*?]/.test(kind)) return { kind: "unknown", what: "which objects it creates in dry runs" };
    const apiVersion = /[*?]/.test(group) || group === "" ? "" : `${group}/${version}`;
    return kindNeed({ apiVersion, kind }, ["create"]);
  });
}

/**
 * A manifest as the API server would store it, with defaults and the changes of webhooks; `undefined` where the API
 * server refuses the dry run. Kyverno parity: without the right to create it, the manifest is compared as it is.
 * Pinned by tests/rules/manifests/validate_manifests_test.ts.
 */
export function asStored(
  manifest: JsonObject,
  object: JsonObject,
  { tracker, dryRun }: { readonly tracker: LoadTracker; readonly dryRun: DryRun },
): JsonObject | undefined | Pending {
  const { pendingReads } = tracker;
  const metadata = asObject(manifest["metadata"]) ?? {};
  // The object itself may exist already.
  const name = `${nameOf(manifest).slice(0, 50)}-dry-run`;
  const namespace = dryRun.namespace || namespaceOf(object) || "default";
  const created = createdInDryRun(tracker, { ...manifest, metadata: { ...metadata, name } }, namespace);
  if (tracker.pendingReads !== pendingReads) return pending;
  if (isFault(created)) return undefined;
  return { ...created, metadata: { ...asObject(created["metadata"]), name: nameOf(manifest) } };
}
