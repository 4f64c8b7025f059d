import { type Diagnostic, type DiagnosticCode, withPosition } from "../diagnostics/mod.ts";
import { asList, asObject, asTexts, dig, field, type JsonObject } from "../json/mod.ts";
import { annotationsOf, builtinResource, nameOf, namespaceOf } from "../kube/mod.ts";
import {
  type CelPolicy,
  type ExpressionsBody,
  isTooHeavy,
  type LocatedDocument,
  parseCelSections,
  parseMatch,
  policyKey,
  type Rule,
  tooHeavy,
  weightOf,
} from "../policy/mod.ts";
import type { PolicyKind } from "../rules/mod.ts";
import { celSpecShapeOf } from "./described_kinds.ts";
import { checkShape } from "../shape/mod.ts";

/** The parsed fields that all CEL policies share, and the policy's specs. */
export interface ParsedCelPolicy {
  readonly policy: CelPolicy;
  /** The written spec first, then those for pod controllers. */
  readonly specs: readonly JsonObject[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Parses a policy of `policies.kyverno.io` or `admissionregistration.k8s.io`. It has one rule for each of its specs.
 */
export function parseCelPolicy(
  { document, kind, locate }: LocatedDocument,
  form: Pick<PolicyKind, "section" | "ruleName" | "variants">,
): ParsedCelPolicy {
  const diagnostics: Diagnostic[] = [];
  const name = nameOf(document);
  if (name === "") report("missing-name", "A policy needs metadata.name", ["metadata"]);
  const written = asObject(field(document, "spec"));
  if (written === undefined) report("missing-spec", "A policy needs a spec", []);
  const spec = bounded(written ?? {}, () => report("too-large", tooHeavy, ["spec"]));
  // Unknown fields are reported, but the policy still works with the others.
  const shape = checkShape(spec, celSpecShapeOf(kind), { path: ["spec"], locate, stored: true });
  diagnostics.push(...shape.map((each) => ({ ...each, severity: "warning" as const })));
  const namespace = kind.startsWith("Namespaced") ? namespaceOf(document) || "default" : undefined;
  const sections = parseCelSections(spec), actions = sections.validationActions;
  for (const action of actions.filter((each) => !["Deny", "Audit", "Warn"].includes(each))) {
    const message = `validationActions cannot be "${action}": use Deny, Audit or Warn`;
    report("unknown-value", message, ["spec", "validationActions"]);
  }
  const specs = [spec, ...form.variants(spec)];
  const timeout = dig(spec, "webhookConfiguration", "timeoutSeconds");
  const policy: CelPolicy = {
    language: "cel",
    kind,
    name,
    namespace,
    key: policyKey({ name, namespace }),
    annotations: annotationsOf(document),
    failurePolicy: field(spec, "failurePolicy") === "Ignore" ? "Ignore" : "Fail",
    failureAction: actions.length === 0 || actions.includes("Deny") ? "Enforce" : "Audit",
    overrides: [],
    admission: dig(spec, "evaluation", "admission", "enabled") !== false,
    background: dig(spec, "evaluation", "background", "enabled") !== false,
    emitWarning: actions.includes("Warn"),
    applyRules: "All",
    timeoutSeconds: typeof timeout === "number" ? timeout : undefined,
    matchConditions: [],
    generateExisting: dig(spec, "evaluation", "generateExisting", "enabled") === true,
    mutateExistingOnPolicyUpdate: dig(spec, "evaluation", "mutateExisting", "enabled") === true,
    useServerSideApply: usesServerSideApply(spec),
    rules: specs.map((each, index) =>
      ruleOf(each, {
        name: form.ruleName === "policy" ? name : "",
        section: form.section,
        generatedFor: index === 0 ? undefined : controllersOf(each),
      })
    ),
    locate,
    document,
    sections,
  };
  return { policy, specs, diagnostics };

  function report(code: DiagnosticCode, message: string, path: (string | number)[]): void {
    diagnostics.push(withPosition({ severity: "error", code, message, path }, locate));
  }
}

/**
 * The spec, or a replacement for one that is too large. That policy is broken, and its failurePolicy answers every
 * request that the replacement matches, which are at least those of the spec.
 */
function bounded(spec: JsonObject, report: () => void): JsonObject {
  if (!isTooHeavy(spec)) return spec;
  report();
  const everything = { apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*"] };
  const { failurePolicy, validationActions } = spec;
  return {
    ...(failurePolicy === "Ignore" && { failurePolicy }),
    ...(weightOf(validationActions) < fewValues && validationActions !== undefined && { validationActions }),
    matchConstraints: { resourceRules: [everything] },
  };
}

const fewValues = 100;

function ruleOf(
  spec: JsonObject,
  { name, section, generatedFor }: Pick<Rule, "name" | "section" | "generatedFor">,
): Rule<ExpressionsBody> {
  return {
    name,
    path: ["spec"],
    match: anything,
    exclude: undefined,
    context: [],
    preconditions: undefined,
    celPreconditions: [],
    imageExtractors: undefined,
    skipBackgroundRequests: dig(spec, "evaluation", "skipBackgroundRequests") !== false,
    reportProperties: undefined,
    section,
    body: { kind: "expressions", spec },
    failureAction: undefined,
    overrides: [],
    allowExistingViolations: false,
    generatedFor,
  };
}

/** GeneratingPolicy and MutatingPolicy have the field at different paths. */
function usesServerSideApply(spec: JsonObject): boolean {
  return field(spec, "useServerSideApply") === true ||
    dig(spec, "evaluation", "useServerSideApply") === true;
}

/** The match of a rule: the constraints of its spec select the objects. */
const anything = parseMatch({});

/** The kinds that a spec for controllers matches. */
function controllersOf(spec: JsonObject): ReadonlySet<string> {
  const rules = asList(dig(spec, "matchConstraints", "resourceRules"));
  const plurals = rules.flatMap((rule) => asTexts(field(rule, "resources")));
  return new Set(plurals.flatMap((plural) => builtinResource(plural)?.kind ?? []));
}
