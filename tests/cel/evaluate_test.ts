/** Expressions evaluated over plain JSON: values, kinds of numbers, errors and how `&&` and `||` absorb them. */
import assert from "node:assert/strict";
import {
  type CelFault,
  celToJson,
  type CelType,
  createEnvironment,
  dynType,
  type EnvironmentOptions,
  isCelFault,
  kubernetesLibraries,
  type Library,
  objectType,
  stringType,
  type Value,
} from "../../lib/cel/mod.ts";
import { bindingsLibrary } from "../../lib/cel/libraries/bindings.ts";
import { typed } from "./typed.ts";

const object = {
  metadata: { name: "web", labels: { app: "web", env: "prod" }, annotations: { "a/b": "c" } },
  spec: {
    replicas: 3,
    big: 9007199254740993,
    ratio: 0.5,
    none: null,
    containers: [{ name: "c1", image: "nginx:1.2" }, { name: "c2", image: "redis" }],
    weights: [1.5, 2, 3.25],
  },
  toString: "own",
};

function evaluate(text: string, options: Partial<EnvironmentOptions> = {}): Value | CelFault {
  const environment = createEnvironment({
    variables: { object: dynType },
    libraries: [...kubernetesLibraries, bindingsLibrary],
    ...options,
  });
  const compiled = environment.compile(text);
  assert(compiled.ok, compiled.ok ? "" : compiled.errors.map(({ message }) => message).join("\n"));
  return compiled.program.evaluate((name) => name === "object" ? object : undefined);
}

const values: readonly (readonly [text: string, type: string, json: unknown])[] = [
  ["object.spec.replicas", "int", 3],
  ["object.spec.replicas + 1", "int", 4],
  ["object.spec.ratio * 2.0", "double", 1],
  ["type(object.spec.big) == int", "bool", true],
  ["9007199254740992 + 1 == 9007199254740993", "bool", true],
  ["9223372036854775807 - 1", "int", 9223372036854776000],
  ["7 / -2", "int", -3],
  ["-7 % 3", "int", -1],
  ["0 * -1", "int", 0],
  ["dyn(1) == 1.0 && 1 < 1.5", "bool", true],
  ["dyn(1u) == 1 && 1u <= 1", "bool", true],
  ["{1: 'a'}[dyn(1u)] + {1u: 'b'}[dyn(1)]", "string", "ab"],
  ["object.metadata.annotations.`a/b`", "string", "c"],
  ["object.metadata.annotations.a__slash__b", "string", "c"],
  ["has(object.metadata.annotations.a__dash__b)", "bool", false],
  ["object.toString", "string", "own"],
  ["has(object.valueOf)", "bool", false],
  ["has(object.spec.none)", "bool", true],
  ["object.spec.containers.map(c, c.name)", "list", ["c1", "c2"]],
  ["object.spec.containers.exists(c, c.image.matches('^nginx:[0-9.]+$'))", "bool", true],
  ["object.metadata.labels.all(k, k.size() == 3)", "bool", true],
  ["object.metadata.labels.transformList(k, v, k + '=' + v)", "list", ["app=web", "env=prod"]],
  ["object.metadata.labels.transformMap(k, v, v.size())", "map", { app: 3, env: 4 }],
  ["object.spec.containers.transformMapEntry(i, c, {c.name: i})", "map", { c1: 0, c2: 1 }],
  ["cel.bind(x, object.spec.replicas, x * x)", "int", 9],
  ["cel.bind(x, 1 / 0, true)", "bool", true],
  ["object.?spec.?missing.orValue('none')", "string", "none"],
  ["object.?spec.replicas.value()", "int", 3],
  ["object.spec.containers[?5].hasValue()", "bool", false],
  ["[1, ?object.?spec.?missing, ?optional.of(2)]", "list", [1, 2]],
  ["{?'a': object.?missing, 'b': 1}", "map", { b: 1 }],
  ["object.?spec.optMap(s, s.replicas).orValue(0)", "int", 3],
  [
    "timestamp('2023-01-02T03:04:05.000000001Z') - timestamp('2023-01-02T03:04:05Z')",
    "google.protobuf.Duration",
    "0.000000001s",
  ],
  ["timestamp('2023-07-01T00:00:00Z').getHours('America/New_York')", "int", 20],
  ["string(timestamp('2023-01-01T00:00:00+01:00'))", "string", "2023-01-01T00:00:00+01:00"],
  ["timestamp('2023-01-01T00:00:00+01:00').getDate()", "int", 31],
  ["timestamp('2023-01-01T00:00:00+01:00') == timestamp('2022-12-31T23:00:00Z')", "bool", true],
  ["duration('1h30m') > duration('90m')", "bool", false],
  ["-dyn(duration('1s'))", "google.protobuf.Duration", "-1s"],
  ["lists.range(-3).size()", "int", 0],
  ["'hello'.indexOf('', 9) + 'hello'.lastIndexOf('', 9) + 'hello'.indexOf('', 2)", "int", 12],
  ["'😀x'.size() + '😀x'.indexOf('x')", "int", 3],
  ["'😀x'.charAt(0)", "string", "😀"],
  ["'😀x😀'.charAt(2) + '😀x'.charAt(2)", "string", "😀"],
  ["'a😀b😀b'.indexOf('b', 3)", "int", 4],
  ["'a😀b😀b'.lastIndexOf('b', 3)", "int", 2],
  ["'a😀b😀'.substring(1, 3) + 'a😀'.substring(2)", "string", "😀b"],
  ["'Aé😀ßz'.lowerAscii() + 'Aé😀ßz'.upperAscii()", "string", "aé😀ßzAé😀ßZ"],
  ["int('-0007') + int('+00000000000000000000000000000') + int('0')", "int", -7],
  ["duration('0000000000000000000000000000001h0m') == duration('1h')", "bool", true],
  ["'%%%s%%.%d%%'.format(['x', 1])", "string", "%x%.1%"],
  ["'a-b-c'.split('-', 2).join('|')", "string", "a|b-c"],
  ["b'\\xff' + bytes('é')", "bytes", "/8Op"],
  ["'%s has %d'.format([object.metadata.name, 3])", "string", "web has 3"],
  ["[3, 1, 2].sort()", "list", [1, 2, 3]],
  ["object.spec.containers.sortBy(c, -c.image.size()).map(c, c.name)", "list", ["c1", "c2"]],
  ["sets.contains([1, 2, 3], [3.0, 1u])", "bool", true],
  ["type(type(1)) == type", "bool", true],
];

for (const [text, type, json] of values) {
  Deno.test(`${text} is ${JSON.stringify(json)} (${type})`, () => {
    const value = evaluate(text);
    assert.deepEqual([typed(value).t, celToJson(value)], [type, json]);
  });
}

const errors: readonly (readonly [text: string, kind: string, message: RegExp])[] = [
  ["object.spec.missing", "no_such_key", /^no such key: missing$/],
  ["object.spec.containers[2]", "index", /^index out of bounds: 2$/],
  ["object.spec.replicas / 0", "divide_by_zero", /^division by zero$/],
  ["object.spec.replicas % 0", "modulus_by_zero", /^modulus by zero$/],
  ["object.spec.replicas + 9223372036854775807", "overflow", /^integer overflow$/],
  ["uint(object.spec.replicas) - 4u", "overflow", /^unsigned integer overflow$/],
  ["object.spec.replicas + object.metadata.name", "no_such_overload", /^no such overload/],
  ["object.metadata.name.size() < object.metadata.name", "no_such_overload", /^no such overload/],
  ["object.metadata.name.all(c, true)", "other", /^got 'types\.String', expected iterable type$/],
  ["object.metadata.name.all(i, c, true)", "other", /^unsupported comprehension range type: types\.String$/],
  ["object.spec.replicas.matches('a')", "no_such_overload", /^no such overload$/],
  ["object.spec.replicas.find('a')", "no_such_overload", /^no such overload$/],
  ["object.spec.replicas.matches(object.metadata.name)", "no_such_overload", /^no such overload: matches$/],
  ["object.metadata.name.indexOf('', -1)", "index", /^index out of range: -1$/],
  ["object.metadata.name.lastIndexOf('', -1)", "index", /^index out of range: -1$/],
  ["timestamp(object.metadata.name)", "other", /^invalid RFC 3339 timestamp "web"$/],
  [
    "timestamp(object.metadata.name.replace('web', '2024-02-30T00:00:00Z'))",
    "other",
    /^type conversion error/,
  ],
  ["timestamp(object.metadata.name.replace('web', '2024-01-01T1:00:00Z'))", "other", /^invalid RFC 3339/],
  ["timestamp(object.metadata.name.replace('web', '2024-01-01T00:00:00,5Z'))", "other", /^invalid RFC 3339/],
  ["timestamp(object.metadata.name.replace('web', '2024-01-01T00:00:00+24:00'))", "other", /^invalid RFC/],
  ["duration(object.spec.replicas)", "no_such_overload", /^no such overload: duration\(int\)$/],
  ["1.0 >= double(object.metadata.name.replace('web', 'NaN'))", "other", /^NaN values cannot be ordered$/],
  ["lists.range(1000001)", "other", /^lists\.range: size 1000001 exceeds maximum allowed \(1000000\)$/],
  ["optional.none().value()", "optional_none", /^optional\.none\(\) dereference$/],
  ["[1, 2].transformMapEntry(i, x, {'a': x})", "duplicate_key", /^insert failed: key a already exists$/],
  ["object.metadata.name.matches(object.metadata.name + '(')", "other", /error parsing regexp/],
  ["object.spec.none.field", "no_such_key", /^no such key: field$/],
  ["object.constructor", "no_such_key", /^no such key: constructor$/],
  ["object.__proto__", "no_such_key", /^no such key: __proto__$/],
  // A failed condition replaces the result of the rounds before it, a failed element does not.
  ...[
    ["exists_one(x, object[x] == 1)", "b"],
    ["filter(x, object[x] == 1)", "b"],
    ["map(x, object[x] == 1, x)", "b"],
    ["transformMap(i, x, object[x] == 1, x)", "b"],
    ["map(x, object[x])", "a"],
    ["exists(x, object[x] == 1)", "a"],
  ].map(([call, key]) =>
    [`['a', 'b', 'toString'].${call}`, "no_such_key", new RegExp(`^no such key: ${key}$`)] as const
  ),
];

for (const [text, kind, message] of errors) {
  Deno.test(`${text} is an error of kind ${kind}`, () => {
    const value = evaluate(text);
    assert(isCelFault(value), JSON.stringify(typed(value)));
    assert.equal(value.kind, kind);
    assert.match(value.message, message);
  });
}

const operands: readonly (readonly [text: string, message: string])[] = [
  ["dyn(1) + dyn('a')", "no such overload"],
  ["dyn([1]) + dyn('a')", "no such overload"],
  ["dyn(duration('1s')) * dyn(1)", "no such overload"],
  ["dyn('a') - dyn(1)", "no such overload"],
  ["dyn(1u) % dyn(1)", "no such overload"],
  ["dyn(1.5) % dyn(1)", "no such overload: _%_"],
  ["dyn([1]) - dyn(1)", "no such overload: _-_"],
  ["dyn(null) + dyn(1)", "no such overload: _+_"],
  ["dyn(true) + dyn(1)", "no such overload: _+_"],
  ["dyn(1) < dyn('a')", "no such overload"],
  ["dyn(true) < dyn('a')", "no such overload"],
  ["dyn([1]) < dyn(1)", "no such overload: _<_"],
  ["dyn(null) >= dyn(1)", "no such overload: _>=_"],
  ["dyn([1]) < dyn(double('NaN'))", "no such overload: _<_"],
  ["!dyn('a')", "no such overload"],
  ["-dyn('a')", "no such overload"],
  ["-dyn([1])", "no such overload: -_"],
  ["dyn(1).startsWith('a')", "no such overload"],
  ["[dyn(1), dyn('a')].sum()", "no such overload"],
];

Deno.test("an operator names itself in errors of some operands", () => {
  for (const [text, message] of operands) {
    const value = evaluate(text);
    assert.equal(isCelFault(value) && value.message, message, text);
  }
});

const absorbing: readonly (readonly [text: string, expected: boolean | "error"])[] = [
  ["object.missing || true", true],
  ["true || object.missing", true],
  ["object.missing || false", "error"],
  ["object.missing && false", false],
  ["object.missing && true", "error"],
  ["object.metadata.name || true", true],
  ["object.spec.containers.exists(c, c.missing || c.name == 'c2')", true],
  ["object.spec.containers.all(c, c.missing && c.name == 'c1')", false],
  ["object.spec.containers.exists_one(c, c.name == 'c2' || c.missing)", "error"],
  ["object.missing ? true : true", "error"],
];

for (const [text, expected] of absorbing) {
  Deno.test(`${text} is ${expected}`, () => {
    const value = evaluate(text);
    assert.equal(isCelFault(value) ? "error" : value, expected);
  });
}

Deno.test("compiling refuses a constant conversion that cannot succeed", () => {
  const environment = createEnvironment({ variables: {} });
  for (const text of ["int('x')", "duration('1d')", "timestamp('yesterday')", "'a'.matches('(')"]) {
    assert.equal(environment.compile(text).ok, false, text);
  }
});

Deno.test("without type checking, unknown names and wrong types are errors only where they are used", () => {
  const unchecked = { check: "none" } as const;
  assert.equal(evaluate("unknown || true", unchecked), true);
  assert(isCelFault(evaluate("unknown", unchecked)));
  assert(isCelFault(evaluate("missing(1)", unchecked)));
  assert(isCelFault(evaluate("1 + 'a'", unchecked)));
});

Deno.test("object types of a library are constructed as plain objects, and their fields are checked", () => {
  const declared: Readonly<Record<string, CelType>> = {
    Patch: objectType("Patch", {
      op: stringType,
      value: dynType,
      next: objectType("Patch", { op: stringType }),
    }),
  };
  const patches: Library = {
    name: "patches",
    functions: [],
    structs: (name) => Object.hasOwn(declared, name) ? declared[name] : undefined,
  };
  const libraries = [...kubernetesLibraries, patches];
  const value = evaluate("Patch{op: 'add', value: [1], ?next: optional.none()}", { libraries });
  assert.deepEqual(value, { op: "add", value: [1] });
  assert.equal(evaluate("Patch{op: 'add', next: Patch{op: 'x'}}.next.op", { libraries }), "x");
  const environment = createEnvironment({ variables: {}, libraries });
  for (const text of ["Patch{nope: 1}", "Patch{op: 1}", "Other{op: 'x'}"]) {
    assert.equal(environment.compile(text).ok, false, text);
  }
});
