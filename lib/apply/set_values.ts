import type { Diagnostic } from "../diagnostics/mod.ts";
import type { Json } from "../json/mod.ts";
import { operationName, type Values } from "./values.ts";

/** The values with those of the command line, with a warning for each of these that does not count. */
export interface CompletedValues {
  readonly values: Values;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * The values with those of `--set name=value` added, for every policy and object. Kyverno parity: a value is a text; a
 * setting without a name or value does not count, nor a second one of a name, nor a part of the object. Pinned by "a
 * value of --set is text" and tests/cli/set_test.ts.
 */
export function withSetValues(values: Values, settings: readonly string[]): CompletedValues {
  if (settings.length === 0) return { values, diagnostics: [] };
  const set = new Map<string, Json>();
  const diagnostics: Diagnostic[] = [];
  for (const setting of settings) {
    const at = setting.indexOf("=");
    const name = setting.slice(0, Math.max(0, at)).trim(), value = setting.slice(at + 1).trim();
    const problem = settingProblem({ name, value }, set);
    if (problem === undefined) set.set(name, value);
    else diagnostics.push({ severity: "warning", code: "ignored-value", ...problem(setting) });
  }
  return {
    values: {
      ...values,
      givesOperation: (policy) => set.has(operationName) || values.givesOperation(policy),
      forResource: (policy, resource) => new Map([...values.forResource(policy, resource), ...set]),
    },
    diagnostics,
  };
}

type SettingProblem = (setting: string) => Pick<Diagnostic, "message" | "hint">;

function settingProblem(
  { name, value }: { readonly name: string; readonly value: string },
  set: ReadonlyMap<string, Json>,
): SettingProblem | undefined {
  const says = (message: string, hint: string): SettingProblem => (setting) => ({
    message: `--set ${setting} does not count: ${message}`,
    hint,
  });
  if (name === "") return says("it has no name", "write it as name=value");
  if (value === "") {
    return says("it has no value", "write it as name=value; --values-file can give an empty text");
  }
  if (name === "request" || name === "request.object" || name.includes("request.object.")) {
    return says("the object comes from its file", "change the file, or give the part with --values-file");
  }
  return set.has(name) ? says(`${name} is set before`, "set each name once") : undefined;
}
