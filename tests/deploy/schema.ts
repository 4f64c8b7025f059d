/** The types of the Kubernetes API in `schema.txt`, and what an object has wrong by them. */
import { asString, field, isList, isObject, type Json } from "../../lib/json/mod.ts";

interface Field {
  readonly type: string;
  readonly required: boolean;
}

const lines = (await Deno.readTextFile(new URL("schema.txt", import.meta.url))).trim().split("\n");
const kinds = new Map(
  lines.filter((line) => line.includes(" = ")).map((line) => line.split(" = ") as [string, string]),
);
const types = new Map(
  lines.filter((line) => !line.includes(" = ")).map((line) => {
    const [name = "", ...fields] = line.split(" ");
    return [name.slice(0, -1), new Map(fields.map(readField))] as const;
  }),
);

function readField(text: string): [string, Field] {
  const [, name = "", mark, type = ""] = /^(.+?)(!?):(.+)$/.exec(text)!;
  return [name, { type, required: mark === "!" }];
}

/** The problems of an object by its schema, as `path: problem`. */
export function schemaProblems(object: Json): string[] {
  const kind = `${asString(field(object, "apiVersion"))}/${asString(field(object, "kind"))}`;
  const type = kinds.get(kind);
  return type === undefined ? [`there is no ${kind}`] : problems(object, type, kind);
}

function problems(value: Json, type: string, path: string): string[] {
  if (type.startsWith("[]")) {
    if (!isList(value)) return [`${path}: is no list`];
    return value.flatMap((each, index) => problems(each, type.slice(2), `${path}/${index}`));
  }
  if (type.startsWith("{}")) {
    if (!isObject(value)) return [`${path}: is no map`];
    return Object.entries(value).flatMap(([key, each]) => problems(each, type.slice(2), `${path}/${key}`));
  }
  const fields = types.get(type);
  if (fields === undefined) return isScalar(value, type) ? [] : [`${path}: is no ${type}`];
  if (!isObject(value)) return [`${path}: is no object`];
  const missing = [...fields].filter(([name, { required }]) => required && field(value, name) === undefined);
  return [
    ...missing.map(([name]) => `${path}: lacks ${name}`),
    ...Object.entries(value).flatMap(([name, each]) => {
      const declared = fields.get(name);
      return declared === undefined
        ? [`${path}: ${type} has no field ${name}`]
        : problems(each, declared.type, `${path}/${name}`);
    }),
  ];
}

function isScalar(value: Json, type: string): boolean {
  switch (type) {
    case "string":
      return typeof value === "string";
    case "base64":
      return typeof value === "string" && /^[A-Za-z0-9+/]*={0,2}$/.test(value);
    case "integer":
      return Number.isInteger(value);
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    case "int-or-string":
      return typeof value === "string" || Number.isInteger(value);
    default:
      return true;
  }
}
