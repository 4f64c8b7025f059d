import { fileProblem } from "../diagnostics/mod.ts";
import { Fault, isFault, type Json, type JsonObject } from "../json/mod.ts";
import { toYaml } from "../yaml/mod.ts";
import { createRecordedTest } from "./create_recorded_test.ts";
import { type Terminal, unusable } from "./terminal.ts";

/** The option that names the file to write. */
interface Written {
  readonly output?: string;
}

/** The options of `create test`. */
export interface CreateTestArguments extends Written {
  readonly name: string;
  readonly policy: readonly string[];
  readonly resource: readonly string[];
  readonly values?: string;
  readonly pass: readonly string[];
  readonly fail: readonly string[];
  readonly skip: readonly string[];
  readonly review: readonly string[];
}

/** `create test`: writes a test of expected results, or of recorded reviews. */
export async function createTest(args: CreateTestArguments, terminal: Terminal): Promise<number> {
  if (args.review.length > 0) return await createRecordedTest(args, terminal);
  const results: JsonObject[] = [];
  for (const result of ["pass", "fail", "skip"] as const) {
    for (const text of args[result]) {
      const expected = expectation(text, result);
      if (isFault(expected)) return unusable(`--${result} ${text}: ${expected.message}`, terminal);
      results.push(expected);
    }
  }
  return await print({
    apiVersion: "cli.kyverno.io/v1alpha1",
    kind: "Test",
    metadata: { name: args.name },
    policies: args.policy,
    resources: args.resource,
    ...(args.values !== undefined && { variables: args.values }),
    results,
  }, { args, terminal });
}

/** `policy,rule,resource`, then perhaps namespace, kind and the file of the patched object. */
function expectation(text: string, result: string): JsonObject | Fault {
  const parts = text.split(",");
  if (parts.length < 3 || parts.length > 6) {
    return new Fault("write it as policy,rule,resource[,namespace][,kind]");
  }
  const [policy = "", rule = "", resource = "", ...rest] = parts;
  const [namespace, kind, patched] = rest.length === 1 ? [undefined, rest[0], undefined] : rest;
  return {
    policy,
    ...(rule !== "" && { rule }),
    resources: [namespace ? `${namespace}/${resource}` : resource],
    ...(kind && { kind }),
    ...(patched && { patchedResources: patched }),
    result,
  };
}

/** The options of `create values`. */
export interface CreateValuesArguments extends Written {
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
  return await print({
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
  }, { args, terminal });
}

/** The options of `create user-info`. */
export interface CreateUserInfoArguments extends Written {
  readonly username?: string;
  readonly role: readonly string[];
  readonly clusterRole: readonly string[];
  readonly group: readonly string[];
}

/** `create user-info`: writes a user with groups and roles. */
export async function createUserInfo(args: CreateUserInfoArguments, terminal: Terminal): Promise<number> {
  return await print({
    apiVersion: "cli.kyverno.io/v1alpha1",
    kind: "UserInfo",
    ...(args.role.length > 0 && { roles: args.role }),
    ...(args.clusterRole.length > 0 && { clusterRoles: args.clusterRole }),
    userInfo: { username: args.username ?? "", ...(args.group.length > 0 && { groups: args.group }) },
  }, { args, terminal });
}

/** The options of `create exception`. */
export interface CreateExceptionArguments extends Written {
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
  return await print({
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
  }, { args, terminal });
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

function pairs(texts: readonly string[]): JsonObject | Fault {
  const entries: [string, string][] = [];
  for (const text of texts) {
    const at = text.indexOf("=");
    if (at <= 0) return new Fault(`"${text}": write it as name=value`);
    entries.push([text.slice(0, at).trim(), text.slice(at + 1).trim()]);
  }
  return Object.fromEntries(entries);
}

async function print(
  object: JsonObject,
  { args: { output }, terminal }: { readonly args: Written; readonly terminal: Terminal },
): Promise<number> {
  const text = toYaml(object);
  if (output === undefined) {
    terminal.out(text.trimEnd());
    return 0;
  }
  try {
    await Deno.writeTextFile(output, text);
    return 0;
  } catch (cause) {
    return unusable(
      `cannot write to ${output}: ${fileProblem(cause, "write")}`,
      terminal,
    );
  }
}
