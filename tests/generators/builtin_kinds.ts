// deno-lint-ignore-file no-console
/**
 * Writes the table of `lib/kube/builtin_kinds.ts` from the OpenAPI v2 description of a Kubernetes version:
 *
 *     deno run --allow-read --allow-write=lib tests/generators/builtin_kinds.ts SWAGGER_JSON
 */
import { join } from "node:path";

interface OpenApi {
  readonly info: { readonly version: string };
  readonly paths: Record<string, Record<string, { readonly "x-kubernetes-group-version-kind"?: Kind }>>;
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

interface Entry {
  kind: string;
  namespaced: boolean;
  readonly subresources: string[];
}

const source = Deno.args[0];
if (source === undefined) throw new Error("usage: builtin_kinds.ts SWAGGER_JSON");
const description = JSON.parse(Deno.readTextFileSync(source)) as OpenApi;
const resourcePath =
  /^\/(?:api|apis\/([^/]+))\/([^/]+)\/(namespaces\/\{namespace\}\/)?([a-z]+)(?:\/\{name\}(?:\/([a-z]+))?)?$/;

const versions = new Map<string, Map<string, Entry>>();
for (const [path, operations] of Object.entries(description.paths)) {
  const match = resourcePath.exec(path);
  const type = Object.values(operations).map((each) => each["x-kubernetes-group-version-kind"]).find(Boolean);
  if (match === null || type === undefined) continue;
  const [, group = "", version = "", namespace, plural = "", subresource] = match;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  const entries = versions.get(apiVersion) ?? new Map<string, Entry>();
  versions.set(apiVersion, entries);
  const entry = entries.get(plural) ?? { kind: "", namespaced: false, subresources: [] };
  entries.set(plural, entry);
  entry.namespaced ||= namespace !== undefined;
  if (subresource === undefined) entry.kind = type.kind;
  else entry.subresources.push(subresource);
}

// Each group's preferred version first: v2 before v1, stable before beta before alpha; and the core group before
// others.
const stability = (version: string) => version.includes("alpha") ? 2 : version.includes("beta") ? 1 : 0;
const number = (version: string) => Number(/^v([0-9]+)/.exec(version)?.[1] ?? 0);
const rank = (apiVersion: string) => {
  const version = apiVersion.split("/").at(-1)!;
  return [stability(version), -number(version), apiVersion.includes("/") ? 1 : 0] as const;
};
const order = (left: string, right: string) => {
  const [a, b] = [rank(left), rank(right)];
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || (left < right ? -1 : 1);
};

const lines = [...versions.keys()].sort(order).flatMap((apiVersion) => [
  apiVersion,
  ...[...versions.get(apiVersion)!].filter(([, entry]) => entry.kind !== "").sort().map(([plural, entry]) =>
    ["  " + entry.kind, plural, entry.namespaced ? "namespaced" : "cluster", ...entry.subresources.sort()]
      .join(" ")
  ),
]);

const file = join(import.meta.dirname!, "../../lib/kube/builtin_kinds.ts");
const text = Deno.readTextFileSync(file);
const table = /(export const builtinKinds = `)[^`]*(`;)/;
if (!table.test(text)) throw new Error(`no table in ${file}`);
Deno.writeTextFileSync(
  file,
  text.replace(table, (_, open, close) => `${open}\n${lines.join("\n")}\n${close}`),
);
console.log(`${lines.length} lines from Kubernetes ${description.info.version}`);
