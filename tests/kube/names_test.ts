/** Formats of names, and image references as registry clients read them. */
import assert from "node:assert/strict";
import { isFault } from "../../lib/json/mod.ts";
import {
  compileTextGenerator,
  dns1035LabelProblems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  parseImageReference,
  qualifiedNameProblems,
  withoutTrailingDash,
} from "../../lib/kube/mod.ts";
import { processorTime } from "../support/processor_time.ts";

const good: readonly (readonly [check: (text: string) => readonly string[], texts: readonly string[]])[] = [
  [dnsLabelProblems, ["a", "1", "a-b", "a".repeat(63)]],
  [dnsSubdomainProblems, ["a", "a.b", "1.2", "a".repeat(253)]],
  [dns1035LabelProblems, ["a", "a1-b"]],
  [qualifiedNameProblems, ["a", "A_b.c", "example.com/a"]],
  [labelValueProblems, ["", "a", "A_b.c-9"]],
];
for (const [check, texts] of good) {
  for (const text of texts) {
    Deno.test(`${check.name} finds nothing in ${text.slice(0, 20)}`, () => assert.deepEqual(check(text), []));
  }
}

const bad: readonly (readonly [check: (text: string) => readonly string[], text: string, problem: RegExp])[] =
  [
    [dnsLabelProblems, "a.b", /^must not contain dots$/],
    [
      dnsLabelProblems,
      "A",
      /^a lowercase RFC 1123 label .*\(e\.g\. 'my-name', {2}or '123-abc', regex used for validation is '\[a-z0-9\]/,
    ],
    [dnsLabelProblems, "a\n", /^a lowercase RFC 1123 label/],
    [dnsLabelProblems, "a".repeat(64), /^must be no more than 63 characters$/],
    [dnsSubdomainProblems, "a..b", /^a lowercase RFC 1123 subdomain/],
    [dns1035LabelProblems, "1a", /^a DNS-1035 label/],
    [qualifiedNameProblems, "a/b/c", /^a valid label key must consist .*\(e\.g\. 'example\.com\/MyName'\)$/],
    [qualifiedNameProblems, "A.b/c", /^prefix part a lowercase RFC 1123 subdomain/],
    [qualifiedNameProblems, "a/", /^name part must be non-empty$/],
    [qualifiedNameProblems, "-", /^name part must consist/],
    [labelValueProblems, "a b", /^a valid label must be an empty string/],
    [labelValueProblems, "é".repeat(32), /^must be no more than 63 bytes$/],
  ];
for (const [check, text, problem] of bad) {
  Deno.test(`${check.name} finds what is wrong with ${JSON.stringify(text.slice(0, 20))}`, () => {
    assert.match(check(text)[0] ?? "", problem);
  });
}

Deno.test("names are checked in linear time", () => {
  const start = processorTime();
  for (const check of [dnsLabelProblems, dnsSubdomainProblems, qualifiedNameProblems, labelValueProblems]) {
    check("-".repeat(90_000));
    check("a".repeat(90_000) + "!");
    check("a-".repeat(2_000_000));
  }
  assert(processorTime() - start < 3_000);
});

Deno.test("a dash at the end of a prefix counts as a character", () => {
  assert.equal(withoutTrailingDash("my-label-"), "my-labea");
  assert.equal(withoutTrailingDash("-"), "-");
});

const references: readonly (readonly [text: string, registry: string, repository: string, name: string])[] = [
  ["nginx", "index.docker.io", "library/nginx", "latest"],
  ["docker.io/nginx:1", "index.docker.io", "library/nginx", "1"],
  ["foo/nginx", "index.docker.io", "foo/nginx", "latest"],
  ["ghcr.io/a/b:v1.0_x", "ghcr.io", "a/b", "v1.0_x"],
  ["localhost:5000/app", "localhost:5000", "app", "latest"],
  [`a.b/cd:t@sha256:${"1".repeat(64)}`, "a.b", "cd", `sha256:${"1".repeat(64)}`],
];
for (const [text, registry, repository, name] of references) {
  Deno.test(`${text.slice(0, 30)} is ${repository} of ${registry}`, () => {
    const reference = parseImageReference(text);
    assert(!isFault(reference));
    assert.deepEqual([reference.registry, reference.repository], [registry, repository]);
    assert.equal(reference.digest === "" ? reference.tag : reference.digest, name);
  });
}

for (
  const text of [
    "",
    "a",
    "A",
    "a b",
    "ab@sha256:1",
    "ab:",
    "ab:-x y",
    "ghcr.io/A",
    "[.]/ab",
    "x".repeat(5_000),
  ]
) {
  Deno.test(`${JSON.stringify(text.slice(0, 20))} is no image reference`, () => {
    assert(isFault(parseImageReference(text)));
  });
}

Deno.test("a generator makes texts that its pattern matches, and no others", () => {
  for (const pattern of ["[0-9a-z]{8}", "a(b|c)+d?", "\\d{2}-x"]) {
    const generate = compileTextGenerator(pattern);
    assert(!isFault(generate));
    for (const chance of [0, 0.3, 0.999]) {
      assert.match(generate(() => chance), new RegExp(`^(?:${pattern})$`));
    }
  }
  assert(isFault(compileTextGenerator("[")));
});
