import { Fault, isFault, type JsonObject } from "../../json/mod.ts";
import { type Terminal, unusable } from "../terminal.ts";
import { type OutputArguments, writeObject } from "./write_object.ts";

/** The options of `create values`. */
export interface CreateValuesArguments extends OutputArguments {
  readonly nsSelector: readonly string[];
  readonly global: readonly string[];
  readonly rule: readonly string[];
  readonly resource: readonly string[];
}

/** `create values`: writes global values, values of rules and objects, and labels of namespaces. */
export async function createValues(args: CreateValuesArguments, terminal: Terminal): Promise<number> {
  const globals = pairs(args.global);
  if (isFault(globals)) return unusable(`--global: ${globals.message}`, terminal);
  const namespaceSelector: JsonObject[] = [];
  for (const text of args.nsSelector) {
    const [name = "", ...labels] = text.split(",");
    const read = pairs(labels);
    if (isFault(read)) return unusable(`--ns-selector ${text}: ${read.message}`, terminal);
    namespaceSelector.push({ name, labels: read });
  }
  const policies = new Map<string, { rules: JsonObject[]; resources: JsonObject[] }>();
  for (const part of ["rule", "resource"] as const) {
    for (const text of args[part]) {
      const [policy = "", name, ...values] = text.split(",");
      const read = pairs(values);
      if (name === undefined || isFault(read)) {
        return unusable(`--${part} ${text}: write it as policy,${part},name=value`, terminal);
      }
      const entry = policies.get(policy) ?? { rules: [], resources: [] };
      policies.set(policy, entry);
      entry[part === "rule" ? "rules" : "resources"].push({ name, values: read });
    }
  }
  return await writeObject(
    {
      apiVersion: "cli.kyverno.io/v1alpha1",
      kind: "Values",
      ...(Object.keys(globals).length > 0 && { globalValues: globals }),
      ...(policies.size > 0 && {
        policies: [...policies].map(([name, { rules, resources }]): JsonObject => ({
          name,
          ...(rules.length > 0 && { rules }),
          ...(resources.length > 0 && { resources }),
        })),
      }),
      ...(namespaceSelector.length > 0 && { namespaceSelector }),
    },
    args,
    terminal,
  );
}

function pairs(texts: readonly string[]): JsonObject | Fault {
  const entries: [string, string][] = [];
  for (const text of texts) {
    const at = text.indexOf("=");
    if (at <= 0) return new Fault(`"${text}": write it as name=value`);
    entries.push([text.slice(0, at).trim(), text.slice(at + 1).trim()]);
  }
  return Object.fromEntries(entries);
}
