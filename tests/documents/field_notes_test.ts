/** Every field of every schema says what it means, and every note is of a field. */
import assert from "node:assert/strict";
import { fieldNotes } from "../../lib/documents/field_note.ts";
import { policySchemas } from "../../lib/documents/mod.ts";

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
}

function* fieldsOf(
  schema: Schema,
  path: readonly string[],
): Generator<[path: readonly string[], field: Schema]> {
  if (schema.items !== undefined) yield* fieldsOf(schema.items, path);
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    yield [[...path, name], field];
    yield* fieldsOf(field, [...path, name]);
  }
}

const fields = [...policySchemas()].flatMap(([kind, schema]) =>
  [...fieldsOf((schema as Schema).properties!["spec"]!, ["spec"])].map(([path, field]) => ({
    kind,
    path,
    field,
  }))
);

Deno.test("every field of a policy has a description: sentences", () => {
  const without = fields.filter(({ field }) => !/^\S.*\.$/.test(field.description ?? ""));
  assert.deepEqual([...new Set(without.map(({ path }) => path.join(".")))], []);
});

Deno.test("every note describes a field", () => {
  const used = new Set(fields.map(({ field }) => field.description));
  const unused = fieldNotes().flatMap(Object.entries).filter(([, note]) => !used.has(note));
  assert.deepEqual(unused.map(([key]) => key), []);
});

Deno.test("no key is in two tables of notes", () => {
  const keys = fieldNotes().flatMap(Object.keys);
  assert.deepEqual(keys.filter((key, index) => keys.indexOf(key) !== index), []);
});
