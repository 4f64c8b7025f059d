import { type CelError, type CelType, formatCelError } from "../../cel/mod.ts";
import { asString, clipped, documentPathText } from "../../json/mod.ts";
import { formatApiVersion, type GroupVersionKind } from "../../kube/mod.ts";
import { isHeavy, type Rule } from "../../policy/mod.ts";
import type { ServedResource } from "../../ports.ts";
import { type BodyOf, typeProblems } from "../../rules/mod.ts";
import { targetResources } from "../webhooks/served_kinds.ts";
import type { CheckedPolicy, CheckTools } from "./check.ts";
import { writtenRules } from "./policy_rules.ts";
import type { ReadKindType } from "./published_types.ts";

/** The most kinds with whose types a rule is checked (Kubernetes: the same of a ValidatingAdmissionPolicy). */
const mostKinds = 10;

/** Characters of a warning after which errors are left out: the API server shows some hundreds. */
const longestWarning = 1_000;

/**
 * Warnings about expressions of `validate.cel` that name fields which the matched kinds do not have, or compare them
 * with values of other types. Kyverno parity: the form of the texts; pinned by "an expression that does not fit the
 * kind gives a warning". Kyverno warns about policies with one rule alone. A heavy policy gets no warning, because its
 * expressions would be compiled again for each kind.
 */
export async function celTypeWarnings(
  { compiled }: CheckedPolicy,
  { served, types }: CheckTools,
): Promise<string[]> {
  const rules = writtenRules(compiled).flatMap((rule): Typed[] => {
    const { body } = rule;
    return body.kind === "cel" ? [{ rule, body }] : [];
  });
  if (rules.length === 0 || isHeavy(compiled.policy.document["spec"])) return [];
  const found = await types.check(async (typeOf) => {
    const warnings: string[] = [];
    for (const rule of rules) warnings.push(...await ruleWarnings(rule, served, typeOf));
    return warnings;
  });
  return found ?? [];
}

interface Typed {
  readonly rule: Rule;
  readonly body: BodyOf<"cel">;
}

async function ruleWarnings(
  { rule, body }: Typed,
  served: readonly ServedResource[],
  typeOf: ReadKindType,
): Promise<string[]> {
  const params = await parameterType(body, served, typeOf);
  const warnings = new Map<string, string>();
  for (const kind of kindsOf(rule, served)) {
    const object = await typeOf(kind);
    if (object === undefined) continue;
    for (const { path, errors } of typeProblems(body, { object, ...(params !== undefined && { params }) })) {
      const where = documentPathText([...rule.path, ...path]);
      const before = warnings.get(where);
      if (before !== undefined && before.length > longestWarning) continue;
      const text = `${kind.group}/${kind.version}, Kind=${kind.kind}: ${formatted(errors)}\n`;
      warnings.set(where, before === undefined ? text : `${before}\n${text}`);
    }
  }
  return [...warnings].map(([where, text]) => `${where}:${text.replaceAll("\n", ";")}`);
}

/** The first errors: each repeats its line, and all of them together could be longer than a text may be. */
function formatted(errors: readonly CelError[]): string {
  let text = "";
  for (const error of errors) {
    if (text.length > longestWarning) break;
    text += `${text === "" ? "" : "\n"}${formatCelError(error)}`;
  }
  return clipped(text, longestWarning);
}

/** The kinds that a rule matches as the cluster serves them, without subresources. */
function kindsOf({ match }: Rule, served: readonly ServedResource[]): GroupVersionKind[] {
  const kinds = new Map<string, GroupVersionKind>();
  for (const kind of match.filters.flatMap(({ resources }) => resources.kinds)) {
    for (const { group, version, resource } of targetResources(kind, { served, namespaced: false })) {
      const found = served.find((each) =>
        each.plural === resource && each.group === group && each.version === version
      );
      if (found !== undefined) kinds.set(`${group}/${version}/${found.kind}`, found);
    }
  }
  return [...kinds].sort(([left], [right]) => left < right ? -1 : 1).slice(0, mostKinds).map(([, kind]) =>
    kind
  );
}

async function parameterType(
  { paramKind }: BodyOf<"cel">,
  served: readonly ServedResource[],
  typeOf: ReadKindType,
): Promise<CelType | undefined> {
  const kind = asString(paramKind?.["kind"]), apiVersion = asString(paramKind?.["apiVersion"]);
  const found = served.find((each) => each.kind === kind && formatApiVersion(each) === apiVersion);
  return found && await typeOf(found);
}
