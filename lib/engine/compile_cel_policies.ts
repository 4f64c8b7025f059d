import type { Need } from "../context/mod.ts";
import { type Diagnostic, withPosition } from "../diagnostics/mod.ts";
import { asObject, asString, asTexts, dig, field, groupBy, isObject } from "../json/mod.ts";
import { nameOf } from "../kube/mod.ts";
import { compileConstraints, type RuleSelector } from "../match/mod.ts";
import { type CelException, type CelPolicy, isCelException, type LocatedDocument } from "../policy/mod.ts";
import { parseCelPolicy } from "../documents/mod.ts";
import {
  type CompiledBody,
  error,
  type Outcome,
  type PolicyKind,
  policyKindsOf,
  type PolicyTools,
  rankOf,
} from "../rules/mod.ts";
import type { CompiledPolicy, CompiledRule } from "./compiled.ts";
import { ConstantResults } from "./plan/constant_results.ts";

/** A CEL policy with the other documents that it depends on. */
export interface CelPolicyInput {
  readonly document: LocatedDocument;
  readonly kind: PolicyKind;
  /** The further kinds of a policy that has rules of several kinds. */
  readonly further: readonly PolicyKind[];
  /** The exceptions that name the policy. */
  readonly exceptions: readonly CelException[];
  readonly bindings: readonly LocatedDocument[];
}

/** The CEL policies among documents, in the order in which their kinds are evaluated. */
export function celPolicies(
  documents: readonly LocatedDocument[],
  exceptionOf: (document: LocatedDocument) => CelException,
): CelPolicyInput[] {
  const exceptions = documents.filter(isCelException).map(exceptionOf);
  const bound = groupBy(
    documents.filter(({ kind }) => kind.endsWith("Binding")),
    ({ group, kind, document }) => `${group}/${kind} ${asString(dig(document, "spec", "policyName"))}`,
  );
  return documents.flatMap((document): CelPolicyInput[] => {
    const [kind, ...further] = policyKindsOf(document);
    if (kind === undefined) return [];
    const name = nameOf(document.document);
    return [{
      document,
      kind,
      further,
      exceptions: exceptions.filter(({ references }) =>
        references.some((reference) => reference.name === name && reference.kind === document.kind)
      ),
      bindings: bound.get(`${document.group}/${document.kind}Binding ${name}`) ?? [],
    }];
  }).sort((left, right) => rankOf(left.kind) - rankOf(right.kind));
}

/** The options of compiling a CEL policy. */
export interface CompileCelPolicyOptions extends Pick<PolicyTools, "once"> {
  /** Whether policies that the API server enforces itself are also evaluated at admission. */
  readonly admissionPolicies: "left" | "served";
  report(diagnostic: Diagnostic): void;
}

/** Compiles a policy with its exceptions and bindings. A broken policy answers as its failurePolicy says. */
export function compileCelPolicy(input: CelPolicyInput, options: CompileCelPolicyOptions): CompiledPolicy {
  const { document: located, kind, further, exceptions, bindings } = input;
  const { report, once } = options;
  const { policy: written, specs, diagnostics } = parseCelPolicy(located, kind);
  const policy = asUsed(written, input, options);
  const reported = new Set<string>();
  let broken: Diagnostic | undefined;
  for (const diagnostic of diagnostics) add({ ...diagnostic, policy: policy.key });
  const parts = bindings.length === 0
    ? specs.map((spec, index) => ({ kind, spec, index, binding: undefined }))
    : bindings.map((binding) => ({ kind, spec: specs[0]!, index: 0, binding }));
  const others = further.flatMap((each) =>
    (each.everySpec ? specs : specs.slice(0, 1)).map((spec, index) => ({
      kind: each,
      spec,
      index,
      binding: undefined,
    }))
  );
  const all = [...parts, ...others];
  const rules = all.map((part) => {
    const { kind, spec, index, binding } = part;
    const needs: Need[] = [];
    const body = kind.compile(spec, {
      policy,
      once,
      need: (need) => void needs.push(need),
      exceptions,
      binding,
      // A spec for controllers or of a second binding has the same problems as the first spec of its kind.
      report: (problem) => {
        if (part !== all.find((each) => each.kind === kind)) return;
        // Kinds share expressions, and thereby problems.
        const text = JSON.stringify(problem);
        if (!reported.has(text)) add({ ...withPosition(problem, policy.locate), policy: policy.key });
        reported.add(text);
      },
    });
    const written = compileConstraints(kind.constraints(spec));
    const constraints = kind.adjustSelector?.(spec, written) ?? written;
    const selector = binding === undefined ? constraints : withinBinding(constraints, binding);
    return ruleOf(policy, { index, kind, selector, body, binding, needs });
  });
  const usable = broken === undefined
    ? rules
    : rules.map((rule) => ruleWith(brokenBody(broken!, rule.body), rule));
  const audited = policy.failureAction === "Audit" && !policy.emitWarning && kind.type === "validate";
  return { policy, rules: usable, matchConditions: undefined, needs: [], audited, broken };

  function add(diagnostic: Diagnostic): void {
    if (diagnostic.severity === "error") broken ??= diagnostic;
    report(diagnostic);
  }
}

function ruleOf(
  policy: CelPolicy,
  { index, kind, selector, body, binding, needs }:
    & { readonly index: number; readonly kind: PolicyKind; readonly binding: LocatedDocument | undefined }
    & Pick<CompiledRule, "selector" | "body" | "needs">,
): CompiledRule {
  const actions = asTexts(dig(binding?.document, "spec", "validationActions"));
  const action = actions.length === 0 || actions.includes("Deny") ? "Enforce" : "Audit";
  return ruleWith(body, {
    rule: policy.rules[index]!,
    type: kind.type,
    kind: kind.name,
    selector,
    entries: [],
    preconditions: undefined,
    exceptions: [],
    action: binding === undefined ? () => policy.failureAction : () => action,
    needs: selector.needsNamespaceLabels ? [...needs, { kind: "namespaceLabels" }] : needs,
    needsRoles: false,
    needsNamespaceLabels: selector.needsNamespaceLabels,
  });
}

function ruleWith(body: CompiledBody, rest: Omit<CompiledRule, "body" | "constantResults">): CompiledRule {
  return {
    ...rest,
    body,
    constantResults: new ConstantResults(body, { rule: rest.rule.name, type: rest.type }),
  };
}

/**
 * The policy with its effective settings. A policy that the API server enforces applies only where it has a binding,
 * and at admission only if `admissionPolicies` is `served`.
 */
function asUsed(
  policy: CelPolicy,
  { document: located, bindings, kind }: CelPolicyInput,
  { admissionPolicies }: CompileCelPolicyOptions,
): CelPolicy {
  if (kind.onlyOnCommandLine?.(asObject(field(located.document, "spec")) ?? {})) {
    return { ...policy, admission: false, background: false };
  }
  if (located.group !== "admissionregistration.k8s.io") return policy;
  const emitWarning = bindings.some(({ document }) =>
    asTexts(dig(document, "spec", "validationActions")).includes("Warn")
  );
  return { ...policy, emitWarning, admission: admissionPolicies === "served" && bindings.length > 0 };
}

/** A selector for the resources that both a policy and its binding match. */
function withinBinding(selector: RuleSelector, { document }: LocatedDocument): RuleSelector {
  const resources = dig(document, "spec", "matchResources");
  if (!isObject(resources)) return selector;
  const binding = compileConstraints(resources);
  const select: RuleSelector["select"] = (candidate) => {
    const selection = selector.select(candidate);
    return selection.selected ? binding.select(candidate) : selection;
  };
  return {
    ...selector,
    select,
    explain: (candidate) => ({
      ...(selector.select(candidate).selected ? binding : selector).explain(candidate),
      selection: select(candidate),
    }),
    needsNamespaceLabels: selector.needsNamespaceLabels || binding.needsNamespaceLabels,
  };
}

function brokenBody({ message }: Diagnostic, { downstream, unusable }: CompiledBody): CompiledBody {
  const outcome: Outcome = unusable ??
    { ...error(`the policy cannot be used: ${message}`), meaning: "unusable" };
  // Constant results have the rule's name.
  const constants = outcome.reportedAs === undefined ? [outcome] : [];
  return { run: () => outcome, constants, ...(downstream && { downstream }) };
}
