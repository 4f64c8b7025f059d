/** Looks up the part of a policy's JSON Schema that describes a path in a document. */
import type { YamlPath } from "./yaml_path.ts";

/** The parts of JSON Schema that the schemas of policies use. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

/** The schema at a path; `undefined` where anything is allowed, or nothing. */
export function schemaAt(root: Schema | undefined, path: YamlPath): Schema | undefined {
  let schema = root;
  for (const step of path) {
    schema = step === "[]" ? schema?.items : schema?.properties?.[step] ?? schema?.items?.properties?.[step];
  }
  return schema;
}

/** The type of a schema in words: `list of text`, `object`. */
export function typeText(schema: Schema): string {
  const types = [schema.type ?? []].flat().filter((type) => type !== "null");
  if (schema.items !== undefined) return `list of ${typeText(schema.items)}`;
  if (schema.properties !== undefined) return "object";
  if (types.length === 0) return "anything";
  if (types.includes("string")) return "text";
  return types.join(" or ");
}

/** The values that a schema lists. */
export function valuesOf(schema: Schema | undefined): readonly string[] {
  if (schema === undefined) return [];
  if (schema.const !== undefined) return [String(schema.const)];
  if (schema.enum !== undefined) return schema.enum.map(String);
  return [schema.type ?? []].flat().includes("boolean") && !typeText(schema).includes("text")
    ? ["true", "false"]
    : [];
}
