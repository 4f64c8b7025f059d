/** The kinds that an installation brings along. */
import assert from "node:assert/strict";
import { definedKinds, definitions } from "../../lib/install/definitions/definitions.ts";
import { structuralSchema } from "../../lib/install/definitions/structural_schema.ts";
import { dig, isList, isObject, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { policyObjectKinds } from "../../lib/policy/mod.ts";

const byName = new Map(definitions().map((each) => [String(dig(each, "metadata", "name")), each]));

for (const { group, version, kind, plural, namespaced } of policyObjectKinds) {
  Deno.test(`definitions: ${kind} of ${group} is served where it is watched`, () => {
    const definition = byName.get(`${plural}.${group}`);
    assert.ok(definition !== undefined);
    assert.equal(dig(definition, "spec", "names", "kind"), kind);
    assert.equal(dig(definition, "spec", "scope"), namespaced ? "Namespaced" : "Cluster");
    const versions = dig(definition, "spec", "versions") as readonly JsonObject[];
    assert.ok(versions.some(({ name, served }) => name === version && served === true));
    assert.deepEqual(versions.map(({ storage }) => storage), versions.map((_, index) => index === 0));
  });
}

Deno.test("definitions: names and short names are unique within a group", () => {
  assert.equal(byName.size, definedKinds.length);
  const names = definedKinds.flatMap(({ plural, group, shortNames }) =>
    [plural, ...shortNames].map((name) => `${name}.${group}`)
  );
  assert.equal(new Set(names).size, names.length);
});

/** The schema at a path such as `spec.rules[].name`. */
function at(schema: Json, path: string): Json | undefined {
  return path.split(".").reduce<Json | undefined>((inner, step) => {
    const [name = "", ...items] = step.split("[]");
    const found = dig(inner ?? null, "properties", name);
    return items.reduce<Json | undefined>((list) => dig(list ?? null, "items"), found);
  }, schema);
}

Deno.test("definitions set the same defaults as Kyverno's", () => {
  const [version] = dig(byName.get("clusterpolicies.kyverno.io")!, "spec", "versions") as readonly Json[];
  const policy = dig(version!, "schema", "openAPIV3Schema") ?? null;
  const defaults: Readonly<Record<string, Json>> = {
    "spec.admission": true,
    "spec.background": true,
    "spec.emitWarning": false,
    "spec.validationFailureAction": "Audit",
    "spec.rules[].skipBackgroundRequests": true,
    "spec.rules[].validate.allowExistingViolations": true,
  };
  for (const [path, value] of Object.entries(defaults)) {
    assert.equal(dig(at(policy, path) ?? null, "default"), value, path);
  }
});

Deno.test("definitions: each description belongs to an existing field", () => {
  for (const { kind, fields, details = {} } of definedKinds) {
    const schema = structuralSchema(fields, { details });
    for (const [path, detail] of Object.entries(details)) {
      const found = at(schema, path);
      assert.ok(isObject(found), `${kind}: ${path}`);
      assert.deepEqual({ ...found, ...detail }, found, `${kind}: ${path}`);
    }
  }
});

function* withoutDescription(schema: Json, path: string): Generator<string> {
  const { description, properties, items } = schema as JsonObject;
  if (!path.endsWith("[]") && !/^\S.*\.$/.test(String(description))) yield path;
  if (items !== undefined) yield* withoutDescription(items, `${path}[]`);
  for (const [name, inner] of Object.entries((properties ?? {}) as JsonObject)) {
    if (name !== "metadata" || path.includes(".")) yield* withoutDescription(inner, `${path}.${name}`);
  }
}

Deno.test("definitions: kubectl explain has a sentence for each kind and field", () => {
  const found = [...byName.values()].flatMap((definition) =>
    (dig(definition, "spec", "versions") as readonly Json[]).flatMap((version) => [...withoutDescription(
      dig(version, "schema", "openAPIV3Schema") ?? null,
      String(dig(definition, "spec", "names", "kind")),
    )])
  );
  assert.deepEqual([...new Set(found)], []);
});

Deno.test("definitions: each fits into the annotation of kubectl apply", () => {
  for (const [name, definition] of byName) {
    assert.ok(JSON.stringify(definition).length < 250_000, name);
  }
});

/** Kubernetes API: every part of a structural schema has a type, or keeps whatever it is given. */
function isStructural(schema: Json): boolean {
  if (!isObject(schema)) return false;
  const { type, properties, items } = schema;
  if (type === undefined) return schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (isList(type)) return false;
  if (type === "array") return items !== undefined && isStructural(items);
  return properties === undefined || isObject(properties) && Object.values(properties).every(isStructural);
}

Deno.test("definitions: every schema is structural", () => {
  for (const [name, definition] of byName) {
    for (const version of dig(definition, "spec", "versions") as readonly Json[]) {
      assert.ok(isStructural(dig(version, "schema", "openAPIV3Schema") ?? null), name);
    }
  }
});
