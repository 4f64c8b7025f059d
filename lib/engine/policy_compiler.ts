import { type Diagnostic, mostSerious } from "../diagnostics/mod.ts";
import { completed, groupByKeys, type Stages } from "../json/mod.ts";
import type { Dialect } from "../match/mod.ts";
import {
  type BudgetedDocuments,
  type CelException,
  type ClassicPolicy,
  type LocatedDocument,
  parseCelException,
  type PolicyBudget,
  type PolicyException,
} from "../policy/mod.ts";
import { CompiledConditions, type RuleBody } from "../rules/mod.ts";
import { policySet, readDocument, type ReadObject } from "../documents/mod.ts";
import type { YamlDocument } from "../yaml/mod.ts";
import { CompiledExceptions } from "./compiled_exceptions.ts";
import { CompiledForms, type Report, type Shortened } from "./compiled_forms.ts";
import type { CompiledPolicy } from "./compiled.ts";
import { celPolicies, type CelPolicyInput, compileCelPolicy } from "./compile_cel_policies.ts";
import { type RefusedPolicies, refusedWarningCodes } from "./kyverno_refusals.ts";
import { compilePolicy } from "./compile_policy.ts";
import { type CompiledJsonPolicy, compileJsonPolicy, isJsonPolicy } from "./json_policies.ts";
import { PreparedPolicies } from "./plan/prepared_policies.ts";
import { type Snapshot, snapshotOf } from "./snapshot.ts";

/** The options of compiling policies. */
export interface CompileOptions {
  /** `classic`, the default, follows Kyverno's documentation; `current` follows Kyverno 1.19. */
  readonly dialect?: Dialect;
  /**
   * Whether ValidatingAdmissionPolicies and MutatingAdmissionPolicies are also evaluated at admission (`served`). By
   * default the API server enforces them, and only the command line evaluates them.
   */
  readonly admissionPolicies?: "leftToApiServer" | "served";
  /** Whether every failurePolicy counts as Ignore, so that requests are admitted when evaluation fails. */
  readonly ignoreFailures?: boolean;
  /**
   * Whether policies that can be read, but that Kyverno refuses to store and to apply, are evaluated (the default), or
   * broken (`refused`), so that their failurePolicy answers the requests that they match.
   */
  readonly refusedByKyverno?: RefusedPolicies;
  /** The memory for all documents together; what does not fit is left out, and its requests are denied. */
  readonly budget?: PolicyBudget;
}

/**
 * The options with which commands compile policies. In the dialect `current` they refuse the policies that Kyverno
 * refuses. In the dialect `classic` they evaluate them, because Kyverno's documentation has examples of such policies,
 * for instance of some that read users in background scans.
 */
export function commandOptions({ dialect }: { readonly dialect: Dialect }): CompileOptions {
  return { dialect, refusedByKyverno: dialect === "current" ? "refused" : "evaluated" };
}

/**
 * Compiles policy documents into a snapshot. It never throws for a bad policy: problems are diagnostics, and a rule
 * that cannot run answers the requests that it matches as its policy's failurePolicy says.
 */
export function compile(documents: readonly YamlDocument[], options: CompileOptions = {}): Snapshot {
  return new PolicyCompiler(options).compile(documents);
}

/**
 * Compiles policies repeatedly as they change. A policy keeps its compiled form as long as its document is the same
 * JavaScript object and no exception for it or binding of it is added, changed or removed. Documents that are no
 * longer given are dropped.
 */
export class PolicyCompiler {
  readonly #dialect: Dialect;
  readonly #admissionPolicies: "leftToApiServer" | "served";
  readonly #ignoreFailures: boolean;
  readonly #refusedByKyverno: RefusedPolicies;
  readonly #budget: PolicyBudget | undefined;
  readonly #read = new WeakMap<YamlDocument, readonly ReadObject[]>();
  readonly #celExceptions = new WeakMap<LocatedDocument, CelException>();
  readonly #classic: CompiledForms<ClassicPolicy<RuleBody>, CompiledPolicy>;
  readonly #cel: CompiledForms<LocatedDocument, CompiledPolicy>;
  readonly #json: CompiledForms<LocatedDocument, CompiledJsonPolicy>;
  readonly #shortened: Shortened;
  readonly #conditions = new CompiledConditions();
  readonly #exceptions = new CompiledExceptions();
  readonly #prepared: PreparedPolicies;
  /** Values that policies share, by the function that made them. */
  readonly #shared = new WeakMap<() => unknown, unknown>();
  readonly #once = <T>(make: () => T): T => remembered(this.#shared as WeakMap<() => T, T>, make, make);

  constructor(
    { dialect, admissionPolicies, ignoreFailures, refusedByKyverno, budget }: CompileOptions = {},
  ) {
    this.#refusedByKyverno = refusedByKyverno ?? "evaluated";
    this.#budget = budget;
    this.#prepared = new PreparedPolicies(budget?.preparedBytes);
    this.#dialect = dialect ?? "classic";
    this.#admissionPolicies = admissionPolicies ?? "leftToApiServer";
    this.#ignoreFailures = ignoreFailures === true;
    this.#shortened = budget === undefined ? (all) => all : (all) => mostSerious(all, mostProblems);
    this.#classic = new CompiledForms(this.#shortened);
    this.#cel = new CompiledForms(this.#shortened);
    this.#json = new CompiledForms(this.#shortened);
  }

  /** The snapshot of all documents; see {@link compile}. */
  compile(documents: readonly YamlDocument[]): Snapshot {
    return completed(this.stages(documents));
  }

  /**
   * The same in stages, so that requests are answered between them: each reads a document, compiles a rule, or adds a
   * policy to the snapshot. Run all stages of one snapshot before those of the next.
   */
  *stages(documents: readonly YamlDocument[]): Stages<Snapshot> {
    for (const { value } of documents) {
      this.#budget?.weights.of(value);
      yield;
    }
    const all = { documents, diagnostics: [], leftOut: [] };
    return yield* this.#compile(this.#budget?.fit(documents, this.#ignoreFailures ? "admit" : "deny") ?? all);
  }

  *#compile({ documents, diagnostics: unfit, leftOut }: BudgetedDocuments): Stages<Snapshot> {
    const objects: ReadObject[] = [];
    for (const document of documents) {
      const read = remembered(this.#read, document, () => this.#readShortened(document));
      for (const each of read) objects.push(each);
      yield;
    }
    const { policies, exceptions, others, diagnostics: read, broken } = policySet(
      objects,
      this.#refusedByKyverno === "refused" ? refusedWarningCodes : undefined,
    );
    const diagnostics: Diagnostic[] = [...unfit, ...read];
    const report: Report = (diagnostic) => void diagnostics.push(diagnostic);
    const byPolicy = exceptionsByPolicy(exceptions);
    const classic: CompiledPolicy[] = [];
    for (const policy of policies) {
      const concerned = byPolicy.get(policy.key) ?? none, problem = broken.get(policy.key);
      classic.push(
        yield* this.#classic.get(
          policy,
          { dependencies: concerned, report },
          (report) => this.#compileClassic(policy, { exceptions: concerned, broken: problem, report }),
        ),
      );
      yield;
    }
    return yield* snapshotOf({
      written: [...classic, ...yield* this.#celPolicies(others, report)],
      others,
      exceptions,
      jsonPolicies: yield* this.#jsonPolicies(others, report),
      diagnostics,
      leftOut,
      dialect: this.#dialect,
      prepared: this.#prepared,
    });
  }

  *#compileClassic(
    policy: ClassicPolicy<RuleBody>,
    { exceptions, ...options }: {
      readonly exceptions: readonly PolicyException[];
      readonly broken: Diagnostic | undefined;
      readonly report: Report;
    },
  ): Stages<CompiledPolicy> {
    const compiled = yield* compilePolicy(policy, {
      ...options,
      exceptions: this.#exceptions.forPolicy(policy.key, exceptions),
      dialect: this.#dialect,
      refusedByKyverno: this.#refusedByKyverno,
      conditions: this.#conditions,
    });
    return this.#withFailurePolicy(compiled);
  }

  #readShortened(document: YamlDocument): readonly ReadObject[] {
    return readDocument(document).map((read) => ({
      ...read,
      diagnostics: this.#shortened(read.diagnostics),
    }));
  }

  *#celPolicies(others: readonly LocatedDocument[], report: Report): Stages<CompiledPolicy[]> {
    const exceptionOf = (document: LocatedDocument): CelException =>
      remembered(this.#celExceptions, document, parseCelException);
    const compiled: CompiledPolicy[] = [];
    for (const input of celPolicies(others, exceptionOf)) {
      const dependencies = [...input.exceptions, ...input.bindings];
      compiled.push(
        yield* this.#cel.get(
          input.document,
          { dependencies, report },
          (report) => this.#compileCel(input, report),
        ),
      );
      yield;
    }
    return compiled;
  }

  *#compileCel(input: CelPolicyInput, report: Report): Stages<CompiledPolicy> {
    const compiled = yield* compileCelPolicy(input, {
      admissionPolicies: this.#admissionPolicies,
      refusedByKyverno: this.#refusedByKyverno,
      once: this.#once,
      report,
    });
    return this.#withFailurePolicy(compiled);
  }

  *#jsonPolicies(others: readonly LocatedDocument[], report: Report): Stages<CompiledJsonPolicy[]> {
    const compiled: CompiledJsonPolicy[] = [];
    for (const document of others.filter(isJsonPolicy)) {
      compiled.push(
        yield* this.#json.get(document, { dependencies: none, report }, function* (report) {
          yield;
          return compileJsonPolicy(document, report);
        }),
      );
    }
    return compiled;
  }

  /** The policy with the failurePolicy that the options demand. */
  #withFailurePolicy(compiled: CompiledPolicy): CompiledPolicy {
    return this.#ignoreFailures
      ? { ...compiled, policy: { ...compiled.policy, failurePolicy: "Ignore" } }
      : compiled;
  }
}

/** The problems of a document that are kept where policies have a budget: a problem takes half a kilobyte or more. */
const mostProblems = 5;

const none: readonly never[] = [];

function remembered<Key extends object, Value>(
  values: WeakMap<Key, Value>,
  key: Key,
  make: (key: Key) => Value,
): Value {
  const found = values.get(key);
  if (found !== undefined) return found;
  const made = make(key);
  values.set(key, made);
  return made;
}

/** Exceptions by the key of the policy that they name. */
function exceptionsByPolicy(
  exceptions: readonly PolicyException[],
): ReadonlyMap<string, readonly PolicyException[]> {
  return groupByKeys(exceptions, ({ targets }) => targets.map(({ policyName }) => policyName));
}
