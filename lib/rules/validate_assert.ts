import { field, isFault, type Json, textField } from "../json/mod.ts";
import { Bindings } from "../jmespath/mod.ts";
import type { Rule } from "../policy/mod.ts";
import { compileRuleAssertion, standardCompilers } from "./assertion/mod.ts";
import { error, fail, pass } from "./outcome.ts";
import type { CompiledBody, RuleInput, RuleTools } from "./rule_kind.ts";

/** An assertion tree over the request. */
export interface AssertBody {
  readonly kind: "assert";
  readonly tree: Json;
}

/**
 * Compiles a rule of `validate.assert`. Its context entries are bindings, loaded when a tree reads them. Several
 * violated leaves are one failure, whose message lists them all.
 */
export function compileAssertRule({ tree }: AssertBody, tools: RuleTools): CompiledBody {
  const { rule } = tools;
  // The tree's expressions may name `admissionInfo` in several languages. A text that only looks like it costs one
  // load.
  if (JSON.stringify(tree).includes("admissionInfo")) tools.need({ kind: "roles" });
  const { problems, check } = compileRuleAssertion(tree, standardCompilers());
  for (const problem of problems) tools.report({ ...problem, path: ["validate", ...problem.path] });
  const passed = pass(`Validation rule '${rule.name}' passed.`);
  return {
    run(input) {
      const { environment } = input.context;
      const texts = check(payloadOf(input), { bindings: bindingsOf(rule, input), environment });
      if (isFault(texts)) return error(texts.message);
      return texts.length === 0 ? passed : fail(texts.join("; "));
    },
  };
}

/** Kyverno parity: an object that is not there is empty, not null. Pinned by "an absent object is empty". */
function payloadOf(
  { resource, oldResource, operation, request, group, version, kind, context }: RuleInput,
): Json {
  const variable = context.get("request");
  const requestValue: Json | undefined = isFault(variable) ? undefined : variable;
  return {
    object: resource ?? {},
    oldObject: oldResource ?? {},
    operation,
    admissionOperation: true,
    admissionInfo: {
      roles: field(requestValue, "roles") ?? [],
      clusterRoles: field(requestValue, "clusterRoles") ?? [],
      userInfo: field(requestValue, "userInfo") ?? {},
    },
    requestResource: field(request, "resource") ?? {},
    resourceKind: { group, version, kind, subResource: textField(request, "subResource") },
  };
}

function bindingsOf({ context: entries }: Rule, { context }: RuleInput): Bindings {
  let bindings: Bindings = Bindings.none;
  for (const name of new Set(entries.map((entry) => entry.name))) {
    bindings = bindings.withLazy(name, () => context.get(name) ?? null);
  }
  return bindings;
}
