/** Kyverno's own libraries that only compute. */
import assert from "node:assert/strict";
import { kyvernoLibraries, kyvernoLibrariesFor, orValueLibrary } from "../../../lib/cel/mod.ts";
import { jsonOf, RecordedCalls, testFacts, typedOf } from "./evaluate.ts";

const libraries = kyvernoLibraries;
const digest = "sha256:" + "0".repeat(64);

testFacts([
  ["image('nginx').registry()", "index.docker.io"],
  ["image('nginx') == image('nginx')", true],
  ["image('nginx') == image('docker.io/nginx')", false],
  ["parseImageReference('nginx').repository()", "library/nginx"],
  ["parseImageReference('docker.io/nginx').registry()", "index.docker.io"],
  ["image('nginx').tag()", "latest"],
  ["image('nginx').identifier()", "latest"],
  ["image('ghcr.io/kyverno/kyverno:v1.13').repository()", "kyverno/kyverno"],
  ["image('localhost:5000/app').registry()", "localhost:5000"],
  ["image('localhost/app').registry()", "localhost"],
  ["image('localhost/app').repository()", "app"],
  ["isImage('localhost/x')", false],
  [`image('ghcr.io/a/b:v1@${digest}').digest()`, digest],
  [`image('ghcr.io/a/b:v1@${digest}').identifier()`, digest],
  [`image('ghcr.io/a/b:v1@${digest}').tag()`, ""],
  [`image('ghcr.io/a/b@${digest}').containsDigest()`, true],
  ["image('ghcr.io/a/b').containsDigest()", false],
  ["isImage('ghcr.io/a/b')", true],
  ["isImage('Nginx')", false],
  ["isImage('a')", false],
  ["isImage('ab@sha256:12')", false],
  ["image('nginx') == image('nginx')", true],
  ["image('nginx') == image('nginx:latest')", false],
  ["image('Nginx')", /^other: could not parse reference: Nginx/],
], { libraries });

testFacts([
  ["parseServiceAccount('system:serviceaccount:foo:bar')", { Name: "bar", Namespace: "foo" }],
  ["user.parseServiceAccount('system:serviceaccount:foo:bar').Namespace", "foo"],
  ["parseServiceAccount('system:serviceaccount:foo:bar:baz').Name", "bar:baz"],
  ["parseServiceAccount('foo').Name", ""],
  ["parseServiceAccount('system:serviceaccount:foo').Name", ""],
  ["parseServiceAccount('x').name", /^compile: .*undefined field 'name'/],
], { libraries });

testFacts([
  ["sha1('hello')", "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d"],
  ["hash.sha256('hello')", "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"],
  ["md5('hello')", "5d41402abc4b2a76b9719d911017c592"],
  ["hash.md5('é')", "66ddcd97cfdeabb2f6fb8a999b4bc76f"],
  ["sha256(1)", /^compile: /],
], { libraries });

testFacts([
  ["base64.decode('YQ') == base64.decode('YQ==')", true],
  ["base64.decode('!')", /^other: illegal base64 data at input byte 0$/],
  ["math.greatest(dyn('a'))", /: no such overload: math\.@max\(string\)$/],
  ["math.least(dyn([]), 1)", /: no such overload: math\.@min\(list, int\)$/],
  ["math.greatest(dyn([]))", /^other: math\.@max\(list\) argument must not be empty$/],
], { libraries });

testFacts([
  ["math.round(3.14159, 2)", 3.14],
  ["math.round(2.5, 0)", 3],
  ["math.round(-2.5, 0)", -3],
  ["math.round(1234.5, -2)", 1200],
  ["math.round(2.5)", 3],
], { libraries });

testFacts([
  ["json.unmarshal('{\"a\": [1, null]}').a", [1, null]],
  ["json.unmarshal('{\"a\": 2}').a + 0.5", 2.5],
  ["json.unmarshal('{\"__proto__\": 1}').__proto__", 1],
  ["json.unmarshal('{')", /^other: unexpected end of JSON input$/],
  ["json.unmarshal('a: b')", /^other: invalid character 'a' looking for beginning of value$/],
  ["json.unmarshal('[1e400]')", /^other: invalid JSON/],
  ["json.unmarshal(1)", /^no_such_overload/],
  ["json.marshal({'b': [1, 2.0], 'a': '<'})", '{"a":"\\u003c","b":[1,2]}'],
  ["json.marshal('x')", '"x"'],
  ["json.marshal(object)", '{"b":1}'],
  ["yaml.parse('a: [1, yes]')", { a: [1, true] }],
  ["yaml.parse('a: b: c')", /^other: error converting YAML to JSON: yaml: /],
], { libraries, object: { b: 1 } });

Deno.test("numbers read from a text are doubles, as from Go's decoder", () => {
  assert.deepEqual(typedOf("json.unmarshal('1')", { libraries }), { t: "double", v: 1 });
  assert.deepEqual(typedOf("yaml.parse('1')", { libraries }), { t: "double", v: 1 });
});

testFacts([
  ["time.now() == timestamp('2026-01-02T03:04:05.678Z')", true],
  ["time.toCron(timestamp('2023-02-02T15:04:05Z'))", "4 15 2 2 4"],
  ["time.toCron(timestamp('2022-04-11T03:14:05-07:00'))", "14 3 11 4 1"],
  ["string(time.truncate(timestamp('2023-02-02T15:04:05Z'), duration('1h')))", "2023-02-02T15:00:00Z"],
  // Weeks begin on Mondays, since the first day of the year 1 was one.
  ["string(time.truncate(timestamp('2023-02-02T15:04:05Z'), duration('168h')))", "2023-01-30T00:00:00Z"],
  ["string(time.truncate(timestamp('2023-02-02T15:04:05Z'), duration('0s')))", "2023-02-02T15:04:05Z"],
  ["time.now()", "2026-01-02T03:04:05.678Z"],
], { libraries, external: new RecordedCalls() });

testFacts([
  ["listObjToMap([{'k': 'a'}, {'k': 'b'}], [{'v': 1}, {'v': 2}], 'k', 'v')", { a: 1, b: 2 }],
  ["transform.listObjToMap([{'k': 'a'}], [{'x': 1}], 'k', 'v')", { a: null }],
  ["listObjToMap([{'k': 'a'}], [], 'k', 'v')", /^other: listObjToMap must take lists of equal length/],
  ["listObjToMap([{'k': 1}], [{'v': 1}], 'k', 'v')", /^other: the passed key name cannot be handled/],
  ["listObjToMap(object.keys, object.values, 'name', 'value')", { x: "y" }],
], { libraries, object: { keys: [{ name: "x" }], values: [{ value: "y" }] } });

testFacts([
  ["random().matches('^[0-9a-z]{8}$')", true],
  ["random('[a-f]{3}-[0-9]').matches('^[a-f]{3}-[0-9]$')", true],
  ["random.random('ab+c').matches('^ab+c$')", true],
  ["random('[')", /^compile: .*missing closing \]/],
  ["random(object)", /^other: .*missing closing \)/],
], { libraries, external: new RecordedCalls(), object: "(" });

testFacts([
  ["gzip.decompress(gzip.compress('héllo'))", "héllo"],
  ["gzip.compress('a') == gzip.compress('a')", true],
  ["gzip.decompress(b'no')", /^other: gzip: /],
  ["gzip.compress(1)", /^no_such_overload/],
  ["x509.decode('nonsense')", /^other: failed to decode PEM block/],
], { libraries });

Deno.test("decompressing refuses more bytes than the limit", () => {
  const text = "0".repeat(1_000);
  const expression = `gzip.decompress(gzip.compress(${Array(15).fill("object").join(" + ")}))`;
  const object = text.repeat(1_000);
  assert.match(String(jsonOf(expression, { libraries, object })), /^other: gzip: |^cost/);
});

testFacts([
  ["generator.Apply('default', [])", /^compile: .*undeclared reference to 'generator'/],
  ["jsonpatch.escapeKey('a/b')", /^compile: /],
], { libraries });

testFacts([["jsonpatch.escapeKey('a/b')", "a~1b"]], {
  libraries: kyvernoLibrariesFor({ purpose: "mutate" }),
});

testFacts([
  ["regex.replace('hello world hello', 'hello', 'hi')", "hi world hi"],
  ["regex.replace('banana', 'a', 'x', 0)", "banana"],
  ["regex.replace('banana', 'a', 'x', 1)", "bxnana"],
  ["regex.replace('banana', 'a', 'x', -12)", "bxnxnx"],
  [String.raw`regex.replace('foo bar', '(fo)o (ba)r', r'\2 \1')`, "ba fo"],
  [String.raw`regex.replace('a', 'a', r'\\')`, "\\"],
  [String.raw`regex.replace('test', '(.)', r'\2')`, /^other: replacement string references group 2/],
  [String.raw`regex.replace('id=1', 'id', r'\values')`, /^other: invalid replacement string/],
  ["regex.replace('foo bar', '(', '$2 $1')", /^other: error parsing regexp/],
  ["regex.extract('item-A, item-B', 'item-([A-Z])').value()", "A"],
  ["regex.extract('HELLO', 'hello').hasValue()", false],
  ["regex.extract('a@b', '(.*)@(.*)')", /^other: regular expression has more than one capturing group/],
  ["regex.extract('a', '(')", /^other: error parsing regexp: missing closing/],
  ["regex.extractAll('id:123, id:456', 'id:[0-9]+')", ["id:123", "id:456"]],
  ["regex.extractAll('id:123, id:', 'id:([0-9]*)')", ["123"]],
  ["regex.extractAll('x', 'assa')", []],
], { libraries });

for (
  const [expression, expected] of [["[1].orValue([])", [1]], ["object.none.orValue(1)", null], [
    "object.?x.orValue(1)",
    1,
  ], ["object.?none.orValue(1)", null]] as const
) {
  Deno.test(`orValue() of a plain value is that value: ${expression}`, () => {
    assert.deepEqual(
      jsonOf(expression, { libraries: [...libraries, orValueLibrary], object: { none: null } }),
      expected,
    );
  });
}
