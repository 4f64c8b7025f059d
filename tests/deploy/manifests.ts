/** Manifests of policy texts, as `postern manifests` prints them. */
import assert from "node:assert/strict";
import { run } from "../../lib/cli/mod.ts";
import { asList, asString, dig, isObject, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

export interface Printed {
  readonly objects: readonly JsonObject[];
  readonly text: string;
  /** What was said beside the manifests. */
  readonly said: string;
}

/** What a command line prints; it must succeed. */
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
  const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
  try {
    for (const [index, text] of policies.entries()) {
      await Deno.writeTextFile(`${folder}/policy-${index}.yaml`, text);
    }
    const path = options.includes("--secret-path") ? [] : ["--secret-path", "none"];
    return await printed(["--policies", folder, ...path, ...options]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

export function find(objects: readonly JsonObject[], kind: string, name?: string): JsonObject {
  const found = objects.find((object) =>
    object["kind"] === kind && (name === undefined || dig(object, "metadata", "name") === name)
  );
  assert.ok(found !== undefined, `no ${kind} ${name ?? ""}`);
  return found;
}

/** The webhooks of a phase by the path that they call. */
export function webhooksOf(
  objects: readonly JsonObject[],
  phase: "Validating" | "Mutating",
): Map<string, JsonObject> {
  const all = asList(find(objects, `${phase}WebhookConfiguration`)["webhooks"]).filter(isObject);
  return new Map(all.map((each) => [asString(dig(each, "clientConfig", "service", "path")) ?? "", each]));
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
