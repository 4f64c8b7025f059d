import assert from "node:assert/strict";
import { dig } from "../../../lib/json/mod.ts";
import { denialMessage } from "../../../lib/report/mod.ts";
import { decideImages, digests, podOf, policy } from "./setting.ts";

const key = (name: string): string => `{keys: {publicKeys: ${name}}}`;
const plain = "mutateDigest: false, verifyDigest: false, required: false";

/** Attestors of one entry, an image, and what the rule says of it. */
const attestors: readonly (readonly [string, string, readonly string[]])[] = [
  [`[{entries: [${key("A")}]}]`, "r.io/one:v1", ["pass verified image signatures for r.io/one:v1"]],
  [`[{entries: [${key("A")}]}]`, "r.io/two:v1", [
    "fail failed to verify image r.io/two:v1: .attestors[0].entries[0].keys: no matching signatures: invalid signature",
  ]],
  [`[{entries: [${key("A")}, ${key("B")}]}]`, "r.io/one:v1", [
    "fail failed to verify image r.io/one:v1: .attestors[0].entries[1].keys: no matching signatures: invalid signature",
  ]],
  [`[{entries: [${key("A")}, ${key("B")}]}]`, "r.io/three:v1", [
    "pass verified image signatures for r.io/three:v1",
  ]],
  [`[{count: 1, entries: [${key("A")}, ${key("B")}]}]`, "r.io/two:v1", [
    "pass verified image signatures for r.io/two:v1",
  ]],
  [`[{count: 1, entries: [${key("A")}, ${key("B")}]}]`, "r.io/none:v1", [
    "fail failed to verify image r.io/none:v1: .attestors[0].entries[0].keys: no matching signatures: invalid signature; " +
    ".attestors[0].entries[1].keys: no matching signatures: invalid signature",
  ]],
  [`[{entries: [${key("A")}]}, {entries: [${key("B")}]}]`, "r.io/one:v1", [
    "fail failed to verify image r.io/one:v1: .attestors[1].entries[0].keys: no matching signatures: invalid signature",
  ]],
  [`[{entries: [{attestor: {count: 1, entries: [${key("A")}, ${key("B")}]}}]}]`, "r.io/two:v1", [
    "pass verified image signatures for r.io/two:v1",
  ]],
  [`[{entries: [{attestor: {entries: [${key("C")}]}}]}]`, "r.io/two:v1", [
    "fail failed to verify image r.io/two:v1: .attestors[0].entries[0].attestor.entries[0].keys: " +
    "no matching signatures: invalid signature",
  ]],
  [`[{entries: [${key("A")}]}]`, "r.io/far:v1", [
    "error failed to verify image r.io/far:v1: .attestors[0].entries[0].keys: connection refused",
  ]],
  [`[{count: 1, entries: [${key("A")}, ${key("B")}]}]`, "r.io/gone:v1", [
    "fail failed to verify image r.io/gone:v1: .attestors[0].entries[0].keys: image tag not found; " +
    ".attestors[0].entries[1].keys: image tag not found",
  ]],
];

for (const [written, image, expected] of attestors) {
  Deno.test(`attestors ${written} about ${image}`, async () => {
    const text = policy(`[{imageReferences: ["r.io/*"], ${plain}, attestors: ${written}}]`);
    assert.deepEqual((await decideImages(text, podOf([image]))).rows, expected);
  });
}

Deno.test("entries are verified in order until `count` of them succeed", async () => {
  const text = policy(
    `[{imageReferences: ["r.io/*"], ${plain}, attestors: [{count: 1, entries: [${key("A")}, ${key("B")}]}]}]`,
  );
  const { signatures } = await decideImages(text, podOf(["r.io/three:v1"]));
  assert.deepEqual(signatures.queries.map(({ by }) => by.kind === "key" && by.key), ["A"]);
});

Deno.test("the images of an object are verified at the same time, the entries of each in order", async () => {
  const text = policy(
    `[{imageReferences: ["r.io/*"], ${plain}, attestors: [{count: 1, entries: [${key("C")}, ${key("A")}]}]}]`,
  );
  const { signatures, rows } = await decideImages(
    text,
    podOf(["r.io/one:v1", "r.io/two:v1", "r.io/three:v1"]),
  );
  assert.equal(signatures.mostAtOnce, 3);
  assert.equal(signatures.queries.length, 6);
  assert.equal(rows.length, 3);
});

Deno.test("two policies verify in parallel, and share an equal verification", async () => {
  const entries = `[{imageReferences: ["r.io/*"], ${plain}, attestors: [{entries: [${key("A")}]}]}]`;
  const other = policy(entries).replace("name: p}", "name: q}");
  const { signatures, rows } = await decideImages(policy(entries) + other, podOf(["r.io/one:v1"]));
  assert.equal(signatures.queries.length, 1);
  assert.equal(rows.length, 2);
});

Deno.test("each of several keys in one text is one entry", async () => {
  const pem = (name: string): string => `-----BEGIN PUBLIC KEY-----\\n${name}\\n-----END PUBLIC KEY-----\\n`;
  const text = policy(
    `[{imageReferences: ["r.io/*"], ${plain}, attestors: [{count: 1, entries: [{keys: {publicKeys: "${
      pem("x")
    }${pem("y")}"}}]}]}]`,
  );
  const { rows, signatures } = await decideImages(text, podOf(["r.io/one:v1"]));
  assert.equal(signatures.queries.length, 2);
  assert.match(rows[0]!, /entries\[0\]\.keys: .*; \.attestors\[0\]\.entries\[1\]\.keys: /);
});

Deno.test("a rule replaces the tag with the digest, and records the image with it", async () => {
  const text = policy(
    `[{imageReferences: ["r.io/*"], failureAction: Enforce, attestors: [{entries: [${key("A")}]}]}]`,
  );
  const { images, scoped, decision, signatures } = await decideImages(text, podOf(["r.io/one:v1"]));
  assert.deepEqual(images, [`r.io/one:v1@${digests.one}`]);
  assert.equal(scoped, `{"version":1,"policies":{"/p":{"check":{"r.io/one@${digests.one}":"pass"}}}}`);
  assert.equal(
    dig(decision.object, "metadata", "annotations", "kyverno.io/verify-images"),
    `{"r.io/one@${digests.one}":"pass"}`,
  );
  assert.deepEqual(signatures.digestReads, [], "verification found the digest already");
});

Deno.test("without attestors a rule only adds the digest, and records nothing", async () => {
  const text = policy(`[{imageReferences: ["r.io/*"], failureAction: Enforce}]`);
  const { images, scoped, rows } = await decideImages(text, podOf(["r.io/one:v1"]));
  assert.deepEqual(images, [`r.io/one:v1@${digests.one}`]);
  assert.deepEqual(rows, ["pass mutated image digest"]);
  assert.equal(scoped, undefined);
});

Deno.test("a digest that cannot be resolved is an error beside the result", async () => {
  const text = policy(`[{imageReferences: ["r.io/*"], failureAction: Enforce}]`);
  const { rows, decision } = await decideImages(text, podOf(["r.io/gone:v1"]));
  assert.deepEqual(rows, [
    "error failed to update digest: failed to fetch image reference: r.io/gone:v1, error: MANIFEST_UNKNOWN: manifest unknown",
  ]);
  assert.equal(decision.allowed, false);
});

Deno.test("a skipped image is reported and counts as verified", async () => {
  const text = policy(
    `[{imageReferences: ["r.io/*"], skipImageReferences: ["r.io/none:*"], ${plain}, attestors: [{entries: [${
      key("A")
    }]}]}]`,
  );
  const { rows, scoped, signatures } = await decideImages(text, podOf(["r.io/none:v1"]));
  assert.deepEqual(rows, ["skip skipping image reference image r.io/none:v1, policy p ruleName check"]);
  assert.match(scoped!, /"r.io\/none:v1":"skip"/);
  assert.equal(signatures.queries.length, 0);
});

Deno.test("an image that is skipped under its tag and then gets a digest counts under its digest alone", async () => {
  const entry =
    `{imageReferences: ["r.io/*"], skipImageReferences: ["r.io/one:*"], failureAction: Enforce, attestors: [{entries: [${
      key("A")
    }]}]}`;
  const { scoped, decision } = await decideImages(policy(`[${entry}]`), podOf(["r.io/one:v1"]));
  const flat = dig(decision.object, "metadata", "annotations", "kyverno.io/verify-images");
  const pinned = `"r.io/one@${digests.one}":"skip"`;
  assert.equal(scoped, `{"version":1,"policies":{"/p":{"check":{${pinned}}}}}`);
  assert.equal(flat, `{"r.io/one:v1":"skip",${pinned}}`);
});

Deno.test("an image that matches two entries is in the list twice", async () => {
  const entry = `{imageReferences: ["r.io/*"], ${plain}, attestors: [{entries: [${key("A")}]}]}`;
  const { rows } = await decideImages(policy(`[${entry}, ${entry}]`), podOf(["r.io/one:v1"]));
  const passed = "pass verified image signatures for r.io/one:v1";
  assert.deepEqual(rows, [passed, passed, passed, passed]);
});

Deno.test("a skip in one entry never replaces a failure in another", async () => {
  const entry = (reference: string, name: string): string =>
    `{imageReferences: ["${reference}"], mutateDigest: false, verifyDigest: false, attestors: [{entries: [${
      key(name)
    }]}]}`;
  const text = policy(`[${entry("r.io/two:*", "A")}, ${entry("r.io/one:*", "A")}]`);
  const { scoped, decision } = await decideImages(text, podOf(["r.io/one:v1", "r.io/two:v1"]));
  assert.match(scoped!, /"r.io\/two:v1":"fail"/);
  const after = await decideImages(text, decision.object!, { phase: "validate" });
  assert.deepEqual(after.rows, ["fail unverified image r.io/two:v1"]);
});

Deno.test("a rule that matches no image of the object has no result", async () => {
  const text = policy(`[{imageReferences: ["r.io/*"], ${plain}, attestors: [{entries: [${key("A")}]}]}]`);
  const { rows, signatures } = await decideImages(text, podOf(["ghcr.io/a/b:v1"]));
  assert.deepEqual([rows, signatures.queries.length], [[], 0]);
});

Deno.test("an object with an unreadable image is denied in both phases", async () => {
  const text = policy(
    `[{imageReferences: ["r.io/*"], failureAction: Enforce, attestors: [{entries: [${key("A")}]}]}]`,
  );
  for (const phase of ["mutate", "validate"] as const) {
    const { decision, rows } = await decideImages(text, podOf(["r.io/one:v1", "Not An Image"]), { phase });
    assert.equal(decision.allowed, false, phase);
    assert.match(rows[0]!, /^fail failed to extract images: invalid image 'Not An Image'/);
  }
});

Deno.test("a failure of an enforced rule denies the request, and every failure is reported", async () => {
  const enforced = policy(
    `[{imageReferences: ["r.io/*"], failureAction: Enforce, attestors: [{entries: [${key("A")}]}]}]`,
  );
  const audited = policy(`[{imageReferences: ["r.io/*"], ${plain}, attestors: [{entries: [${key("C")}]}]}]`)
    .replace("name: p}", "name: q}");
  const { decision } = await decideImages(enforced + audited, podOf(["r.io/two:v1"]));
  assert.equal(decision.allowed, false);
  assert.deepEqual(decision.patch, []);
  assert.equal(
    denialMessage(decision, { kind: "Pod", namespace: "default", name: "web" }),
    `

resource Pod/default/web was blocked due to the following policies 

p:
  check: 'failed to verify image r.io/two:v1: .attestors[0].entries[0].keys: no matching signatures: invalid signature'
q:
  check: 'failed to verify image r.io/two:v1: .attestors[0].entries[0].keys: no matching signatures: invalid signature'
`,
  );
});

Deno.test("a failure under Audit is recorded, and an error denies the request", async () => {
  const text = policy(`[{imageReferences: ["r.io/*"], ${plain}, attestors: [{entries: [${key("A")}]}]}]`);
  const failed = await decideImages(text, podOf(["r.io/two:v1"]));
  assert.equal(failed.decision.allowed, true);
  assert.match(failed.scoped!, /"r.io\/two:v1":"fail"/);
  assert.equal((await decideImages(text, podOf(["r.io/far:v1"]))).decision.allowed, false);
  const ignoring = text.replace("background: false", "failurePolicy: Ignore");
  assert.equal((await decideImages(ignoring, podOf(["r.io/far:v1"]))).decision.allowed, true);
});

const noted = (status: string): Record<string, string> => ({
  "kyverno.io/verify-images-scoped":
    `{"version":1,"policies":{"/p":{"check":{"r.io/two@${digests.two}":"${status}"}}}}`,
});

Deno.test("an update that does not change an image relies on the old object's annotation", async () => {
  const text = policy(
    `[{imageReferences: ["r.io/*"], failureAction: Enforce, attestors: [{entries: [${key("A")}]}]}]`,
  );
  const image = `r.io/two@${digests.two}`;
  for (const [status, allowed] of [["pass", true], ["skip", true], ["fail", false]] as const) {
    const oldObject = podOf([image], { annotations: noted(status) });
    const { decision, scoped } = await decideImages(text, podOf([image]), { operation: "UPDATE", oldObject });
    assert.equal(decision.allowed, allowed, status);
    if (allowed) assert.match(scoped!, /"pass"/);
  }
  const forged = await decideImages(text, podOf([image], { annotations: noted("pass") }));
  assert.equal(forged.decision.allowed, false, "what a new object says of itself counts for nothing");
});

/** The result of the validate phase for an image and its annotation. */
const checks: readonly (readonly [string, string, string | undefined, string])[] = [
  ["a tag", "r.io/two:v1", undefined, "fail missing digest for r.io/two:v1"],
  ["no annotation", `r.io/two@${digests.two}`, undefined, `fail unverified image r.io/two@${digests.two}`],
  ["a pass", `r.io/two@${digests.two}`, "pass", "pass image verified"],
  ["a fail", `r.io/two@${digests.two}`, "fail", `fail unverified image r.io/two@${digests.two}`],
  [
    "a skip",
    `r.io/two@${digests.two}`,
    "skip",
    `skip image skipped, skipped images: r.io/two@${digests.two}`,
  ],
];

for (const [what, image, status, expected] of checks) {
  Deno.test(`the validate phase reads ${what}, and calls no registry`, async () => {
    const text = policy(
      `[{imageReferences: ["r.io/*"], failureAction: Enforce, attestors: [{entries: [${key("A")}]}]}]`,
    );
    const metadata = status === undefined ? {} : { annotations: noted(status) };
    const { rows, signatures } = await decideImages(text, podOf([image], metadata), { phase: "validate" });
    assert.deepEqual(rows, [expected]);
    assert.equal(signatures.queries.length, 0);
  });
}

/** Annotations that are not what was written, and what Go's decoder says of them. */
const broken: readonly (readonly [string, string])[] = [
  ["nonsense", "invalid character 'o' in literal null (expecting 'u')"],
  [
    `{"version":1,"policies":{"/p":{"check":{"i":7}}}}`,
    "json: cannot unmarshal number into Go value of type api.ImageVerificationMetadataStatus",
  ],
  [
    `{"version":2,"policies":{}}`,
    "json: cannot unmarshal number into Go value of type api.ImageVerificationMetadataStatus",
  ],
];

for (const [text, problem] of broken) {
  Deno.test(`a user cannot write the annotation ${text}`, async () => {
    const rule = policy(
      `[{imageReferences: ["r.io/*"], failureAction: Enforce, attestors: [{entries: [${key("A")}]}]}]`,
    );
    const annotations = { "kyverno.io/verify-images-scoped": text };
    const { rows } = await decideImages(rule, podOf([`r.io/two@${digests.two}`], { annotations }), {
      phase: "validate",
    });
    assert.deepEqual(rows, [`fail failed to parse scoped image metadata: ${problem}`]);
  });
}

Deno.test("variables are replaced before entries are read, and one without a value is an error", async () => {
  const text = policy(
    `[{imageReferences: ["r.io/*"], ${plain}, attestors: [{entries: [{keys: {publicKeys: "{{ request.object.metadata.labels.signer }}"}}]}]}]`,
  );
  const signed = await decideImages(text, podOf(["r.io/one:v1"], { labels: { signer: "A" } }));
  assert.deepEqual(signed.rows, ["pass verified image signatures for r.io/one:v1"]);
  const { rows } = await decideImages(text, podOf(["r.io/one:v1"]));
  assert.match(
    rows.join(),
    /^error failed to substitute variables: failed to resolve .* at path \/verifyImages\/0\/attestors\/0\/entries\/0\/keys\/publicKeys: /,
  );
});

Deno.test("a rule whose preconditions do not hold is skipped only when it matches an image", async () => {
  const rule = "preconditions: {all: [{key: a, operator: Equals, value: b}]}";
  const text = policy(
    `[{imageReferences: ["r.io/*"], ${plain}, attestors: [{entries: [${key("A")}]}]}]`,
    "",
    rule,
  );
  assert.deepEqual((await decideImages(text, podOf(["r.io/two:v1"]))).rows, ["skip preconditions not met"]);
  assert.deepEqual((await decideImages(text, podOf(["ghcr.io/a:v1"]))).rows, []);
});

for (
  const [checks, rows] of [
    ["required: false, verifyDigest: false", []],
    ["required: true, verifyDigest: false", ["skip preconditions not met"]],
    ["required: false, verifyDigest: true", ["skip preconditions not met"]],
  ] as const
) {
  Deno.test(`preconditions are evaluated at validation only where it checks images: ${checks}`, async () => {
    const rule = "preconditions: {all: [{key: a, operator: Equals, value: b}]}";
    const text = policy(`[{imageReferences: ["r.io/*"], mutateDigest: false, ${checks}}]`, "", rule);
    const decision = await decideImages(text, podOf(["r.io/two:v1"]), { phase: "validate" });
    assert.deepEqual(decision.rows, rows);
  });
}

Deno.test("images are denied when no port can verify signatures", async () => {
  const text = policy(
    `[{imageReferences: ["r.io/*"], failureAction: Enforce, attestors: [{entries: [${key("A")}]}]}]`,
  );
  const { decision, rows } = await decideImages(text, podOf(["r.io/one:v1"]), { signatures: "none" });
  assert.equal(decision.allowed, false);
  assert.match(rows.join(), /signatures cannot be verified here/);
});
