import { didYouMean } from "../diagnostics/mod.ts";
import { type RuleTrace, type Snapshot, Trace } from "../engine/mod.ts";
import { asString, dig, field, isFault, type JsonObject } from "../json/mod.ts";
import { hasRules } from "../policy/mod.ts";
import { type Explanation, explanationObject, explanationPage, explanationText } from "../report/mod.ts";
import { type ApplyOptions, applyPolicies } from "../apply/mod.ts";
import { type ApplyInputArguments, openInputs } from "./apply/inputs.ts";
import { type ClusterArguments, objectsToCheck } from "./apply/objects.ts";
import { explainReview } from "./explain_review.ts";
import { loadDocuments } from "../sources/mod.ts";
import { type Terminal, unusable } from "./terminal.ts";
import { withoutCommands } from "./workflow_commands.ts";

/** The options of `explain`. */
export interface ExplainArguments extends ApplyInputArguments, ClusterArguments {
  readonly review: readonly string[];
  /** Only this policy, by name or `namespace/name`. */
  readonly policy?: string;
  /** Only this rule, and the autogen rules that are derived from it. */
  readonly rule?: string;
  readonly outputFormat: "json" | "text" | "html";
}

/**
 * `explain POLICY… --resource PATH… --review PATH…`: prints why each rule has its result for each object or recorded
 * request, or why it has none. Exit code 0 for any result, 1 when the command could not use an input, 2 when the
 * command cannot run.
 */
export async function explain(args: ExplainArguments, terminal: Terminal): Promise<number> {
  const inputs = await openInputs(args, terminal);
  if (isFault(inputs)) return unusable(inputs.message, terminal);
  await using opened = inputs;
  const { snapshot, options, diagnostics } = opened;
  const unknown = unknownName(snapshot, args);
  if (unknown !== undefined) return unusable(unknown, terminal);
  const explanations: Explanation[] = [];
  let count = 0;
  const add = ({ rules, ...rest }: Explanation): void => {
    const explanation = { ...rest, rules: rules.filter((trace) => isWanted(trace, args)) };
    if (args.outputFormat !== "text") explanations.push(explanation);
    else terminal.out(`${count === 0 ? "" : "\n"}${withoutCommands(explanationText(explanation))}`);
    count++;
  };
  for await (const next of objectsToCheck(args, opened)) {
    if (next.kind === "problem") diagnostics.add(next.diagnostic);
    else if (next.kind === "object") {
      add(await explainObject(next.given.object, { ...options, payload: next.payload }));
    }
  }
  const reviews = await loadDocuments(args.review);
  diagnostics.add(...reviews.diagnostics);
  for (const { value, positionOf } of reviews.documents) {
    const explanation = await explainReview(value, options);
    if ("problem" in explanation) {
      const message = explanation.problem;
      diagnostics.add({ severity: "error", code: "no-review", message, position: positionOf([]) });
    } else add(explanation);
  }
  if (args.outputFormat === "json") {
    terminal.out(JSON.stringify(explanations.map(explanationObject), null, 2));
  } else if (args.outputFormat === "html") terminal.out(explanationPage(explanations));
  if (count === 0) {
    diagnostics.add({ severity: "error", code: "nothing-checked", message: "There was nothing to explain" });
  }
  return diagnostics.errors > 0 ? 1 : 0;
}

/** Applies the policies to one object, in the order of `apply`, and traces each rule. */
async function explainObject(object: JsonObject, options: ApplyOptions): Promise<Explanation> {
  const traces: Trace[] = [];
  const trace = (): Trace => {
    const made = new Trace(options.ports.clock);
    traces.push(made);
    return made;
  };
  await applyPolicies(object, { ...options, trace });
  const rules = traces.flatMap((each) => each.rules);
  if (options.payload === undefined) return { title: describe(object), rules };
  // As `apply --json`: policies with rules are about objects of Kubernetes.
  return { title: "JSON payload", rules: rules.filter(({ policy }) => !hasRules(policy.kind)) };
}

function isWanted({ policy, rule, generatedFrom }: RuleTrace, wanted: ExplainArguments): boolean {
  return (wanted.policy === undefined || wanted.policy === policy.key || wanted.policy === policy.name) &&
    (wanted.rule === undefined || wanted.rule === rule || wanted.rule === generatedFrom);
}

/** The message for a policy or rule that an option names and that does not exist. */
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

function notThere(what: string, name: string, names: readonly string[]): string {
  const meant = didYouMean(name, names);
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
