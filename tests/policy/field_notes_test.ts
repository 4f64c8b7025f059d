/** Every field of every schema says what it means, and every note is of a field. */
import assert from "node:assert/strict";
import { celFieldNotes } from "../../lib/policy/cel_field_notes.ts";
import { imageFieldNotes } from "../../lib/policy/image_field_notes.ts";
import { ruleFieldNotes } from "../../lib/policy/rule_field_notes.ts";
import { policySchemas } from "../../lib/policy/mod.ts";

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

const tables = Object.entries({ celFieldNotes, imageFieldNotes, ruleFieldNotes });
for (const [title, notes] of tables) {
  Deno.test(`every note of ${title} describes a field`, () => {
    const used = new Set(fields.map(({ field }) => field.description));
    assert.deepEqual(Object.entries(notes).filter(([, note]) => !used.has(note)).map(([key]) => key), []);
  });
}

Deno.test("no key is in two tables of notes", () => {
  const keys = tables.flatMap(([, notes]) => Object.keys(notes));
  assert.deepEqual(keys.filter((key, index) => keys.indexOf(key) !== index), []);
});
