import type {
  CelMap,
  Duration,
  Float,
  Int,
  Optional,
  PlainMap,
  Timestamp,
  TypeValue,
  Uint,
  Value,
} from "../values/mod.ts";

/** The kinds of types. The checker needs nothing else. */
export type TypeKind =
  | "null"
  | "bool"
  | "int"
  | "uint"
  | "double"
  | "string"
  | "bytes"
  | "timestamp"
  | "duration"
  | "list"
  | "map"
  | "type"
  | "dyn"
  | "error"
  | "parameter"
  | "opaque"
  | "object";

declare const runtime: unique symbol;

/**
 * A type of CEL. `T` is what a value of the type looks like at run time: it gives the implementations of functions the
 * types of their arguments, without casts.
 */
export interface CelType<T extends Value = Value> {
  readonly kind: TypeKind;
  /** The name in expressions: `int`, `google.protobuf.Timestamp`, `kubernetes.Quantity`. */
  readonly name: string;
  readonly parameters: readonly CelType[];
  /** The type of a field of an object type; `undefined` when it has no such field. */
  readonly field?: (name: string) => CelType | undefined;
  readonly [runtime]?: T;
}

/** The run-time shape of a type's values. */
export type ValueOf<T> = T extends CelType<infer V> ? V : never;

function simple<T extends Value>(kind: TypeKind, name: string): CelType<T> {
  return { kind, name, parameters: [] };
}

/** The types of CEL without parameters. */
export const nullType: CelType<null> = simple("null", "null_type");
export const boolType: CelType<boolean> = simple("bool", "bool");
export const intType: CelType<Int> = simple("int", "int");
export const uintType: CelType<Uint> = simple("uint", "uint");
export const doubleType: CelType<Float> = simple("double", "double");
export const stringType: CelType<string> = simple("string", "string");
export const bytesType: CelType<Uint8Array> = simple("bytes", "bytes");
export const timestampType: CelType<Timestamp> = simple("timestamp", "google.protobuf.Timestamp");
export const durationType: CelType<Duration> = simple("duration", "google.protobuf.Duration");
/** Any value; its type is checked when it is used. */
export const dynType: CelType = simple("dyn", "dyn");
/** The type of an expression that was already refused, so that one mistake is reported once. */
export const errorType: CelType = simple("error", "!error!");

/** A type variable of a signature: every `A` of one call is the same type. */
export function typeParameter(name: string): CelType {
  return simple("parameter", name);
}

export function listType(element: CelType): CelType<readonly Value[]> {
  return { kind: "list", name: "list", parameters: [element] };
}

export function mapType(key: CelType, value: CelType): CelType<CelMap | PlainMap> {
  return { kind: "map", name: "map", parameters: [key, value] };
}

/** The type of types, which `type(x)` has. */
export function typeType(of: CelType = dynType): CelType<TypeValue> {
  return { kind: "type", name: "type", parameters: [of] };
}

/** A type that only its library understands. `T` is its class, which extends `Opaque`. */
export function opaqueType<T extends Value>(name: string, parameters: readonly CelType[] = []): CelType<T> {
  return { kind: "opaque", name, parameters };
}

export function optionalType(of: CelType): CelType<Optional> {
  return opaqueType("optional_type", [of]);
}

/**
 * A map with declared fields, such as an admission request. Its values are plain JSON objects. Fields are looked up by
 * name, so that a type can contain itself or accept any name.
 */
export function objectType(
  name: string,
  fields: Readonly<Record<string, CelType>> | ((name: string) => CelType | undefined),
): CelType<PlainMap> {
  const field = typeof fields === "function"
    ? fields
    : (key: string) => Object.hasOwn(fields, key) ? fields[key] : undefined;
  return { kind: "object", name, parameters: [], field };
}

/** The element type when the type is an optional, otherwise `undefined`. */
export function optionalElement(type: CelType): CelType | undefined {
  return type.kind === "opaque" && type.name === "optional_type" ? type.parameters[0] : undefined;
}

/** Whether the type of values is decided at run time. */
export function isDynamic(type: CelType): boolean {
  return type.kind === "dyn" || type.kind === "error";
}

/** Whether two types are the same, with the same parameters. */
export function sameType(left: CelType, right: CelType): boolean {
  return left === right || (left.kind === right.kind && left.name === right.name &&
    left.parameters.length === right.parameters.length &&
    left.parameters.every((parameter, index) => sameType(parameter, right.parameters[index]!)));
}

const shortNames: Readonly<Record<string, string>> = {
  null: "null",
  timestamp: "timestamp",
  duration: "duration",
};

/** The type in the form of error messages: `map(string, int)`, `timestamp`. */
export function describeType(type: CelType): string {
  const short = shortNames[type.kind];
  if (short !== undefined) return short;
  if (type.parameters.length === 0) return type.name;
  return `${type.name}(${type.parameters.map(describeType).join(", ")})`;
}

/** The type with its full name: `map(string, google.protobuf.Timestamp)`. */
export function typeName(type: CelType): string {
  if (type.parameters.length === 0) return type.name;
  return `${type.name}(${type.parameters.map(typeName).join(", ")})`;
}
