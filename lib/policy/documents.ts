import type { Diagnostic } from "../diagnostics/mod.ts";
import { didYouMean, replacing } from "../diagnostics/mod.ts";
import { asList, asString, field, isObject, type Json, type JsonObject } from "../json/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { parseException } from "./exception.ts";
import { parsePolicy } from "./parse.ts";
import { isTooHeavy, tooHeavy } from "./policy_weight.ts";
import type { ClassicPolicy, Locate, PolicyException } from "./policy.ts";
import { hasRules } from "./rule_kinds.ts";

/** A document with its place, for kinds that other modules read. */
export interface LocatedDocument {
  readonly kind: string;
  readonly group: string;
  readonly document: JsonObject;
  readonly locate: Locate;
}

/** Everything that a set of policy files holds. */
export interface PolicySet {
  readonly policies: readonly ClassicPolicy[];
  readonly exceptions: readonly PolicyException[];
  /** CEL policy kinds, their bindings and exceptions, JSON policies: read by their own compilers. */
  readonly others: readonly LocatedDocument[];
  readonly diagnostics: readonly Diagnostic[];
  /** Policies (by key) with at least one error among their diagnostics. */
  readonly broken: ReadonlyMap<string, Diagnostic>;
}

const policyVersions = ["kyverno.io/v1", "kyverno.io/v2beta1"];
const exceptionVersions = ["kyverno.io/v2", "kyverno.io/v2beta1", "kyverno.io/v2alpha1"];

/** Kinds that Postern knows beside its own two, by API group. */
const otherKinds: Readonly<Record<string, readonly string[]>> = {
  "policies.kyverno.io": [
    "ValidatingPolicy",
    "MutatingPolicy",
    "GeneratingPolicy",
    "DeletingPolicy",
    "ImageValidatingPolicy",
    "NamespacedValidatingPolicy",
    "NamespacedMutatingPolicy",
    "NamespacedGeneratingPolicy",
    "NamespacedDeletingPolicy",
    "NamespacedImageValidatingPolicy",
    "PolicyException",
  ],
  "admissionregistration.k8s.io": [
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
  ],
  "json.kyverno.io": ["ValidatingPolicy"],
  "kyverno.io": ["CleanupPolicy", "ClusterCleanupPolicy", "GlobalContextEntry"],
};

/** Sorts documents into policies, exceptions and others; lists are opened, unknown kinds reported. */
export function readPolicies(documents: readonly YamlDocument[]): PolicySet {
  const reader = new PolicyReader();
  for (const { value, positionOf } of documents) reader.read(value, positionOf);
  const { policies, exceptions, others, diagnostics, broken } = reader;
  return { policies, exceptions, others, diagnostics, broken };
}

class PolicyReader implements PolicySet {
  readonly policies: ClassicPolicy[] = [];
  readonly exceptions: PolicyException[] = [];
  readonly others: LocatedDocument[] = [];
  readonly diagnostics: Diagnostic[] = [];
  readonly broken = new Map<string, Diagnostic>();

  read(value: Json, locate: Locate): void {
    if (value === null) return;
    if (!isObject(value)) {
      const message = "A policy file holds objects with apiVersion and kind";
      return this.#report({ code: "not-an-object", message }, locate([]));
    }
    const kind = asString(field(value, "kind")) ?? "";
    const items = field(value, "items");
    if (kind.endsWith("List") && Array.isArray(items)) {
      asList(items).forEach((item, index) => this.read(item, (path) => locate(["items", index, ...path])));
      return;
    }
    this.#readObject(value, kind, locate);
  }

  #readObject(document: JsonObject, kind: string, locate: Locate): void {
    const apiVersion = asString(field(document, "apiVersion")) ?? "";
    const group = apiVersion.includes("/") ? apiVersion.split("/")[0]! : "";
    if (group === "kyverno.io" && hasRules(kind)) {
      if (!policyVersions.includes(apiVersion)) this.#versionWarning(apiVersion, policyVersions, locate);
      const parsed = parsePolicy(document, locate);
      const clash = this.policies.some((policy) =>
        policy.key === parsed.policy.key && policy.kind === parsed.policy.kind
      );
      if (clash) {
        const message = `Policy "${parsed.policy.key}" is defined twice; the first one is used`;
        return this.#report({ code: "duplicate-policy", message }, locate(["metadata", "name"]));
      }
      this.policies.push(parsed.policy);
      for (const diagnostic of parsed.diagnostics) {
        this.diagnostics.push({ ...diagnostic, policy: parsed.policy.key });
        if (diagnostic.severity === "error" && !this.broken.has(parsed.policy.key)) {
          this.broken.set(parsed.policy.key, diagnostic);
        }
      }
    } else if (kind === "PolicyException" && isTooHeavy(document["spec"])) {
      // An exception that cannot be read must not open a gate.
      this.#report({ code: "too-large", message: tooHeavy }, locate(["spec"]));
    } else if (group === "kyverno.io" && kind === "PolicyException") {
      if (!exceptionVersions.includes(apiVersion)) {
        this.#versionWarning(apiVersion, exceptionVersions, locate);
      }
      const parsed = parseException(document, locate);
      this.diagnostics.push(...parsed.diagnostics);
      // An exception that cannot be read must not open a gate.
      if (!parsed.diagnostics.some((diagnostic) => diagnostic.severity === "error")) {
        this.exceptions.push(parsed.exception);
      }
    } else if (otherKinds[group]?.includes(kind)) this.others.push({ kind, group, document, locate });
    else this.#unknownKind(kind, apiVersion, locate);
  }

  #unknownKind(kind: string, apiVersion: string, locate: Locate): void {
    const kinds = ["ClusterPolicy", "Policy", "PolicyException", ...Object.values(otherKinds).flat()];
    const meant = didYouMean(kind, kinds);
    const hint = kinds.includes(kind)
      ? `is "${apiVersion}" its apiVersion?`
      : meant === undefined
      ? "Kubernetes objects belong in --cluster-objects or --resource, not among the policies"
      : `did you mean "${meant}"?`;
    const message = `"${kind}" (${apiVersion || "no apiVersion"}) is not a policy`;
    const spelling = meant === kind ? undefined : meant;
    this.#report({ code: "unknown-kind", message, hint, ...replacing(kind, spelling) }, locate(["kind"]));
  }

  #versionWarning(apiVersion: string, versions: readonly string[], locate: Locate): void {
    const position = locate(["apiVersion"]);
    this.diagnostics.push({
      severity: "warning",
      code: "unknown-version",
      message: `"${apiVersion}" is read as ${versions[0]}`,
      hint: `versions: ${versions.join(", ")}`,
      ...(position && { position }),
    });
  }

  #report(problem: Omit<Diagnostic, "severity">, position: Diagnostic["position"]): void {
    this.diagnostics.push({ severity: "error", ...problem, ...(position && { position }) });
  }
}
