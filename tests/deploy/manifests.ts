/** Manifests of policy texts, as `postern manifests` prints them. */
import assert from "node:assert/strict";
import { run } from "../../lib/cli/mod.ts";
import { compile } from "../../lib/engine/mod.ts";
import { webhooksOf as registeredWebhooks } from "../../lib/install/mod.ts";
import { asList, asObject, asString, dig, isObject, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { withFolder } from "../support/folder.ts";

export interface Printed {
  readonly objects: readonly JsonObject[];
  readonly text: string;
  /** The text on the error output. */
  readonly said: string;
}

/** Runs a command line, which must succeed, and returns its output. */
export async function printed(args: readonly string[]): Promise<Printed> {
  const out: string[] = [], said: string[] = [];
  const code = await run(["manifests", ...args], {
    out: (line) => void out.push(line),
    err: (line) => void said.push(line),
  });
  assert.equal(code, 0, said.join("\n"));
  const text = `${out.join("\n")}\n`;
  const { documents, diagnostics } = parseDocuments(text, "deploy.yaml");
  assert.deepEqual(diagnostics, []);
  return { objects: documents.map(({ value }) => value).filter(isObject), text, said: said.join("\n") };
}

/** The manifests of policies given as texts, each a file of its own. */
export async function manifestsOf(policies: readonly string[], ...options: string[]): Promise<Printed> {
  const files = Object.fromEntries(policies.map((text, index) => [`policy-${index}.yaml`, text]));
  return await withFolder(files, async (folder) => {
    const path = options.includes("--secret-path") ? [] : ["--secret-path", "none"];
    return await printed(["--policies", folder, ...path, ...options]);
  });
}

export function find(objects: readonly JsonObject[], kind: string, name?: string): JsonObject {
  const found = objects.find((object) =>
    object["kind"] === kind && (name === undefined || dig(object, "metadata", "name") === name)
  );
  assert.ok(found !== undefined, `no ${kind} ${name ?? ""}`);
  return found;
}

/**
 * The webhooks of a phase by the path that they call: those that a replica registers, of the policies that it mounts.
 */
export function webhooksOf(
  objects: readonly JsonObject[],
  phase: "Validating" | "Mutating",
): Map<string, JsonObject> {
  const mounted = objects.filter(({ kind }) => kind === "ConfigMap").flatMap((map) =>
    Object.entries(asObject(map["data"]) ?? {}).flatMap(([file, text]) =>
      parseDocuments(asString(text) ?? "", file).documents
    )
  );
  const snapshot = compile(mounted, { dialect: "classic" });
  const namespace = asString(dig(find(objects, "Deployment"), "metadata", "namespace")) ?? "";
  const path = objects.flatMap((object) => asString(dig(object, "data", "path")) ?? [])[0];
  const secretPath = path === undefined ? undefined : atob(path);
  const setting = { namespace, service: "postern", secretPath, caBundle: undefined };
  const configured = registeredWebhooks(snapshot.policies, setting);
  const all = configured.find(({ kind }) => kind.startsWith(phase))?.webhooks ?? [];
  return new Map(all.map((each) => [asString(dig(each, "clientConfig", "service", "path")) ?? "", each]));
}

/** The objects when a replica has registered its webhooks. */
export function withWebhooks(objects: readonly JsonObject[]): JsonObject[] {
  return objects.map((object) => {
    const phase = /^(Validating|Mutating)WebhookConfiguration$/.exec(String(object["kind"]))?.[1];
    if (phase !== "Validating" && phase !== "Mutating") return object;
    return { ...object, webhooks: [...webhooksOf(objects, phase).values()] };
  });
}

/** Rules of a webhook or role as short texts, sorted. */
export function rulesOf(object: Json): string[] {
  return asList(dig(object, "rules")).filter(isObject).map((rule) => {
    const texts = (name: string) => asList(rule[name]).join(",");
    if (rule["operations"] !== undefined) {
      return `${texts("operations")} ${texts("apiGroups")}/${texts("apiVersions")} ${texts("resources")} ${
        rule["scope"]
      }`;
    }
    if (rule["nonResourceURLs"] !== undefined) return `${texts("verbs")} ${texts("nonResourceURLs")}`;
    const names = rule["resourceNames"] === undefined ? "" : ` [${texts("resourceNames")}]`;
    return `${texts("verbs")} ${texts("apiGroups")}/${texts("resources")}${names}`;
  });
}
