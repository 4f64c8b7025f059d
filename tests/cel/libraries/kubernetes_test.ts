/** Kubernetes' libraries of quantities, versions, lists, patterns and formats; the examples are its documentation's. */
import assert from "node:assert/strict";
import { Double, mutatingLibraries } from "../../../lib/cel/mod.ts";
import { costOf, jsonOf, testFacts, typedOf } from "./evaluate.ts";
import { processorTime } from "../../support/processor_time.ts";

testFacts([
  ["isQuantity('1.3Gi')", true],
  ["isQuantity('1,3G')", false],
  ["isQuantity('200K')", false],
  // The documentation says otherwise of a suffix alone; the code reads it as zero.
  ["isQuantity('Mi')", true],
  ["quantity('50000000G').isInteger()", true],
  ["quantity('9999999999999999999999999999999999999G').isInteger()", false],
  [
    "quantity('9999999999999999999999999999999999999G').asInteger()",
    /^other: cannot convert value to integer/,
  ],
  ["quantity('50k').asInteger() == 50000", true],
  ["quantity('50k').sub(20000).asApproximateFloat() == 30000.0", true],
  ["quantity('50k').add(quantity('20k')) == quantity('70k')", true],
  ["quantity('50k').add(20) == quantity('50020')", true],
  ["quantity('50k').add(20).sub(quantity('100k')).sub(-50000) == quantity('20')", true],
  ["quantity('200M').compareTo(quantity('0.2G'))", 0],
  ["quantity('50M').compareTo(quantity('50Mi'))", -1],
  ["quantity('150Mi').isGreaterThan(quantity('100Mi'))", true],
  ["quantity('100M').isLessThan(quantity('50M'))", false],
  ["sign(quantity('-1'))", -1],
  ["quantity('1').sign()", /^compile: .*no matching overload for 'sign'/],
  ["quantity('x')", /^other: quantities must match the regular expression/],
]);

testFacts([
  ["semver('1.2.3').major()", 1],
  ["semver('1.2.3').compareTo(semver('1.2.3'))", 0],
  ["semver('1.2.3').compareTo(semver('2.0.0'))", -1],
  ["semver('1.2.3').isGreaterThan(semver('1.2.3-alpha'))", true],
  ["semver('1.2.3+a') == semver('1.2.3+b')", true],
  ["isSemver('v1.0')", false],
  ["isSemver('v1.0', true)", true],
  ["semver('v01.01.01', true).compareTo(semver('1.1.1'))", 0],
  ["semver('1.0', true).patch()", 0],
  ["semver('1.0-rc', true)", /^other: short version cannot contain PreRelease\/Build meta data/],
  ["semver('1.2.a3', true)", /^other: Invalid character\(s\) found in patch number "0a3"/],
  ["semver('Three')", /^other: No Major.Minor.Patch elements found/],
  ["semver('99999999999999999999.0.0')", /^range: /],
]);

testFacts([
  ["[1, 2, 3].isSorted()", true],
  ["['a', 'b', 'b', 'c'].isSorted()", true],
  ["[2.0, 1.0].isSorted()", false],
  ["[].isSorted()", true],
  ["[1, 3].sum()", 4],
  ["[duration('1m'), duration('1s')].sum() == duration('1m1s')", true],
  ["[].sum()", 0],
  ["[9223372036854775807, 1].sum()", /^overflow: /],
  ["[dyn(1), dyn(2.5)].sum()", /^no_such_overload/],
  ["['b', 'a', 'c'].min()", "a"],
  ["[1u, 3u].max() == 3u", true],
  ["[].max()", /^other: max called on empty list/],
  ["[[1]].min()", /^compile: /],
  ["[1, 2, 2, 3].indexOf(2)", 1],
  ["['a', 'b', 'b', 'c'].lastIndexOf('b')", 2],
  ["[1.0].indexOf(1.1)", -1],
  ["'abcb'.lastIndexOf('b')", 3],
  ["object.exact.sum()", 6.75],
  ["object.mixed.sum()", /^no_such_overload/],
], { object: { exact: [1.5, 2.25, new Double(3)], mixed: [1.5, 2.25, 3] } });

Deno.test("sum keeps the type of the elements", () => {
  assert.deepEqual(typedOf("[1.0, 3.0].sum()"), { t: "double", v: 4 });
  assert.deepEqual(typedOf("[1u, 2u].sum()"), { t: "uint", v: "3" });
});

testFacts([
  ["'abc 123'.find('[0-9]+')", "123"],
  ["'abc 123'.find('xyz')", ""],
  ["'123 abc 456'.findAll('[0-9]+')", ["123", "456"]],
  ["'123 abc 456'.findAll('[0-9]+', 1)", ["123"]],
  ["'123 abc 456'.findAll('[0-9]+', 0)", []],
  ["'abc'.findAll('xyz')", []],
  // An empty match right after another is none.
  ["'baaac'.findAll('a*')", ["", "aaa", ""]],
  ["'日本'.findAll('')", ["", "", ""]],
  ["'a'.find('(')", /^compile: .*error parsing regexp: missing closing \)/],
  ["'a'.find(object)", /^other: Illegal regex: error parsing regexp: missing closing \)/],
], { object: "(" });

Deno.test("a pattern from a resource matches in time linear in the text", () => {
  const object = { text: "a".repeat(50_000), pattern: "(a+)+$b" };
  const start = processorTime();
  jsonOf("object.text.find(object.pattern)", { object });
  assert(processorTime() - start < 5_000);
});

testFacts([
  ["format.dns1123Label().validate('my-label-name')", null],
  ["format.dns1123Label().validate('a.b').value()", ["must not contain dots"]],
  ["format.dns1123Subdomain().validate('apiextensions.k8s.io').hasValue()", false],
  ["format.dns1035Label().validate('1a').hasValue()", true],
  ["format.qualifiedName().validate('apiextensions.k8s.io/v1beta1').hasValue()", false],
  ["format.qualifiedName().validate('/x').value()", ["prefix part must be non-empty"]],
  ["format.dns1123LabelPrefix().validate('my-label-prefix-').hasValue()", false],
  ["format.dns1123SubdomainPrefix().validate('mysubdomain.prefix-').hasValue()", false],
  ["format.labelValue().validate('').hasValue()", false],
  ["format.uri().validate('::').value()", ['parse "::": missing protocol scheme']],
  ["format.uuid().validate('123e4567-e89b-12d3-a456-426614174000').hasValue()", false],
  ["format.byte().validate('aGVsbG8=').hasValue()", false],
  ["format.byte().validate('').value()", ["invalid base64"]],
  ["format.date().validate('2021-02-30').value()", ["invalid date"]],
  ["format.date().validate('2024-02-29').hasValue()", false],
  ["format.datetime().validate('2021-01-01T00:00:00Z').hasValue()", false],
  ["format.datetime().validate('2021-01-01 00:00:00Z').value()", ["invalid datetime"]],
  ["format.named('nope').hasValue()", false],
  ["format.named('toString').hasValue()", false],
  ["format.named('uri').value() == format.uri()", true],
]);

Deno.test("validating a format costs as much as a search for its longest pattern", () => {
  assert.equal(costOf("format.dns1123Label().validate('abc')"), 9);
  assert.equal(costOf("format.named('uri').value().validate('http://a')"), 278);
});

testFacts([
  ["'/metadata/labels/' + jsonpatch.escapeKey('k8s.io/my~label')", "/metadata/labels/k8s.io~1my~0label"],
], { libraries: mutatingLibraries });

testFacts([["jsonpatch.escapeKey('a')", /^compile: .*undeclared reference/]]);
