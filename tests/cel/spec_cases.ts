/**
 * The CEL specification's conformance tests, each as a function that compares our answer with the expected one. Those
 * that need protocol buffer messages, wrappers or enumerations are left out: {@link excluded} says why for each.
 */
import { tests as suite } from "@bufbuild/cel-spec/testdata/conformance.js";
import {
  boolType,
  bytesType,
  CelMap,
  type CelType,
  createEnvironment,
  Double,
  doubleType,
  Duration,
  durationType,
  dynType,
  intType,
  isCelFault,
  type Library,
  listType,
  mapType,
  nullType,
  opaqueType,
  parseDuration,
  specificationLibraries,
  stringType,
  toFloat,
  toInt,
  typeName,
  typeParameter,
  typeType,
  TypeValue,
  Uint,
  uintType,
  type Value,
} from "../../lib/cel/mod.ts";
import { typed } from "./typed.ts";

/** One test of the specification: a message as its JSON form writes it. */
interface SpecTest {
  readonly name: string;
  readonly expr: string;
  readonly container?: string;
  readonly disableCheck?: boolean;
  readonly checkOnly?: boolean;
  readonly typeEnv?: readonly Declaration[];
  readonly bindings?: Readonly<Record<string, { readonly value: SpecValue }>>;
  readonly value?: SpecValue;
  readonly typedResult?: { readonly result?: SpecValue; readonly deducedType: SpecType };
  readonly evalError?: unknown;
}

interface Declaration {
  readonly name: string;
  readonly ident?: { readonly type: SpecType };
  readonly function?: { readonly overloads: readonly SpecOverload[] };
}

interface SpecOverload {
  readonly overloadId: string;
  readonly params: readonly SpecType[];
  readonly resultType: SpecType;
}

type SpecType = Readonly<Record<string, unknown>>;
type SpecValue = Readonly<Record<string, unknown>>;

/** Whether our answer is the expected one, and both for the listing. */
export interface Outcome {
  readonly agree: boolean;
  readonly expected: string;
  readonly actual: string;
}

/** A test that can be run. */
export interface SpecCase {
  /** File, section and test: `string_ext/format/no-op`. */
  readonly id: string;
  readonly text: string;
  run(): Outcome;
}

/** Patterns of tests that Postern's CEL leaves out, with the reason. */
export const excluded: readonly { readonly mentions: RegExp; readonly reason: string }[] = [
  {
    mentions: /TestAllTypes|TestRequired/i,
    reason: "constructs protocol buffer messages; Kubernetes objects are JSON",
  },
  {
    mentions: /google\.protobuf\.(?!Timestamp|Duration)/i,
    reason: "uses the wrapper and JSON messages of protocol buffers",
  },
  { mentions: /enum/i, reason: "uses protocol buffer enumerations" },
  { mentions: /proto\./i, reason: "uses protocol buffer extensions" },
];

/** Every test that is not excluded. */
export function specCases(): SpecCase[] {
  const cases: SpecCase[] = [];
  for (const { path, test } of allTests(suite as unknown as Suite, [])) {
    const json = JSON.stringify(test);
    if (excluded.some(({ mentions }) => mentions.test(json))) continue;
    cases.push({ id: [...path, test.name].join("/"), text: test.expr, run: () => run(test) });
  }
  return cases;
}

interface Suite {
  readonly name: string;
  readonly suites?: readonly Suite[];
  readonly tests?: readonly { readonly original: SpecTest }[];
}

function* allTests(
  at: Suite,
  path: readonly string[],
): Generator<{ path: readonly string[]; test: SpecTest }> {
  for (const { original } of at.tests ?? []) yield { path, test: original };
  for (const child of at.suites ?? []) yield* allTests(child, [...path, child.name]);
}

function run(test: SpecTest): Outcome {
  const bound = Object.keys(test.bindings ?? {});
  const declared = (test.typeEnv ?? []).flatMap(({ name, ident }) =>
    ident === undefined ? [] : [[name, celType(ident.type)] as const]
  );
  const environment = createEnvironment({
    variables: {
      ...Object.fromEntries(bound.map((name) => [name, dynType])),
      ...Object.fromEntries(declared),
    },
    libraries: [...specificationLibraries, functionsOf(test)],
    container: test.container ?? "",
    check: test.disableCheck === true ? "none" : "types",
    dialect: "specification",
  });
  const compiled = environment.compile(test.expr);
  const wantsError = test.evalError !== undefined;
  if (!compiled.ok) {
    const message = compiled.errors.map(({ message }) => message).join("; ");
    return { agree: wantsError, expected: wantsError ? "an error" : JSON.stringify(test), actual: message };
  }
  const { program } = compiled;
  const type = typeName(program.type);
  const wantedType = test.typedResult === undefined ? type : typeName(celType(test.typedResult.deducedType));
  if (test.checkOnly === true) return { agree: type === wantedType, expected: wantedType, actual: type };
  const value = program.evaluate((name) => {
    const binding = test.bindings?.[name];
    return binding === undefined ? undefined : celValue(binding.value);
  });
  if (wantsError) {
    const actual = isCelFault(value) ? value.message : JSON.stringify(typed(value));
    return { agree: isCelFault(value), expected: `an error: ${JSON.stringify(test.evalError)}`, actual };
  }
  const wanted = test.value ?? test.typedResult?.result ?? { boolValue: true };
  const expected = `${JSON.stringify(typed(celValue(wanted)))} of type ${wantedType}`;
  const actual = isCelFault(value)
    ? `error ${value.kind}: ${value.message}`
    : `${JSON.stringify(typed(value))} of type ${type}`;
  return { agree: expected === actual, expected, actual };
}

/** The functions that a test declares; they are only ever checked. */
function functionsOf({ typeEnv = [] }: SpecTest): Library {
  const functions = typeEnv.flatMap(({ name, function: declared }) =>
    declared === undefined ? [] : [{
      name,
      overloads: declared.overloads.map(({ overloadId, params, resultType }) => ({
        id: overloadId,
        style: "function" as const,
        parameters: params.map(celType),
        result: celType(resultType),
        call: () => null,
      })),
    }]
  );
  return { name: "declared by the test", functions };
}

const primitives: Readonly<Record<string, CelType>> = {
  BOOL: boolType,
  INT64: intType,
  UINT64: uintType,
  DOUBLE: doubleType,
  STRING: stringType,
  BYTES: bytesType,
};

function celType(type: SpecType): CelType {
  if ("primitive" in type) return primitives[String(type["primitive"])]!;
  if ("null" in type) return nullType;
  if ("dyn" in type) return dynType;
  if ("listType" in type) return listType(celType((type["listType"] as { elemType: SpecType }).elemType));
  if ("mapType" in type) {
    const { keyType, valueType } = type["mapType"] as { keyType: SpecType; valueType: SpecType };
    return mapType(celType(keyType), celType(valueType));
  }
  if ("type" in type) return typeType(celType(type["type"] as SpecType));
  if ("typeParam" in type) return typeParameter(String(type["typeParam"]));
  if ("messageType" in type && type["messageType"] === "google.protobuf.Duration") return durationType;
  if ("abstractType" in type) {
    const { name, parameterTypes } = type["abstractType"] as { name: string; parameterTypes: SpecType[] };
    return opaqueType(name, (parameterTypes ?? []).map(celType));
  }
  throw new Error(`a type that the tests are not known to use: ${JSON.stringify(type)}`);
}

function celValue(value: SpecValue): Value {
  const [kind, content] = Object.entries(value)[0] as [string, unknown];
  switch (kind) {
    case "nullValue":
      return null;
    case "boolValue":
    case "stringValue":
      return content as boolean | string;
    case "int64Value":
      return toInt(BigInt(content as string)) as Value;
    case "uint64Value":
      return new Uint(BigInt(content as string));
    case "doubleValue":
      return toFloat(Number(content));
    case "bytesValue":
      return Uint8Array.from(atob(content as string), (unit) => unit.charCodeAt(0));
    case "typeValue":
      return new TypeValue(String(content));
    case "listValue":
      return ((content as { values?: SpecValue[] }).values ?? []).map(celValue);
    case "mapValue": {
      const map = new CelMap();
      for (const entry of (content as { entries?: { key: SpecValue; value: SpecValue }[] }).entries ?? []) {
        map.set(celValue(entry.key), celValue(entry.value));
      }
      return map;
    }
    case "objectValue":
      return parseDuration(String((content as { value: string }).value)) ?? new Duration(0n);
    default:
      return new Double(0);
  }
}
