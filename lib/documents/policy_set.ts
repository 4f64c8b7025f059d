import { type Diagnostic, type DiagnosticCode, withPosition } from "../diagnostics/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import type { ClassicPolicy, LocatedDocument, PolicyException } from "../policy/mod.ts";
import type { RuleBody } from "../rules/mod.ts";
import { readDocument, type ReadObject } from "./read_document.ts";

/** The contents of a set of policy files. */
export interface PolicySet {
  readonly policies: readonly ClassicPolicy<RuleBody>[];
  readonly exceptions: readonly PolicyException[];
  /** CEL policies, their bindings and exceptions, and JSON policies, which other modules parse. */
  readonly others: readonly LocatedDocument[];
  readonly diagnostics: readonly Diagnostic[];
  /** Policies (by key) with at least one error among their diagnostics. */
  readonly broken: ReadonlyMap<string, Diagnostic>;
}

/** Sorts documents into policies, exceptions and others. It opens lists, and reports unknown kinds. */
export function readPolicies(documents: readonly YamlDocument[]): PolicySet {
  return policySet(documents.flatMap(readDocument));
}

/**
 * The same for parsed objects. Of policies with one name the first counts. A policy is also broken by a problem with
 * one of the codes in `breaking`, whatever its severity.
 */
export function policySet(
  objects: readonly ReadObject[],
  breaking?: ReadonlySet<DiagnosticCode>,
): PolicySet {
  const policies: ClassicPolicy<RuleBody>[] = [];
  const exceptions: PolicyException[] = [];
  const others: LocatedDocument[] = [];
  const diagnostics: Diagnostic[] = [];
  const broken = new Map<string, Diagnostic>();
  const taken = new Set<string>();
  for (const { holds, diagnostics: found } of objects) {
    if (holds?.form === "policy") {
      const { policy } = holds;
      const name = `${policy.kind} ${policy.key}`;
      if (taken.has(name)) {
        diagnostics.push(duplicate(policy));
        continue;
      }
      taken.add(name);
      policies.push(policy);
      const error = found.find(({ severity, code }) => severity === "error" || breaking?.has(code));
      if (error !== undefined && !broken.has(policy.key)) broken.set(policy.key, error);
    } else if (holds?.form === "exception") exceptions.push(holds.exception);
    else if (holds?.form === "other") others.push(holds.located);
    diagnostics.push(...found);
  }
  return { policies, exceptions, others, diagnostics, broken };
}

function duplicate({ key, locate }: ClassicPolicy): Diagnostic {
  const message = `Policy "${key}" is defined twice; the first one is used`;
  return withPosition(
    { severity: "error", code: "duplicate-policy", message, path: ["metadata", "name"] },
    locate,
  );
}
