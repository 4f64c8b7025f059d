import type { Diagnostic } from "../diagnostics/mod.ts";
import { asList, asString, dig, field, type Json, type JsonObject } from "../json/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { matchedKinds } from "./matched_kinds.ts";
import { isPod } from "./pod_controllers.ts";
import { weightOf } from "./policy_weight.ts";

/** Documents whose policies fit into memory together. */
export interface BudgetedDocuments {
  /** The policies to compile; a stand-in policy replaces each one that is left out. */
  readonly documents: readonly YamlDocument[];
  readonly diagnostics: readonly Diagnostic[];
  /** How many documents were left out. */
  readonly leftOut: number;
}

/** The namespace of policies that hold in all namespaces. */
const everywhere = "";

/**
 * Leaves out documents that weigh more than a limit together, so that nobody who may write policies can exhaust the
 * process's memory. Policies of the whole cluster come first, then those of the namespaces that have the least. Where a
 * policy was left out that may deny, a policy denies all resources of its kinds in its place, in its namespace or in all,
 * unless failures shall be ignored.
 */
export function withinBudget(
  documents: readonly YamlDocument[],
  limit: number,
  denies = true,
): BudgetedDocuments {
  let left = limit;
  const weights = documents.map(({ value }) => compiledWeight(value, limit));
  if (sumOf(weights) <= limit) return { documents, diagnostics: [], leftOut: 0 };
  const kept = new Set<YamlDocument>(), denied = new Map<string, DeniedKinds>();
  let leftOut = 0;
  for (const { namespace, indices } of byNamespace(documents, weights)) {
    for (const index of indices) {
      const document = documents[index]!;
      if (weights[index]! <= left) {
        left -= weights[index]!;
        kept.add(document);
      } else {
        leftOut++;
        if (denies && mayDeny(document.value)) addKinds(denied, namespace, document);
      }
    }
  }
  const message = `the policies weigh more than ${
    Math.floor(limit)
  } values together; ${leftOut} are left out`;
  return {
    // Denials come first: of policies with one name the first counts, and users choose names.
    documents: [
      ...[...denied].map(([namespace, { kinds, document: { positionOf } }]) => ({
        value: denialOf(namespace, [...kinds]),
        positionOf,
      })),
      ...documents.filter((document) => kept.has(document)),
    ],
    diagnostics: [{ severity: "error", code: "too-many-policies", message }],
    leftOut,
  };
}

/** The kinds that are denied in a namespace. */
interface DeniedKinds {
  /** One of the documents that were left out. */
  readonly document: YamlDocument;
  /** The kinds that they are about. */
  readonly kinds: Set<string>;
}

function addKinds(denied: Map<string, DeniedKinds>, namespace: string, document: YamlDocument): void {
  const found = denied.get(namespace) ?? { document, kinds: new Set() };
  denied.set(namespace, found);
  for (const kind of matchedKinds(document.value)) found.kinds.add(kind);
}

/** Rules for Pods are compiled three times: for Pods, for controllers and for CronJobs. */
const timesForPods = 3;

/** The weight of a value in CEL, compiled, in values of patterns and conditions. */
const timesInCel = 4;

function compiledWeight(document: Json, limit: number): number {
  const weight = weightOf(document, limit);
  return weight * (hasCel(document) ? timesInCel : 1) *
    (matchedKinds(document).some(isPod) ? timesForPods : 1);
}

/** Whether a document has rules in CEL: those of a policy kind in CEL, or `validate.cel` of a ClusterPolicy. */
function hasCel(document: Json): boolean {
  const spec = field(document, "spec");
  return field(spec, "matchConstraints") !== undefined ||
    asList(field(spec, "rules")).some((rule) => dig(rule, "validate", "cel") !== undefined);
}

interface NamespaceDocuments {
  readonly namespace: string;
  readonly indices: readonly number[];
}

/** The positions of documents by their namespace, those of the whole cluster first, then by their weight. */
function byNamespace(documents: readonly YamlDocument[], weights: readonly number[]): NamespaceDocuments[] {
  const groups = new Map<string, number[]>();
  documents.forEach(({ value }, index) => {
    const namespace = scopeOf(value), group = groups.get(namespace);
    if (group === undefined) groups.set(namespace, [index]);
    else group.push(index);
  });
  const rank = ({ namespace, indices }: NamespaceDocuments): number =>
    namespace === everywhere ? 0 : sumOf(indices.map((index) => weights[index]!));
  return [...groups].map(([namespace, indices]) => ({ namespace, indices }))
    .sort((one, other) => rank(one) - rank(other));
}

function sumOf(weights: readonly number[]): number {
  return weights.reduce((sum, weight) => sum + weight, 0);
}

/** Where the policies of a document hold. A list may have some of any kind. */
function scopeOf(document: Json): string {
  const kind = asString(field(document, "kind")) ?? "";
  if (kind !== "Policy" && !kind.startsWith("Namespaced") && kind !== "PolicyException") return everywhere;
  return asString(dig(document, "metadata", "namespace")) ?? "default";
}

/** Kinds whose objects deny nothing: they exempt, delete, or hold data. */
const harmless: ReadonlySet<string> = new Set([
  "PolicyException",
  "GlobalContextEntry",
  "CleanupPolicy",
  "ClusterCleanupPolicy",
  "DeletingPolicy",
  "NamespacedDeletingPolicy",
]);

/** Whether requests are denied when the document's policy cannot be evaluated. */
function mayDeny(document: Json): boolean {
  return !harmless.has(asString(field(document, "kind")) ?? "") &&
    dig(document, "spec", "failurePolicy") !== "Ignore";
}

/**
 * The policy that denies what left-out policies of a namespace might, "" for policies of the cluster: all resources of the
 * kinds that they are about, or of any kind where that is not known. Policies themselves can still be changed.
 */
export function denialOf(namespace: string, kinds: readonly string[] = ["*"]): JsonObject {
  const where = namespace === everywhere ? "" : ` of namespace ${namespace}`;
  return {
    apiVersion: "kyverno.io/v1",
    kind: namespace === everywhere ? "ClusterPolicy" : "Policy",
    metadata: { name: "policies-left-out", ...(namespace !== everywhere && { namespace }) },
    spec: {
      validationFailureAction: "Enforce",
      background: false,
      rules: [{
        name: "left-out",
        match: { any: [{ resources: { kinds } }] },
        exclude: { any: [{ resources: { kinds: ["kyverno.io/*/*", "policies.kyverno.io/*/*"] } }] },
        validate: { message: `policies${where} take too much memory and are left out`, deny: {} },
      }],
    },
  };
}
