import type { AbsentSource } from "../context/mod.ts";
import { type Diagnostic, withPosition } from "../diagnostics/mod.ts";
import { writtenRuleName } from "../policy/mod.ts";
import type { RuleResult } from "../engine/mod.ts";
import type { ApplyOptions } from "./apply.ts";
import { splitName } from "./values.ts";

/** A context entry that nothing loads here, with its diagnostic. */
interface UnloadedEntry {
  readonly name: string;
  readonly diagnostic: Diagnostic;
}

/** Context entries and the user that rules with results read and the command lacks. Each is reported once. */
export class MissingInputs {
  /** By the policy's key and the rule's name. */
  readonly #entries = new Map<string, readonly UnloadedEntry[]>();
  readonly #values: ApplyOptions["values"];

  readonly #user: ApplyOptions["user"];
  /** The rules that were reported because they need a user. */
  readonly #withoutUser = new Set<string>();

  constructor({ snapshot, values, absent, user }: ApplyOptions) {
    this.#values = values;
    this.#user = user;
    const sources = new Set<string>(absent);
    for (const { policy } of snapshot.policies) {
      if (sources.size === 0 || policy.language !== "classic") continue;
      for (const { name: rule, path, context, generatedFor } of policy.rules) {
        if (generatedFor !== undefined) continue;
        const entries = context.flatMap(({ name, kind }, index): UnloadedEntry[] => {
          if (!sources.has(kind)) return [];
          const diagnostic = withPosition({
            severity: "warning",
            code: "not-loaded",
            message:
              `Rule "${rule}" has results without its context entry "${name}": no ${kind} is loaded here`,
            hint: hints[kind as AbsentSource] ?? "give its value with --values-file or --set",
            path: [...path, "context", index],
          }, policy.locate);
          return [{ name, diagnostic }];
        });
        if (entries.length > 0) this.#entries.set(`${policy.key}/${rule}`, entries);
      }
    }
  }

  /** The entries of a rule that has a result for the object, unless values stand for them or they were reported. */
  of(policy: string, { rule, result, message }: RuleResult, object: string): readonly Diagnostic[] {
    const written = writtenRuleName(rule), key = `${policy}/${written}`;
    if (this.#user === undefined && result === "error" && readsUser(message)) {
      if (this.#withoutUser.has(key)) return [];
      this.#withoutUser.add(key);
      return [withoutUser(policy, written)];
    }
    if (this.#entries.size === 0) return [];
    const entries = this.#entries.get(key);
    if (entries === undefined) return [];
    const ofObject = [...this.#values.forResource(policy, object).keys()].map((name) => splitName(name)[0]);
    const given = new Set([...ofObject, ...Object.keys(this.#values.forRule(policy, written))]);
    const missing = entries.filter(({ name }) => !given.has(name));
    if (missing.length > 0) this.#entries.delete(key);
    return missing.map(({ diagnostic }) => diagnostic);
  }
}

/** Whether a message is the fault of an expression that reads the user of the request. */
function readsUser(message: string): boolean {
  const user = message.search(/request\.(?:userInfo|roles|clusterRoles)\b/);
  return user >= 0 && message.includes("Unknown key", user);
}

function withoutUser(policy: string, rule: string): Diagnostic {
  return {
    severity: "warning",
    code: "not-loaded",
    message: `Rule "${rule}" of policy "${policy}" reads the user of the request, and none is given`,
    hint:
      "give one with --userinfo (`postern create user-info` writes the file), or --set request.userInfo.username=NAME",
  };
}

const hints: Readonly<Partial<Record<AbsentSource, string>>> = {
  imageRegistry: "use --registry, or give its value with --values-file or --set",
  configMap: "use --cluster-objects or --cluster, or give its value with --values-file or --set",
};
