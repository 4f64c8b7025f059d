import { didYouMean } from "../diagnostics/mod.ts";
import { type RuleTrace, type Snapshot, Trace } from "../engine/mod.ts";
import { asString, dig, field, type JsonObject } from "../json/mod.ts";
import { type Explanation, explanationObject, explanationText } from "../report/mod.ts";
import { type ApplyOptions, applyPolicies } from "../apply/mod.ts";
import { type ApplySettingArguments, readApplySetting, unreadable } from "./apply_setting.ts";
import { explainReview } from "./explain_review.ts";
import type { Terminal } from "./terminal.ts";

/** The options of `explain`. */
export interface ExplainArguments extends ApplySettingArguments {
  /** Only this policy, by name or `namespace/name`. */
  readonly policy?: string;
  /** Only this rule, and those that are generated from it. */
  readonly rule?: string;
  readonly outputFormat: "json" | "text";
}

/**
 * `explain POLICY… --resource PATH… --review PATH…`: why each rule says what it says of each object or recorded request, or why it says nothing. Exit code
 * 0 whatever the rules say, 2 when something cannot be read or is not there.
 */
export async function explain(args: ExplainArguments, terminal: Terminal): Promise<number> {
  const setting = await readApplySetting(args, terminal);
  if ("problem" in setting) return unreadable(setting.problem, terminal);
  const unknown = unknownName(setting.snapshot, args);
  if (unknown !== undefined) return unreadable(unknown, terminal);
  const explanations: Explanation[] = [];
  for (const object of setting.objects) {
    const { subject, rules } = await explainObject(object, setting.options);
    explanations.push({ subject, rules: rules.filter((trace) => isAskedFor(trace, args)) });
  }
  for (const review of setting.reviews) {
    const explanation = await explainReview(review, setting.options);
    if ("problem" in explanation) return unreadable(explanation.problem, terminal);
    const rules = explanation.rules.filter((trace) => isAskedFor(trace, args));
    explanations.push({ ...explanation, rules });
  }
  if (args.outputFormat === "json") {
    terminal.out(JSON.stringify(explanations.map(explanationObject), null, 2));
  } else terminal.out(explanations.map(explanationText).join("\n\n"));
  return 0;
}

/** Applies the policies to one object, in the order of `apply`, and keeps how each rule came to what it says. */
async function explainObject(object: JsonObject, options: ApplyOptions): Promise<Explanation> {
  const traces: Trace[] = [];
  const trace = (): Trace => {
    const made = new Trace(options.ports.clock);
    traces.push(made);
    return made;
  };
  await applyPolicies(object, { ...options, trace });
  return { subject: describe(object), rules: traces.flatMap(({ rules }) => rules) };
}

function isAskedFor({ policy, rule, generatedFrom }: RuleTrace, wanted: ExplainArguments): boolean {
  return (wanted.policy === undefined || wanted.policy === policy.key || wanted.policy === policy.name) &&
    (wanted.rule === undefined || wanted.rule === rule || wanted.rule === generatedFrom);
}

/** Why a policy or rule that is asked for is not there. */
function unknownName({ policies }: Snapshot, { policy: name, rule }: ExplainArguments): string | undefined {
  const meant = policies.filter(({ policy }) =>
    name === undefined || policy.key === name || policy.name === name
  );
  if (name !== undefined && meant.length === 0) {
    return notThere(`policy "${name}"`, name, policies.map(({ policy }) => policy.key));
  }
  const rules = meant.flatMap(({ policy }) => policy.rules.map((one) => one.name));
  return rule === undefined || rules.includes(rule)
    ? undefined
    : notThere(`rule "${rule}"${name === undefined ? "" : ` in policy "${name}"`}`, rule, rules);
}

function notThere(what: string, name: string, known: readonly string[]): string {
  const meant = didYouMean(name, known);
  return `there is no ${what}${meant === undefined ? "" : `; did you mean "${meant}"?`}`;
}

function describe(object: JsonObject): string {
  const namespace = asString(dig(object, "metadata", "namespace"));
  const name = asString(dig(object, "metadata", "name")) ??
    `${asString(dig(object, "metadata", "generateName")) ?? ""}…`;
  return `${asString(field(object, "kind")) ?? "object"} ${
    namespace === undefined ? "" : `${namespace}/`
  }${name}`;
}
