import { Fault, isFault, type Json, type JsonObject } from "../../json/mod.ts";
import { type Terminal, unusable } from "../terminal.ts";
import { type OutputArguments, writeObject } from "./write_object.ts";

/** The options of `create exception`. */
export interface CreateExceptionArguments extends OutputArguments {
  readonly namespace: string;
  readonly background: boolean;
  readonly policyRules: readonly string[];
  readonly any: readonly string[];
  readonly all: readonly string[];
}

/** `create exception NAME`: writes an exception for rules and objects. */
export async function createException(
  name: string,
  args: CreateExceptionArguments,
  terminal: Terminal,
): Promise<number> {
  if (args.policyRules.length === 0) return unusable("--policy-rules is missing: policy,rule…", terminal);
  const match: { [form: string]: Json } = {};
  for (const form of ["any", "all"] as const) {
    const filters: JsonObject[] = [];
    for (const text of args[form]) {
      const filter = filterOf(text);
      if (isFault(filter)) return unusable(`--${form} ${text}: ${filter.message}`, terminal);
      filters.push(filter);
    }
    if (filters.length > 0) match[form] = filters;
  }
  if (Object.keys(match).length === 0) {
    return unusable(
      "name the objects with --any or --all: an exception without match exempts nothing",
      terminal,
    );
  }
  return await writeObject(
    {
      apiVersion: "kyverno.io/v2",
      kind: "PolicyException",
      metadata: { name, namespace: args.namespace },
      spec: {
        background: args.background,
        match,
        exceptions: args.policyRules.map((text) => {
          const [policyName = "", ...rules] = text.split(",");
          return { policyName, ruleNames: rules.length === 0 ? ["*"] : rules };
        }),
      },
    },
    args,
    terminal,
  );
}

const filterParts: Readonly<Record<string, string>> = {
  kind: "kinds",
  name: "names",
  namespace: "namespaces",
  operation: "operations",
};

/** Reads `kind=Pod,name=web-*` as a filter of resources. A key may repeat, and may have a plural `s`. */
function filterOf(text: string): JsonObject | Fault {
  const resources: { [part: string]: string[] } = {};
  for (const part of text.split(",")) {
    const [key = "", ...value] = part.split("=");
    const plural = filterParts[key.trim().replace(/s$/, "")];
    if (plural === undefined || value.length === 0) {
      return new Fault(
        `"${part}" is none of ${Object.keys(filterParts).map((each) => `${each}=`).join(", ")}`,
      );
    }
    resources[plural] = [...resources[plural] ?? [], value.join("=").trim()];
  }
  return { resources };
}
