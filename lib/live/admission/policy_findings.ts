import { type CompiledPolicy, type CompileOptions, PolicyCompiler } from "../../engine/mod.ts";
import type { Diagnostic } from "../../diagnostics/mod.ts";
import { refusals, refusedWarningCodes } from "../../documents/mod.ts";
import { documentPathText, type JsonObject } from "../../json/mod.ts";
import { inSlices } from "../../slices.ts";
import type { Scheduler } from "../../ports.ts";
import { objectDocument } from "../object_document.ts";
import { authorWarnings } from "./author_warnings.ts";
import { celChecks } from "./cel_checks.ts";
import type { CheckedObject, Findings } from "./check.ts";
import { checkTools, type ReviewTools } from "./check_tools.ts";
import { classicChecks } from "./classic_checks.ts";

/** The options of {@link policyFindings}. */
export interface PolicyFindingsOptions extends ReviewTools {
  readonly compiling: CompileOptions;
  /** Lets other requests have their turns while the policy is compiled; without it they wait. */
  readonly scheduler?: Scheduler | undefined;
}

/** Compiles and checks a policy: the errors for which it is not stored, and the warnings for its author. */
export async function policyFindings(
  checked: CheckedObject,
  options: PolicyFindingsOptions,
): Promise<Findings> {
  const found = await compiledOf(checked.object, options);
  const classic = found.compiled?.policy;
  const refused = classic?.language === "classic" ? refusals(classic) : [];
  const problems = found.diagnostics.filter(({ severity, code }) =>
    severity === "error" || refusedCodes.has(code)
  );
  if (problems.length > 0 || refused.length > 0) {
    // One spelling in several conditions of a rule is said once.
    const said = new Set([
      ...problems.map(worded),
      ...refused.map((each) => `${documentPathText(each.path)}: ${worded(each)}`),
    ]);
    return { errors: [...said], warnings: [] };
  }
  if (found.compiled === undefined) return { errors: [], warnings: [] };
  const former = checked.former && (await compiledOf(checked.former, options)).compiled;
  const policy = { ...checked, compiled: found.compiled, formerCompiled: former };
  const tools = await checkTools(options);
  const checks = found.compiled.policy.language === "classic" ? classicChecks : celChecks;
  const wrong: string[] = [];
  for (const check of checks) wrong.push(...await check(policy, tools));
  const warnings = found.diagnostics.filter(({ severity, code }) =>
    severity === "warning" || code === "deprecated-operator"
  ).map(hinted);
  if (found.compiled.policy.language === "classic") {
    for (const check of authorWarnings) warnings.push(...await check(policy, tools));
  }
  return { errors: wrong, warnings };
}

/** Problems for which a policy is not stored, although it can be used as it is written: Kyverno refuses them. */
const refusedCodes: ReadonlySet<string> = new Set([
  ...refusedWarningCodes,
  "bad-expression",
  "refused-by-api-server",
]);

/**
 * The beginnings of Kyverno's messages for some problems. Users and scripts look for them
 * (`tests/live/admission_test.ts`).
 */
const preambles: Readonly<Record<string, string>> = {
  "background-variable": "invalid variable used: ",
  "unknown-operator": "entered value of `operator` is invalid: ",
};

function worded({ code, message, rule, hint }: Diagnostic): string {
  const text = `${preambles[code] ?? ""}${message}`;
  return `${rule === undefined ? "" : `rule ${rule}: `}${text}${hint === undefined ? "" : ` (${hint})`}`;
}

function hinted({ message, hint }: Diagnostic): string {
  return hint === undefined ? message : `${message}: ${hint}`;
}

async function compiledOf(
  object: JsonObject,
  { compiling, scheduler }: PolicyFindingsOptions,
): Promise<{ compiled: CompiledPolicy | undefined; diagnostics: readonly Diagnostic[] }> {
  const stages = new PolicyCompiler(compiling).stages([objectDocument(object)]);
  const { policies, diagnostics } = await inSlices(stages, scheduler);
  return { compiled: policies[0], diagnostics };
}
