import type { Diagnostic } from "../diagnostics/mod.ts";
import { asString, compareTexts, dig, groupBy, type Json, type JsonObject, textField } from "../json/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { CompiledWeights } from "./compiled_weight.ts";
import { matchedKinds } from "./matched_kinds.ts";
import { answersRequests, policyObjectKinds } from "./policy_object_kinds.ts";
import { everywhere, scopeOf } from "./policy_scope.ts";

/** Documents whose policies fit into memory together. */
export interface BudgetedDocuments {
  /** The policies to compile; a stand-in policy replaces each one that is left out. */
  readonly documents: readonly YamlDocument[];
  readonly diagnostics: readonly Diagnostic[];
  /** The documents that were left out. */
  readonly leftOut: readonly YamlDocument[];
}

/** Whether the requests that a left-out policy may deny are denied, or admitted because failures are ignored. */
export type UnfitPolicies = "deny" | "admit";

/** The bytes of what is prepared for a unit of the weight that policies may have, which stands for half a kilobyte. */
const bytesOfPrepared = 100;

/**
 * The memory for the policies that are compiled together. The engine gets it from the programs that have a limit, so
 * that others need not hold its code.
 */
export class PolicyBudget {
  /** The weights of the documents; their limit is the most that all may weigh together. */
  readonly weights: CompiledWeights;

  constructor(mostWeight: number) {
    this.weights = new CompiledWeights(mostWeight);
  }

  /** The bytes that may be taken by what is prepared for requests: a tenth of the heap, where policies have half. */
  get preparedBytes(): number {
    return this.weights.limit * bytesOfPrepared;
  }

  /** The documents that fit; see {@link withinBudget}. */
  fit(documents: readonly YamlDocument[], unfit: UnfitPolicies): BudgetedDocuments {
    return withinBudget(documents, this.weights, unfit);
  }
}

/**
 * Leaves out documents that weigh more than a limit together, so that no author of policies can exhaust the process's
 * memory. It keeps policies of the whole cluster first, then those of the namespaces with the least, the oldest first.
 * All replicas leave out the same documents. For each left-out policy that may deny, another policy denies all
 * resources of its kinds, in its namespace or in all, unless failures are ignored.
 */
function withinBudget(
  documents: readonly YamlDocument[],
  compiledWeights: CompiledWeights,
  unfit: UnfitPolicies,
): BudgetedDocuments {
  const { limit } = compiledWeights;
  let left = limit;
  const weights = documents.map(({ value }) => compiledWeights.of(value));
  if (sumOf(weights) <= limit) return { documents, diagnostics: [], leftOut: [] };
  const kept = new Set<YamlDocument>(), denied = new Map<string, DeniedKinds>();
  const leftOut: YamlDocument[] = [];
  for (const { namespace, indices } of byNamespace(documents, weights)) {
    for (const index of indices) {
      const document = documents[index]!;
      if (weights[index]! <= left) {
        left -= weights[index]!;
        kept.add(document);
      } else {
        leftOut.push(document);
        if (unfit === "deny" && mayDeny(document.value)) addKinds(denied, namespace, document);
      }
    }
  }
  const message = `the policies weigh more than ${
    Math.floor(limit)
  } values together; ${leftOut.length} are left out`;
  return {
    // Denials come first: of policies with one name the first counts, and users choose names.
    documents: [
      ...[...denied].map(([namespace, { kinds, document }]) => ({
        ...document,
        value: denialOf(namespace, [...kinds]),
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

interface NamespaceDocuments {
  readonly namespace: string;
  readonly indices: readonly number[];
}

/**
 * The positions of documents by their namespace, those of the whole cluster first, then by their weight. Documents of a
 * namespace are sorted by age: those of files, which have none, come first.
 */
function byNamespace(documents: readonly YamlDocument[], weights: readonly number[]): NamespaceDocuments[] {
  const groups = groupBy(documents.keys(), (index) => scopeOf(documents[index]!.value));
  const ages = documents.map(({ value }) => ageOf(value));
  return [...groups].map(([namespace, indices]) => ({
    namespace,
    indices: indices.toSorted((one, other) => compareTexts(ages[one]!, ages[other]!)),
    rank: namespace === everywhere ? 0 : sumOf(indices.map((index) => weights[index]!)),
  })).sort((one, other) => one.rank - other.rank || compareTexts(one.namespace, other.namespace));
}

/** A text that sorts objects by the time of their creation, and those of one second by kind and name. */
function ageOf(document: Json): string {
  const text = (name: string): string => asString(dig(document, "metadata", name)) ?? "";
  const created = text("creationTimestamp");
  return created === "" ? "" : [created, textField(document, "kind"), text("name")].join(" ");
}

function sumOf(weights: readonly number[]): number {
  return weights.reduce((sum, weight) => sum + weight, 0);
}

/** Kinds whose objects deny nothing. */
const harmless: ReadonlySet<string> = new Set(
  policyObjectKinds.filter(({ role }) => !answersRequests(role)).map(({ kind }) => kind),
);

/** Whether requests are denied when the document's policy cannot be evaluated. */
function mayDeny(document: Json): boolean {
  return !harmless.has(textField(document, "kind")) &&
    dig(document, "spec", "failurePolicy") !== "Ignore";
}

/**
 * Makes the policy that denies the resources that left-out policies of a namespace may deny (`""`: of the cluster): all
 * resources of their kinds, or of any kind when the kinds are unknown. It does not deny changes of policies.
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
