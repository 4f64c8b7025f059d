import {
  type Diagnostic,
  didYouMean,
  type Locate,
  type PathDiagnostic,
  replacing,
  withPosition,
} from "../diagnostics/mod.ts";
import { asList, field, isObject, type Json, type JsonObject, textField } from "../json/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import {
  celGroup,
  type ClassicPolicy,
  hasRules,
  isTooHeavy,
  type LocatedDocument,
  type PolicyException,
  tooHeavy,
} from "../policy/mod.ts";
import { policyKindNames, type RuleBody } from "../rules/mod.ts";
import { exceptionVersions, policyVersions } from "./described_kinds.ts";
import { parseException } from "./exception.ts";
import { parsePolicy } from "./classic_policy.ts";

/** One parsed object of a document, with its diagnostics. */
export interface ReadObject {
  /** The parsed policy or exception; `undefined` for other objects and for unusable ones. */
  readonly holds:
    | { readonly form: "policy"; readonly policy: ClassicPolicy<RuleBody> }
    | { readonly form: "exception"; readonly exception: PolicyException }
    | { readonly form: "other"; readonly located: LocatedDocument }
    | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

/** The kinds that other modules parse, by API group. */
const otherKinds: Readonly<Record<string, readonly string[]>> = {
  [celGroup]: [...policyKindNames(celGroup), "PolicyException"],
  "admissionregistration.k8s.io": policyKindNames("admissionregistration.k8s.io").flatMap((kind) => [
    kind,
    `${kind}Binding`,
  ]),
  "json.kyverno.io": ["ValidatingPolicy"],
  "kyverno.io": ["CleanupPolicy", "ClusterCleanupPolicy", "GlobalContextEntry"],
};

/** The objects of a document: one, or the items of a list. */
export function readDocument({ value, positionOf }: YamlDocument): ReadObject[] {
  return read(value, positionOf);
}

function read(value: Json, locate: Locate): ReadObject[] {
  if (value === null) return [];
  if (!isObject(value)) {
    const message = "A policy file holds objects with apiVersion and kind";
    return [unusable({ code: "not-an-object", message, path: [] }, locate)];
  }
  const kind = textField(value, "kind");
  const items = field(value, "items");
  if (kind.endsWith("List") && Array.isArray(items)) {
    return asList(items).flatMap((item, index) => read(item, (path) => locate(["items", index, ...path])));
  }
  return [readObject(value, kind, locate)];
}

function readObject(document: JsonObject, kind: string, locate: Locate): ReadObject {
  const apiVersion = textField(document, "apiVersion");
  const group = apiVersion.includes("/") ? apiVersion.split("/")[0]! : "";
  if (group === "kyverno.io" && hasRules(kind)) {
    const { policy, diagnostics } = parsePolicy(document, locate);
    return {
      holds: { form: "policy", policy },
      diagnostics: [
        ...versionWarning(apiVersion, policyVersions, locate),
        ...diagnostics.map((each) => ({ ...each, policy: policy.key })),
      ],
    };
  }
  if (kind === "PolicyException" && isTooHeavy(document["spec"])) {
    // An exception that cannot be parsed must not exempt anything.
    return unusable({ code: "too-large", message: tooHeavy, path: ["spec"] }, locate);
  }
  if (group === "kyverno.io" && kind === "PolicyException") {
    const { exception, diagnostics } = parseException(document, locate);
    return {
      holds: exception && { form: "exception", exception },
      diagnostics: [...versionWarning(apiVersion, exceptionVersions, locate), ...diagnostics],
    };
  }
  if (otherKinds[group]?.includes(kind)) {
    return { holds: { form: "other", located: { kind, group, document, locate } }, diagnostics: [] };
  }
  return unknownKind(kind, apiVersion, locate);
}

function unknownKind(kind: string, apiVersion: string, locate: Locate): ReadObject {
  const kinds = ["ClusterPolicy", "Policy", "PolicyException", ...Object.values(otherKinds).flat()];
  const meant = didYouMean(kind, kinds);
  const hint = kinds.includes(kind)
    ? `is "${apiVersion}" its apiVersion?`
    : meant === undefined
    ? "a Kubernetes object belongs among the resources (--resource) or the objects of the cluster (--cluster-objects)"
    : `did you mean "${meant}"?`;
  const message = `"${kind}" (${apiVersion || "no apiVersion"}) is not a policy`;
  const spelling = meant === kind ? undefined : meant;
  return unusable(
    { code: "unknown-kind", message, hint, ...replacing(kind, spelling), path: ["kind"] },
    locate,
  );
}

function versionWarning(apiVersion: string, versions: readonly string[], locate: Locate): Diagnostic[] {
  if (versions.includes(apiVersion)) return [];
  return [withPosition({
    severity: "warning",
    code: "unknown-version",
    message: `"${apiVersion}" is read as ${versions[0]}`,
    hint: `versions: ${versions.join(", ")}`,
    path: ["apiVersion"],
  }, locate)];
}

function unusable(problem: Omit<PathDiagnostic, "severity">, locate: Locate): ReadObject {
  return { holds: undefined, diagnostics: [withPosition({ severity: "error", ...problem }, locate)] };
}
