import { type Diagnostic, withPosition } from "../diagnostics/mod.ts";
import { compile, type CompileOptions, nobody, type RuleResult, type Snapshot } from "../engine/mod.ts";
import { asTextMap, dig, type JsonObject } from "../json/mod.ts";
import { nameOf } from "../kube/mod.ts";
import { cleanupValidation, type LocatedDocument } from "../policy/mod.ts";
import type { ReportedResult } from "../report/mod.ts";
import { plainDocument } from "../yaml/mod.ts";
import { type DecideOptions, decideStep } from "./decide.ts";
import { noValues } from "./values.ts";

/** Whether a kind is `CleanupPolicy` or `ClusterCleanupPolicy` of kyverno.io. */
export function isCleanupKind(kind: string): boolean {
  return kind === "CleanupPolicy" || kind === "ClusterCleanupPolicy";
}

/** A cleanup policy, compiled as a validation that fails for the objects that it deletes. */
interface CompiledCleanup {
  readonly located: LocatedDocument;
  readonly snapshot: Snapshot;
}

/** The cleanup policies of a command, which shows the objects that they would delete. */
export class Cleanups {
  readonly #policies: readonly CompiledCleanup[];

  constructor({ others }: Pick<Snapshot, "others">, compiling: CompileOptions) {
    this.#policies = others.filter(({ kind }) => isCleanupKind(kind)).map((located) => ({
      located,
      // It is no ClusterPolicy that Kyverno would check, and refuse for its variables or kinds.
      snapshot: compile([plainDocument(cleanupValidation(located.document), "")], {
        ...compiling,
        refusedByKyverno: "evaluated",
      }),
    }));
  }

  /** The number of policies. */
  get count(): number {
    return this.#policies.length;
  }

  /** The policies as snapshots, which say the kinds of their objects. */
  get snapshots(): readonly Snapshot[] {
    return this.#policies.map(({ snapshot }) => snapshot);
  }

  /** The mistakes in the policies. Positions are those of the policies, because a validation has other fields. */
  get diagnostics(): readonly Diagnostic[] {
    return this.#policies.flatMap(({ located, snapshot }) =>
      snapshot.diagnostics.map(({ severity, code, message, hint }) =>
        withPosition({
          severity,
          code,
          message,
          ...(hint !== undefined && { hint }),
          policy: nameOf(located.document),
          path: ["spec"],
        }, located.locate)
      )
    );
  }

  /**
   * The result of each policy for an object. Kyverno parity: an object that would be deleted passes, and every other
   * one fails, whatever its kind. Pinned by tests/apply/cleanups_test.ts.
   */
  async results(resource: JsonObject, options: Omit<DecideOptions, "snapshot">): Promise<ReportedResult[]> {
    const { namespaceLabels, namespaces } = options.values;
    // Kyverno parity: values give a cleanup the labels of namespaces alone. Pinned by tests/apply/cleanups_test.ts.
    const values = { ...noValues, namespaceLabels, namespaces };
    const user = { requester: nobody, userInfo: {} };
    const results: ReportedResult[] = [];
    for (const { located: { kind, document }, snapshot } of this.#policies) {
      const [compiled] = snapshot.written;
      if (compiled === undefined) continue;
      const { policy } = compiled;
      const step = { phase: "validate", policy: policy.key, kind: policy.kind } as const;
      const decision = await decideStep(resource, step, { ...options, values, user, snapshot });
      const [found] = decision.results.flatMap(({ rules }) => rules);
      results.push({
        policy: {
          ...policy,
          kind,
          annotations: asTextMap(dig(document, "metadata", "annotations")),
          // Neither admission nor scans evaluate it.
          admission: false,
          background: false,
        },
        resource,
        rules: [deletion(found, nameOf(document))],
      });
    }
    return results;
  }
}

/** The result of a cleanup for the result of its validation, which has none for an object that it does not match. */
function deletion(found: RuleResult | undefined, rule: string): RuleResult {
  const identity = { rule, type: "validate", action: "Enforce" } as const;
  if (found?.result === "error") {
    return {
      ...found,
      ...identity,
      message: found.message.replace(/^failed to check deny conditions: /, ""),
    };
  }
  return found?.result === "fail"
    ? { ...identity, result: "pass", message: "resource matched" }
    : { ...identity, result: "fail", message: "resource did not match" };
}
