import { celExceptionProblems, compile, exceptionProblems, type Snapshot } from "../engine/mod.ts";
import { type Diagnostic, formatDiagnostic, type Position, withPosition } from "../diagnostics/mod.ts";
import { openList } from "../apply/mod.ts";
import type { Dialect } from "../match/mod.ts";
import {
  admissionPolicyProblems,
  authorNotes,
  idleParts,
  metadataRefusals,
  missingFields,
  refusals,
} from "../documents/mod.ts";
import { isCelException } from "../policy/mod.ts";
import { policyDocuments } from "../sources/mod.ts";
import { counted } from "./counted.ts";
import { unevaluatedPolicies } from "./diagnostics.ts";
import { strayExceptions } from "./lint_exceptions.ts";
import type { Terminal } from "./terminal.ts";
import { unusableSigners } from "./unusable_signers.ts";
import { withoutCommands } from "./workflow_commands.ts";

/**
 * `lint PATH…`: prints the problems of policies, also those for which the API server would reject a
 * ValidatingAdmissionPolicy. Exit code 1 when a problem is an error, and when there is nothing to check.
 */
export async function lint(
  paths: readonly string[],
  { dialect }: { dialect: Dialect },
  terminal: Terminal,
): Promise<number> {
  const { documents, diagnostics } = await policyDocuments(paths);
  const snapshot = compile(documents, { dialect });
  const all = [...diagnostics, ...await problemsOf(snapshot, dialect)];
  if (documents.every(({ value }) => openList(value).length === 0) && !all.some(isError)) {
    const message = `${paths.join(", ")}: there are no policies`;
    all.push({ severity: "error", code: "no-policies", message });
  }
  for (const diagnostic of inFileOrder(all)) terminal.out(withoutCommands(formatDiagnostic(diagnostic)));
  const errors = all.filter(isError).length;
  const policies = snapshot.policies.length + snapshot.jsonPolicies.length;
  terminal.err(
    [
      counted(policies, "policy", "policies"),
      counted(errors, "error"),
      counted(all.length - errors, "other remark"),
    ].join(", "),
  );
  return errors > 0 ? 1 : 0;
}

/** The problems of policies, of exceptions, and of what the API server would refuse. */
async function problemsOf(snapshot: Snapshot, dialect: Dialect): Promise<Diagnostic[]> {
  const { policies, others, exceptions } = snapshot;
  const refused = policies.flatMap(({ policy }) => [
    ...metadataRefusals(policy),
    ...(policy.language === "classic" ? refusals(policy) : missingFields(policy)),
  ]);
  return [
    ...snapshot.diagnostics.filter((each) => isError(each) || !refused.some(isAbout(each.position)))
      .map(asRefused),
    ...refused,
    ...await unusableSigners(snapshot),
    ...unevaluatedPolicies(snapshot),
    ...policies.flatMap(({ policy }) =>
      policy.language === "classic" ? authorNotes(policy) : idleParts(policy)
    ),
    ...others.flatMap(admissionPolicyProblems),
    ...strayExceptions(snapshot),
    ...exceptions.flatMap(({ document, locate }) =>
      exceptionProblems(document).map((problem) => withPosition(problem, locate))
    ),
    ...others.filter(isCelException).flatMap(({ document, locate }) =>
      celExceptionProblems(document, { dialect }).map((problem) => withPosition(problem, locate))
    ),
  ];
}

/** Diagnostics of a file one after the other, from its top to its end. */
function inFileOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const files = [...new Set(diagnostics.map(({ position }) => position?.file))];
  return diagnostics.toSorted(({ position: one }, { position: other }) =>
    files.indexOf(one?.file) - files.indexOf(other?.file) ||
    (one?.line ?? 0) - (other?.line ?? 0) || (one?.column ?? 0) - (other?.column ?? 0)
  );
}

/** The API server would refuse the policy, which can still be evaluated: an error for an author who will store it. */
function asRefused(problem: Diagnostic): Diagnostic {
  return problem.code === "refused-by-api-server" ? { ...problem, severity: "error" } : problem;
}

/** Whether a problem is at a position: a refused part of a policy needs no warning beside it. */
function isAbout(other: Position | undefined): (problem: Diagnostic) => boolean {
  return ({ position }) =>
    position !== undefined && position.file === other?.file && position.line === other.line &&
    position.column === other.column;
}

function isError({ severity }: Diagnostic): boolean {
  return severity === "error";
}
