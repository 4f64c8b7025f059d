import type { Diagnostic } from "../diagnostics/mod.ts";
import { asString, dig } from "../json/mod.ts";
import { compileConstraints } from "../match/mod.ts";
import {
  type CelException,
  type LocatedDocument,
  parseCelException,
  parseCelPolicy,
  type Policy,
} from "../policy/mod.ts";
import { error, findPolicyKind, type PolicyKind, rankOf, type RuleBody } from "../rules/mod.ts";
import type { CompiledPolicy, CompiledRule } from "./compiled.ts";

/**
 * Compiles the policies among documents that are written in CEL, with their exceptions and bindings; they come in the
 * order in which their kinds are evaluated.
 */
export function compileCelPolicies(
  documents: readonly LocatedDocument[],
  report: (diagnostic: Diagnostic) => void,
): CompiledPolicy[] {
  const exceptions = documents.filter(({ group, kind }) =>
    group === "policies.kyverno.io" && kind === "PolicyException"
  ).map(parseCelException);
  return documents.flatMap((document) => {
    const kind = findPolicyKind(document);
    return kind === undefined ? [] : [{ document, kind }];
  }).sort((left, right) => rankOf(left.kind) - rankOf(right.kind)).map(({ document, kind }) =>
    compileOne(document, { kind, exceptions, documents, report })
  );
}

interface Setting {
  readonly kind: PolicyKind;
  readonly exceptions: readonly CelException[];
  readonly documents: readonly LocatedDocument[];
  report(diagnostic: Diagnostic): void;
}

function compileOne(
  located: LocatedDocument,
  { kind, exceptions, documents, report }: Setting,
): CompiledPolicy {
  const { policy, specs, diagnostics } = parseCelPolicy(located, kind);
  let broken: Diagnostic | undefined;
  for (const diagnostic of diagnostics) tell({ ...diagnostic, policy: policy.key });
  const tools = {
    policy,
    exceptions: exceptions.filter(({ references }) =>
      references.some((reference) => reference.name === policy.name && reference.kind === policy.kind)
    ),
    bindings: documents.filter((document) =>
      document.group === located.group && document.kind === `${located.kind}Binding` &&
      asString(dig(document.document, "spec", "policyName")) === policy.name
    ),
  };
  const rules = specs.map((spec, index) => {
    const body = kind.compile(spec, {
      ...tools,
      // A generated spec repeats the problems of the one that the user wrote.
      report: ({ path, ...problem }) => {
        const position = policy.locate(path);
        if (index === 0) tell({ ...problem, policy: policy.key, ...(position && { position }) });
      },
    });
    return ruleOf(policy, { index, kind, selector: compileConstraints(kind.constraints(spec)), body });
  });
  const usable = broken === undefined ? rules : rules.map((rule) => ({ ...rule, body: brokenBody(broken!) }));
  const audited = policy.failureAction === "Audit" && !policy.emitWarning && kind.type === "validate";
  return { policy, rules: usable, matchConditions: undefined, audited, broken };

  function tell(diagnostic: Diagnostic): void {
    if (diagnostic.severity === "error") broken ??= diagnostic;
    report(diagnostic);
  }
}

function ruleOf(
  policy: Policy,
  { index, kind, selector, body }:
    & { readonly index: number; readonly kind: PolicyKind }
    & Pick<CompiledRule, "selector" | "body">,
): CompiledRule {
  return {
    rule: policy.rules[index]!,
    type: kind.type,
    kind: kind.name,
    selector,
    entries: [],
    preconditions: undefined,
    exceptions: [],
    action: () => policy.failureAction,
    body,
    needsRoles: false,
    needsNamespaceLabels: selector.needsNamespaceLabels,
  };
}

function brokenBody({ message }: Diagnostic): RuleBody {
  const outcome = error(`the policy cannot be used: ${message}`);
  return { run: () => outcome };
}
