// deno-lint-ignore-file no-console
/**
 * Writes the table of Kubernetes' merge keys, `lib/patch/merge_keys.json`, from an OpenAPI description of the API:
 *
 *     deno run --allow-read --allow-write tests/generators/merge_keys.ts SWAGGER.json lib/patch/merge_keys.json
 *
 * Only what leads to a list that strategic merge patches merge is kept; types that look alike become one. The format is
 * described where it is read, in `lib/patch/merge_keys.ts`.
 */

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-group-version-kind"?: readonly Kind[];
}

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** One field of a type that has a merging list at it or below it. */
interface Field {
  readonly name: string;
  readonly shape: "object" | "map" | "list";
  readonly keys: readonly string[];
  /** Full name of the type at or below the field; undefined for lists of scalars. */
  readonly type: string | undefined;
}

const [source, target] = Deno.args;
if (source === undefined || target === undefined) {
  console.error("usage: merge_keys.ts SWAGGER.json TABLE.json");
  Deno.exit(2);
}
const { definitions } = JSON.parse(Deno.readTextFileSync(source)) as { definitions: Record<string, Schema> };

const types = new Map<string, Field[]>();
for (const name of Object.keys(definitions)) types.set(name, fieldsOf(definitions[name]!));
dropDeadEnds();
const alike = uniteAlike();
const shortNames = nameTypes();

const table = { types: typeTable(), kinds: kindTable() };
Deno.writeTextFileSync(target, `${JSON.stringify(table, null, 2)}\n`);
console.log(`${Object.keys(table.types).length} types, ${Object.keys(table.kinds).length} kinds`);

function fieldsOf(schema: Schema): Field[] {
  const fields: Field[] = [];
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const merges = (field["x-kubernetes-patch-strategy"] ?? "").split(",").includes("merge");
    if (field.type === "array" && merges) {
      const single = field["x-kubernetes-patch-merge-key"];
      const keys = field["x-kubernetes-list-map-keys"] ?? (single === undefined ? [] : [single]);
      fields.push({ name, shape: "list", keys, type: referred(field.items) });
    } else if (field.$ref !== undefined) {
      fields.push({ name, shape: "object", keys: [], type: referred(field) });
    } else if (field.additionalProperties?.$ref !== undefined) {
      fields.push({ name, shape: "map", keys: [], type: referred(field.additionalProperties) });
    }
  }
  return fields;
}

function referred(schema: Schema | undefined): string | undefined {
  return schema?.$ref?.replace("#/definitions/", "");
}

/** Removes fields and types from which no merging list is reached. */
function dropDeadEnds(): void {
  const live = new Set<string>();
  let grown = true;
  while (grown) {
    grown = false;
    for (const [name, fields] of types) {
      if (live.has(name)) continue;
      if (fields.some((field) => field.shape === "list" || live.has(field.type ?? ""))) {
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
    const kept = fields.filter((field) => field.shape === "list" || live.has(field.type ?? ""))
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
        ) => [f.name, f.shape, f.keys, f.type === undefined ? "" : follow(chosen, f.type)]),
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

/**
 * Short names for the types that a kind leads to: the last part of the full name, or the field names joined where
 * several types look alike.
 */
function nameTypes(): Map<string, string> {
  const alikes = new Map<string, Set<string>>();
  for (const [name, chosen] of alike) {
    const short = name.split(".").at(-1)!;
    alikes.set(chosen, (alikes.get(chosen) ?? new Set()).add(short));
  }
  const names = new Map<string, string>();
  for (const name of reachable()) {
    const [first, second] = alikes.get(name)!;
    const joined = types.get(name)!.map((field) => field.name).join("+");
    const free = ![...names.values()].includes(joined);
    names.set(name, second === undefined || !free ? first! : joined);
  }
  if (new Set(names.values()).size !== names.size) throw new Error("two types have the same short name");
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
 * The kind of a resource type; undefined for parts of resources and for types of every group, such as DeleteOptions.
 */
function groupVersionKind(name: string): Kind | undefined {
  const kinds = definitions[name]!["x-kubernetes-group-version-kind"] ?? [];
  return kinds.length === 1 ? kinds[0] : undefined;
}

function shortName(type: string): string {
  return shortNames.get(alike.get(type)!)!;
}

function typeTable(): Record<string, Record<string, string>> {
  const written: [string, Record<string, string>][] = [];
  for (const [full, short] of shortNames) {
    const fields: Record<string, string> = {};
    for (const { name, shape, keys, type } of types.get(full)!) {
      const below = type === undefined ? "" : shortName(type);
      fields[name] = shape === "list"
        ? `${below}[${keys.join(",")}]`
        : shape === "map"
        ? `{${below}}`
        : below;
    }
    written.push([short, fields]);
  }
  return Object.fromEntries(written.sort(([a], [b]) => a < b ? -1 : 1));
}

/** `group/Kind`, or `group/version/Kind` for a version that differs from the most stable one. */
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
    written.push([key, first!.type]);
    for (const { version, type } of others) {
      if (type !== first!.type) written.push([key.replace("/", `/${version}/`), type]);
    }
  }
  return Object.fromEntries(written.sort(([a], [b]) => a < b ? -1 : 1));
}

/** Orders versions as Kubernetes does: stable before beta before alpha, then by number. */
function stability(version: string): number {
  const [, major, level, minor] = /^v(\d+)(alpha|beta)?(\d*)$/.exec(version) ?? [];
  const rank = level === undefined ? 2 : level === "beta" ? 1 : 0;
  return rank * 1e6 + Number(major ?? 0) * 1e3 + Number(minor || 0);
}
