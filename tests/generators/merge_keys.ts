// deno-lint-ignore-file no-console
/**
 * Writes a table of how Kubernetes' objects merge, from an OpenAPI description of the API:
 *
 *     deno run --allow-read --allow-write tests/generators/merge_keys.ts SWAGGER.json patch lib/patch/merge_keys.json
 *     deno run --allow-read --allow-write tests/generators/merge_keys.ts SWAGGER.json apply lib/patch/apply_types.json
 *
 * `patch` is for strategic merge patches: only what leads to a list that they merge is kept. Its description is that of
 * Kubernetes 1.21.2, which the library that merges for Kyverno carries (sigs.k8s.io/kustomize/kyaml, `swagger.pb`, read
 * with gnostic-models and written as JSON); newer releases of Kubernetes merge more lists than Kyverno.
 *
 * `apply` is for server-side apply: only what leads to a list that merges, to an atomic map or struct, or to a map that
 * may hold lists. Types that look alike become one. The formats are described where they are read, in `lib/patch/`.
 */

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-group-version-kind"?: readonly Kind[];
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** One field of a type. */
interface Field {
  readonly name: string;
  readonly shape: "object" | "map" | "list" | "atomic list";
  readonly keys: readonly string[];
  /** Whether the object, or each element of the list, is replaced as a whole. */
  readonly isAtomic: boolean;
  /** Whether the field is kept although nothing below it is. */
  readonly counts: boolean;
  /** Full name of the type at or below the field; undefined for lists of scalars. */
  readonly type: string | undefined;
}

const [source, rules, target] = Deno.args;
if (source === undefined || target === undefined || (rules !== "patch" && rules !== "apply")) {
  console.error("usage: merge_keys.ts SWAGGER.json patch|apply TABLE.json");
  Deno.exit(2);
}
const { definitions } = JSON.parse(Deno.readTextFileSync(source)) as { definitions: Record<string, Schema> };

const types = new Map<string, Field[]>();
for (const name of Object.keys(definitions)) {
  const fields = Object.entries(definitions[name]!.properties ?? {});
  types.set(
    name,
    fields.flatMap(([name, field]) => (rules === "patch" ? patchField : applyField)(name, field) ?? []),
  );
}
dropDeadEnds();
const alike = uniteAlike();
const shortNames = nameTypes();

const table = { types: typeTable(), kinds: kindTable() };
Deno.writeTextFileSync(target, `${JSON.stringify(table, null, 2)}\n`);
console.log(
  `${Object.keys(table.types).length} types, ${Object.values(table.kinds).join(" ").split(" ").length} kinds`,
);

function patchField(name: string, field: Schema): Field | undefined {
  const general = { name, keys: [], isAtomic: false, counts: false };
  if (field.type === "array" && mergesByPatch(field)) {
    const { "x-kubernetes-list-map-keys": keys = mergeKey(field) } = field;
    return { ...general, shape: "list", keys, counts: true, type: referred(field.items) };
  }
  if (field.$ref !== undefined) return { ...general, shape: "object", type: referred(field) };
  const values = field.additionalProperties;
  return values?.$ref === undefined ? undefined : { ...general, shape: "map", type: referred(values) };
}

function applyField(name: string, field: Schema): Field | undefined {
  const general = { name, keys: [] };
  if (field.type === "array") {
    const type = referred(field.items);
    const isAtomic = mapType(field.items) === "atomic";
    const listType = field["x-kubernetes-list-type"] ?? (mergesByPatch(field) ? "map" : "atomic");
    if (listType === "atomic") return { ...general, shape: "atomic list", isAtomic, counts: isAtomic, type };
    const keys = listType === "set" ? [] : field["x-kubernetes-list-map-keys"] ?? mergeKey(field);
    return { ...general, shape: "list", keys, isAtomic, counts: true, type };
  }
  if (mapType(field) === "atomic") {
    return { ...general, shape: "object", isAtomic: true, counts: true, type: referred(field) };
  }
  const values = field.additionalProperties;
  if (values !== undefined) {
    const counts = values.type === "array" || isUntyped(values);
    return {
      ...general,
      shape: "map",
      isAtomic: mapType(values) === "atomic",
      counts,
      type: referred(values),
    };
  }
  if (isUntyped(field)) return { ...general, shape: "map", isAtomic: false, counts: true, type: undefined };
  return field.$ref === undefined
    ? undefined
    : { ...general, shape: "object", isAtomic: false, counts: false, type: referred(field) };
}

function mergesByPatch(field: Schema): boolean {
  return (field["x-kubernetes-patch-strategy"] ?? "").split(",").includes("merge");
}

function mergeKey(field: Schema): readonly string[] {
  const key = field["x-kubernetes-patch-merge-key"];
  return key === undefined ? [] : [key];
}

/** The annotation of a field counts before that of its type. */
function mapType(field: Schema | undefined): "atomic" | "granular" | undefined {
  return field?.["x-kubernetes-map-type"] ?? definitions[referred(field) ?? ""]?.["x-kubernetes-map-type"];
}

/** Whether a field holds any JSON. */
function isUntyped(field: Schema): boolean {
  const { type, properties, additionalProperties } = definitions[referred(field) ?? ""] ?? field;
  return (type ?? "object") === "object" && properties === undefined && additionalProperties === undefined;
}

function referred(schema: Schema | undefined): string | undefined {
  return schema?.$ref?.replace("#/definitions/", "");
}

/** Removes fields and types from which no field that counts is reached. */
function dropDeadEnds(): void {
  const live = new Set<string>();
  let grown = true;
  while (grown) {
    grown = false;
    for (const [name, fields] of types) {
      if (live.has(name)) continue;
      if (fields.some((field) => field.counts || live.has(field.type ?? ""))) {
        live.add(name);
        grown = true;
      }
    }
  }
  for (const [name, fields] of types) {
    if (!live.has(name)) {
      types.delete(name);
      continue;
    }
    const kept = fields.filter((field) => field.counts || live.has(field.type ?? ""))
      .map((field) => live.has(field.type ?? "") ? field : { ...field, type: undefined })
      .sort((a, b) => a.name < b.name ? -1 : 1);
    types.set(name, kept);
  }
}

/** Maps each type to one representative of all types with the same fields. */
function uniteAlike(): Map<string, string> {
  const chosen = new Map([...types.keys()].map((name) => [name, name]));
  let changed = true;
  while (changed) {
    changed = false;
    const bySignature = new Map<string, string>();
    for (const name of [...types.keys()].sort()) {
      if (chosen.get(name) !== name) continue;
      const signature = JSON.stringify(
        types.get(name)!.map((
          f,
        ) => [f.name, f.shape, f.isAtomic, f.keys, f.type === undefined ? "" : follow(chosen, f.type)]),
      );
      const first = bySignature.get(signature);
      if (first === undefined) bySignature.set(signature, name);
      else {
        chosen.set(name, first);
        changed = true;
      }
    }
  }
  return new Map([...types.keys()].map((name) => [name, follow(chosen, name)]));
}

function follow(chosen: ReadonlyMap<string, string>, name: string): string {
  let current = name;
  while (chosen.get(current) !== current) current = chosen.get(current)!;
  return current;
}

/** Short names for the types that a kind leads to: the last part of the full name, with a number where it is taken. */
function nameTypes(): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const name of reachable()) {
    const wanted = name.split(".").at(-1)!;
    let numbered = wanted;
    for (let number = 2; taken.has(numbered); number++) numbered = `${wanted}${number}`;
    taken.add(numbered);
    names.set(name, numbered);
  }
  return names;
}

function reachable(): Set<string> {
  const roots = [...types.keys()].filter((name) => groupVersionKind(name) !== undefined);
  const reached = new Set(roots.map((name) => alike.get(name)!));
  for (const name of reached) {
    for (const { type } of types.get(name)!) if (type !== undefined) reached.add(alike.get(type)!);
  }
  return new Set([...reached].sort());
}

/**
 * The kind of a resource type; undefined for parts of resources, for types of every group, such as DeleteOptions, and
 * for the lists in which an API server answers.
 */
function groupVersionKind(name: string): Kind | undefined {
  const kinds = definitions[name]!["x-kubernetes-group-version-kind"] ?? [];
  return kinds.length === 1 && !kinds[0]!.kind.endsWith("List") ? kinds[0] : undefined;
}

function shortName(type: string): string {
  return shortNames.get(alike.get(type)!)!;
}

function typeTable(): Record<string, string> {
  const rows: [string, string][] = [];
  for (const [full, short] of shortNames) {
    rows.push([short, types.get(full)!.map((field) => `${field.name}:${written(field)}`).join(" ")]);
  }
  return Object.fromEntries(rows.sort(([a], [b]) => a < b ? -1 : 1));
}

function written({ shape, keys, isAtomic, type }: Field): string {
  const below = `${isAtomic ? "!" : ""}${type === undefined ? "" : shortName(type)}`;
  if (shape === "object") return below;
  if (shape === "map") return `{${below}}`;
  return shape === "list" ? `${below}[${keys.join(",")}]` : `${below}*`;
}

/**
 * The kinds of each group. For `patch` `version,version/Kind:Type` with all versions of the description: Kyverno knows
 * no others. For `apply` `Kind:Type`, or `version/Kind:Type` for a version that differs from the most stable one. `:Type`
 * is left out where it has the name of the kind.
 */
function kindTable(): Record<string, string> {
  const versions = new Map<string, { version: string; type: string }[]>();
  for (const name of types.keys()) {
    const resource = groupVersionKind(name);
    if (resource === undefined) continue;
    const { group, version, kind } = resource;
    const key = `${group}/${kind}`;
    versions.set(key, [...(versions.get(key) ?? []), { version, type: shortName(name) }]);
  }
  const written: [string, string][] = [];
  for (const [key, all] of versions) {
    all.sort((a, b) => stability(b.version) - stability(a.version));
    const [first, ...others] = all;
    if (rules === "patch") {
      for (const [type, alike] of Map.groupBy(all, ({ type }) => type)) {
        written.push([key.replace("/", `/${alike.map(({ version }) => version)}/`), type]);
      }
      continue;
    }
    written.push([key, first!.type]);
    for (const { version, type } of others) {
      if (type !== first!.type) written.push([key.replace("/", `/${version}/`), type]);
    }
  }
  written.sort(([a], [b]) => a < b ? -1 : 1);
  const groups: Record<string, string> = {};
  for (const [key, type] of written) {
    const group = key.slice(0, key.indexOf("/")), path = key.slice(group.length + 1);
    const entry = path.endsWith(`/${type}`) || path === type ? path : `${path}:${type}`;
    groups[group] = groups[group] === undefined ? entry : `${groups[group]} ${entry}`;
  }
  return groups;
}

/** Orders versions as Kubernetes does: stable before beta before alpha, then by number. */
function stability(version: string): number {
  const [, major, level, minor] = /^v(\d+)(alpha|beta)?(\d*)$/.exec(version) ?? [];
  const rank = level === undefined ? 2 : level === "beta" ? 1 : 0;
  return rank * 1e6 + Number(major ?? 0) * 1e3 + Number(minor || 0);
}
