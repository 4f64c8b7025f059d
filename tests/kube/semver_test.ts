import assert from "node:assert/strict";
import { isFault } from "../../lib/json/mod.ts";
import {
  compareSemver,
  compileSemverRange,
  formatSemver,
  parseSemver,
  type Semver,
} from "../../lib/kube/mod.ts";

function version(text: string): Semver {
  const parsed = parseSemver(text);
  if (isFault(parsed)) throw new Error(`${text}: ${parsed.message}`);
  return parsed;
}

Deno.test("versions are ordered as semver.org says", () => {
  const ordered = [
    "0.0.1",
    "0.1.0",
    "1.0.0-1",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.2.0",
    "1.10.0",
    "18446744073709551615.0.0",
  ];
  for (const [i, left] of ordered.entries()) {
    for (const [j, right] of ordered.entries()) {
      assert.equal(compareSemver(version(left), version(right)), Math.sign(i - j), `${left} ${right}`);
    }
  }
  assert.equal(compareSemver(version("1.0.0+a"), version("1.0.0+b")), 0);
});

Deno.test("a version prints unchanged", () => {
  for (const text of ["1.2.3", "1.2.3-rc.1.x-y", "1.2.3+b.001", "1.2.3-0+b"]) {
    assert.equal(formatSemver(version(text)), text);
  }
});

for (
  const text of [
    "",
    "1",
    "1.2",
    "v1.2.3",
    "1.2.x",
    "01.2.3",
    "1.2.03",
    "1.2.3-01",
    "1.2.3-",
    "1.2.3+",
    "1..3",
  ]
    .concat(["1.2.3-a..b", "1.2.3-ä", "18446744073709551616.0.0", " 1.2.3", "1.2.3 ", "-1.2.3"])
) {
  Deno.test(`${JSON.stringify(text)} is no version`, () => assert.ok(isFault(parseSemver(text))));
}

const ranges: [range: string, inside: string[], outside: string[]][] = [
  ["1.2.3", ["1.2.3", "1.2.3+b"], ["1.2.4", "1.2.3-rc"]],
  ["==1.2.3", ["1.2.3"], ["1.2.4"]],
  ["!=1.2.3", ["1.2.4"], ["1.2.3"]],
  ["!1.2.3", ["1.2.4"], ["1.2.3"]],
  [">1.0.0 <2.0.0", ["1.0.1", "2.0.0-rc.1"], ["1.0.0", "2.0.0"]],
  ["> 1.0.0   <= 2.0.0", ["2.0.0"], ["1.0.0", "2.0.1"]],
  [">1.0.0 <2.0.0 || >3.0.0 !4.2.1", ["1.2.3", "3.1.1"], ["4.2.1", "2.1.1"]],
  ["1.x", ["1.0.0", "1.9.9", "2.0.0-rc"], ["2.0.0", "0.9.9"]],
  ["1.2.x", ["1.2.0", "1.2.9"], ["1.3.0"]],
  [">1.x", ["2.0.0"], ["1.9.9"]],
  [">=1.x", ["1.0.0"], ["0.9.0"]],
  ["<1.x", ["0.9.0"], ["1.0.0"]],
  ["<=1.x", ["1.9.0"], ["2.0.0"]],
  ["~1.x", ["1.0.0"], ["1.0.1"]],
];
for (const [text, inside, outside] of ranges) {
  Deno.test(`range ${text} contains its versions and no others`, () => {
    const range = compileSemverRange(text);
    assert.ok(!isFault(range));
    for (const each of inside) assert.equal(range(version(each)), true, each);
    for (const each of outside) assert.equal(range(version(each)), false, each);
  });
}

Deno.test("a negated x-range matches nothing", () => {
  const range = compileSemverRange("!=1.x");
  assert.ok(!isFault(range));
  for (const each of ["0.9.0", "1.0.0", "2.0.0"]) assert.equal(range(version(each)), false);
});

Deno.test("1.x.x is 1.0.x", () => {
  const range = compileSemverRange("1.x.x");
  assert.ok(!isFault(range));
  assert.equal(range(version("1.0.9")), true);
  assert.equal(range(version("1.1.0")), false);
});

Deno.test("a range drops words of one character", () => {
  const range = compileSemverRange("1.0.0 x");
  assert.ok(!isFault(range));
  assert.equal(range(version("1.0.0")), true);
});

for (
  const text of [
    "",
    "||",
    "|| 1.0.0",
    "1.0.0 ||",
    "1.0.0 || || 2.0.0",
    "1.2",
    ">>1.0.0",
    "^1.0.0",
    "1.0.0-x",
    "1.*",
  ]
) {
  Deno.test(`${JSON.stringify(text)} is no range`, () => assert.ok(isFault(compileSemverRange(text))));
}
