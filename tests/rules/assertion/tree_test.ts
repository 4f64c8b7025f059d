import assert from "node:assert/strict";
import type { Json } from "../../../lib/json/mod.ts";
import type { PathDiagnostic } from "../../../lib/diagnostics/mod.ts";
import { compileTree, readStatement } from "../../../lib/rules/assertion/mod.ts";
import { compilers, violationsOf } from "./tools.ts";

const foo = { foo: { baz: true, bar: 4, bat: 6 } };

// The examples of the documentation of assertion trees.
const documented: [name: string, tree: Json, payload: Json, violations: string[]][] = [
  [
    "a default service account",
    {
      spec: { "(serviceAccountName == 'default')": false },
    },
    { spec: { serviceAccountName: "default" } },
    [
      "spec.(serviceAccountName == 'default'): Invalid value: true: Expected value: false",
    ],
  ],
  ["expressions as keys", { foo: { "(bar > `3`)": true, "(!baz)": false, "(bar + bat)": 10 } }, foo, []],
  ["a list as a whole", { foo: { bar: [1, 2, 3] } }, { foo: { bar: [1, 2, 3] } }, []],
  ["a list element by element", { foo: { "~.bar": { "(@ < `5`)": true } } }, { foo: { bar: [1, 2, 7] } }, [
    "foo.~.bar[2].(@ < `5`): Invalid value: false: Expected value: true",
  ]],
  ["a binding", { foo: { "(bar + bat)->sum": { "($sum)": 10 } } }, foo, []],
  [
    "a binding that is overridden below only",
    { foo: { "(bar + bat)->sum": { "($sum + $sum)->sum": { "($sum)": 20 }, "($sum)": 10 } } },
    foo,
    [],
  ],
  ["an escaped key", { foo: { "\\(bar)\\": 10 } }, { foo: { "(bar)": 4 } }, [
    "foo.\\(bar)\\: Invalid value: 4: Expected value: 10",
  ]],
  ["an escaped key with iteration", { foo: { "~index.\\baz\\": { "($index == @)": true } } }, {
    foo: { baz: [0, 1, 2] },
  }, []],
  ["an escaped key with a binding", { foo: { "\\baz\\@foo": { "($foo)": [1] } } }, { foo: { baz: [1] } }, []],
  ["an escaped key with both", { foo: { "~index.\\baz\\@foo": { "(length($foo) > $index)": true } } }, {
    foo: { baz: [1, 2] },
  }, []],
];
for (const [name, tree, payload, violations] of documented) {
  Deno.test(`a tree evaluates ${name}`, () => assert.deepEqual(violationsOf(tree, payload), violations));
}

const payload = {
  kind: "Pod",
  n: 3,
  f: 1.5,
  z: null,
  list: ["a", "b"],
  map: { x: { v: 1 }, y: { v: 2 } },
  e: [],
  "a->b": 6,
};
const cases: [name: string, tree: Json, violations: string[]][] = [
  ["a missing field", { missing: null }, ["missing: Required value: field not found in the input object"]],
  ["a field of null", { z: { deeper: 1 } }, [
    "z.deeper: Required value: field not found in the input object",
  ]],
  ["a field of a text", { kind: { deeper: 1 } }, [
    "fault: kind.deeper: Internal error: projection not recognized",
  ]],
  ["null as expected", { z: null }, []],
  ["null against a value", { n: null }, ["n: Invalid value: 3: Expected value: <nil>"]],
  ["a value against null", { z: 1 }, ["z: Invalid value: null: Expected value: 1"]],
  ["an empty object as anything but null", { n: {}, z: {} }, [
    "z: Invalid value: null: invalid value, must not be null",
  ]],
  ["numbers by value", { n: 3.0, f: 1.5 }, []],
  ["a text against a number", { n: "3" }, [
    "fault: n: Internal error: types are not comparable, string - int64",
  ]],
  ["a list against a text", { kind: ["a"] }, ['fault: kind: Invalid value: "Pod": expected a slice']],
  ["a list against null", { z: ["a"] }, ["z: Invalid value: null: value is null"]],
  ["a list of another length", { list: ["a"] }, [
    'list: Invalid value: ["a","b"]: lengths of slices don\'t match',
  ]],
  ["elements of a list", { list: ["a", "c"] }, ['list[1]: Invalid value: "b": Expected value: "c"']],
  ["an expression of the wanted value", { n: "(@)", f: "($payload)" }, [
    "fault: f: Internal error: variable not defined: $payload",
  ]],
  ["a computed list", { list: "(['a', 'c'])" }, [
    'list: Invalid value: ["a","b"]: Expected value: []interface {}{"a", "c"}',
  ]],
  ["a computed object as a part", { map: "({x: {v: `1`}})" }, []],
  ["an escaped text", { kind: "\\(Pod)\\" }, ['kind: Invalid value: "Pod": Expected value: "(Pod)"']],
  ["an object by its keys", { "~key.map": { "($key)": "x" } }, [
    '~key.map[y].($key): Invalid value: "y": Expected value: "x"',
  ]],
  ["an empty list element by element", { "~.e": { nothing: 1 } }, []],
  ["a text element by element", { "~.kind": 1 }, [
    'fault: ~.kind: Invalid value: "Pod": expected a slice or a map',
  ]],
  ["null element by element", { "~.z": 1 }, ["fault: ~.z: Invalid value: null: expected a slice or a map"]],
  ["a key with an arrow, escaped", { "\\a->b\\": 6 }, []],
  ["a new name in the branches that follow", { "(n)->x": 3, "($x + `1`)": 4 }, []],
  ["CEL beside JMESPath", { "(cel;object.n > 2)": true, "(jp;length(list))": 2 }, []],
  ["bindings in CEL", { "(n)->x": { "(cel;bindings.resolve('x') + 1)": 4 } }, []],
  ["missing bindings in CEL", { "(cel;bindings.resolve('y'))": 4 }, [
    "fault: (cel;bindings.resolve('y')): Internal error: variable not defined: $y",
  ]],
  ["division by zero", { "(n / `0`)": 1 }, [
    "fault: (n / `0`): Internal error: the result Infinity is not a JSON number",
  ]],
  ["inherited names as missing", { toString: {} }, [
    "toString: Required value: field not found in the input object",
  ]],
  ["the payload itself", 1, ["fault: <nil>: Internal error: types are not comparable, int64 - map"]],
];
for (const [name, tree, violations] of cases) {
  Deno.test(`a tree compares ${name}`, () => assert.deepEqual(violationsOf(tree, payload), violations));
}

const broken: [tree: Json, problem: Pick<PathDiagnostic, "path" | "message">][] = [
  [{ a: { "(bad[)": 1 } }, {
    path: ["check", "a", "(bad[)"],
    message:
      'check.a.(bad[): Invalid value: "bad[": SyntaxError: expected *, found the end of the expression at character 5',
  }],
  [{ a: "~.x" }, {
    path: ["check", "a"],
    message: 'check.a: Invalid value: "~.x": foreach is not supported in scalar projections',
  }],
  [{ a: ["x->y"] }, {
    path: ["check", "a", 0],
    message: 'check.a[0]: Invalid value: "x->y": binding is not supported in scalar projections',
  }],
  [{ "(js;1)": 1 }, {
    path: ["check", "(js;1)"],
    message: 'check.(js;1): Invalid value: "1": unknown compiler js, must be one of jp, cel',
  }],
];
for (const [tree, problem] of broken) {
  Deno.test(`compileTree() reports ${problem.message}`, () => {
    const problems: PathDiagnostic[] = [];
    compileTree(tree, { compilers, path: ["check"], report: (found) => problems.push(found) });
    assert.deepEqual(problems, [{ severity: "error", code: "bad-assertion", ...problem }]);
  });
}

const statements: [
  key: string,
  each: string | undefined,
  binding: string | undefined,
  kind: string,
  text: string,
][] = [
  ["a.b/c", undefined, undefined, "literal", "a.b/c"],
  ["~.a", "", undefined, "literal", "a"],
  ["~i.a->b", "i", "b", "literal", "a"],
  ["~i", undefined, undefined, "literal", "~i"],
  ["~a-b.c", undefined, undefined, "literal", "~a-b.c"],
  ["(a) -> b", undefined, "b", "expression", "a"],
  ["a->", undefined, undefined, "literal", "a->"],
  ["a->b c", undefined, undefined, "literal", "a->b c"],
  ["()", undefined, undefined, "literal", "()"],
  ["(a", undefined, undefined, "literal", "(a"],
  ["\\\\", undefined, undefined, "literal", "\\\\"],
  ["\\(a)->b\\", undefined, undefined, "literal", "(a)->b"],
  ["\\(a)->b\\->c", undefined, "c", "literal", "(a)->b"],
  ["a\\@b", undefined, undefined, "literal", "a\\@b"],
];
for (const [key, each, binding, kind, text] of statements) {
  Deno.test(`readStatement() splits ${key}`, () => {
    const statement = readStatement(key);
    assert.equal(statement.each === undefined ? undefined : statement.each.index ?? "", each);
    assert.deepEqual([statement.binding, statement.reading.kind, statement.text], [binding, kind, text]);
  });
}
