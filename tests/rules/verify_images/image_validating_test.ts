import assert from "node:assert/strict";
import { isFault } from "../../../lib/json/mod.ts";
import { compileGlob } from "../../../lib/rules/policy_kinds/glob.ts";
import { decideImages, digests, podOf } from "./setting.ts";
import { ScriptedSignatures } from "./scripted_signatures.ts";
import { processorTime } from "../../support/processor_time.ts";

/** An ImageValidatingPolicy about images of r.io with attestors `a` and `b`. */
function policy(validation: string, { name = "iv", more = "", others = "" } = {}): string {
  const key = (data: string): string => `cosign: {key: {data: ${data}}, ctlog: {insecureIgnoreTlog: true}}`;
  return `---
apiVersion: policies.kyverno.io/v1
kind: ImageValidatingPolicy
metadata: {name: ${name}}
spec:
  validationActions: [Deny]
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [pods]}]
  matchImageReferences: [{glob: "r.io/*"}]
  validationConfigurations: {mutateDigest: true, verifyDigest: false, required: ${more === "required"}}
  attestors: [{name: a, ${key("A")}}, {name: b, ${key("B")}}${others}]
  attestations: [{name: scan, intoto: {type: scan}}, {name: sbom, referrer: {type: sbom}}]
  validations: [{expression: "${validation}", message: "no"}]
`;
}

const images = (condition: string): string => `images.containers.all(i, ${condition})`;

/** A validation, images, and what the policy says of them. */
const cases: readonly (readonly [string, readonly string[], string])[] = [
  [images("verifyImageSignatures(i, [attestors.a]) > 0"), ["r.io/one:v1"], "pass success"],
  [images("verifyImageSignatures(i, [attestors.a]) > 0"), ["r.io/two:v1"], "fail no"],
  [images("verifyImageSignatures(i, [attestors.a, attestors.b]) == 2"), ["r.io/three:v1"], "pass success"],
  [images("verifyImageSignatures(i, [attestors.a, attestors.b]) == 1"), ["r.io/one:v1"], "pass success"],
  // Images of others are not in the lists, and not asked about.
  ["images.containers.size() == 1", ["ghcr.io/x/y:v1", "r.io/one:v1"], "pass success"],
  ["verifyImageSignatures('ghcr.io/x/y:v1', [attestors.a]) == 0", ["r.io/one:v1"], "pass success"],
  [
    images("verifyImageSignatures(i, [attestors.none]) > 0"),
    ["r.io/one:v1"],
    "error failed to evaluate policy: no such key: none",
  ],
  [
    images("verifyAttestationSignatures(i, 'none', [attestors.a]) > 0"),
    ["r.io/one:v1"],
    "error failed to evaluate policy: attestation not found in policy: none",
  ],
  [
    images("extractPayload(i, attestations.scan).ok"),
    ["r.io/one:v1"],
    "error failed to evaluate policy: failed to get payload: intoto attestation payload cannot be fetch before verifying intoto attestation",
  ],
  // Cosign signs no artifacts that refer to an image.
  [
    images("verifyAttestationSignatures(i, attestations.sbom, [attestors.a]) == 0"),
    ["r.io/one:v1"],
    "pass success",
  ],
  // Whether the policy is about an image comes first, then whether the image is there.
  [
    "verifyAttestationSignatures('ghcr.io/x/y:v1', 'none', [attestors.a]) == 0",
    ["r.io/one:v1"],
    "pass success",
  ],
  [
    "verifyImageSignatures('r.io/gone:v1', [attestors.a]) == 0",
    ["r.io/one:v1"],
    "error failed to evaluate policy: failed to get imagedata: MANIFEST_UNKNOWN: manifest unknown",
  ],
  ["true", ["r.io/gone:v1"], "error failed to evaluate policy: MANIFEST_UNKNOWN: manifest unknown"],
  [
    images("verifyImageSignatures(i, [attestors.a]) == 0"),
    ["r.io/one:v1", `r.io/gone@sha256:${"0".repeat(64)}`],
    "error failed to evaluate policy: MANIFEST_UNKNOWN: manifest unknown",
  ],
];

for (const [validation, pods, expected] of cases) {
  Deno.test(`${validation} of ${pods.join(", ")}`, async () => {
    const { rows } = await decideImages(policy(validation), podOf(pods), { phase: "validate" });
    assert.deepEqual(rows, [expected]);
  });
}

/** Attestors with which nothing verifies, whatever was signed; nobody is asked about them. */
const hopeless: readonly (readonly [what: string, cosign: string])[] = [
  ["names no signer", "{ctlog: {insecureIgnoreTlog: true}}"],
  ["has roots that are no certificates", "{keyless: {identities: [{subject: a}], roots: x}}"],
  ["has a log without address", "{key: {data: A}, ctlog: {insecureIgnoreSCT: true}}"],
];

for (const [what, cosign] of hopeless) {
  Deno.test(`an attestor that ${what} verifies nothing`, async () => {
    const others = `, {name: c, cosign: ${cosign}}`;
    const text = policy(images("verifyImageSignatures(i, [attestors.c]) > 0"), { others });
    const { rows, signatures } = await decideImages(text, podOf(["r.io/one:v1"]), { phase: "validate" });
    assert.deepEqual([rows, signatures.queries.length], [["fail no"], 0]);
  });
}

Deno.test("an attestor with several signers uses keyless, with the attestor's pull secrets", async () => {
  const source = "source: {repository: r.io/signatures, PullSecrets: [{name: pull}]}";
  const others =
    `, {name: c, cosign: {key: {data: A}, keyless: {identities: [{subject: a}], roots: "-----BEGIN CERTIFICATE-----"}, ${source}}}`;
  const text = policy(images("verifyImageSignatures(i, [attestors.c]) == 0"), { others });
  const { signatures } = await decideImages(text, podOf(["r.io/one:v1"]), { phase: "validate" });
  assert.deepEqual(
    signatures.queries.map(({ by, repository, credentials }) => [
      by.kind === "keyless" && by.roots,
      repository,
      credentials.secrets,
    ]),
    [["", "r.io/signatures", ["pull"]]],
  );
});

Deno.test("an image policy that cannot be evaluated denies the request, even if failurePolicy is Ignore", async () => {
  const text = policy("true").replace("  validationActions", "  failurePolicy: Ignore\n  validationActions");
  const { decision } = await decideImages(text, podOf(["r.io/gone:v1"]), { phase: "validate" });
  assert.equal(decision.allowed, false);
});

Deno.test("all attestors of a call are verified at the same time", async () => {
  const text = policy(images("verifyImageSignatures(i, [attestors.a, attestors.b]) > 0"));
  const { signatures } = await decideImages(text, podOf(["r.io/one:v1", "r.io/two:v1"]), {
    phase: "validate",
  });
  assert.equal(signatures.mostAtOnce >= 2, true);
});

Deno.test("a required image counts as verified when any policy of the request verified it", async () => {
  const catchAll = policy("true", { name: "all", more: "required" });
  const verifying = policy(images("verifyImageSignatures(i, [attestors.a]) >= 0"), { name: "asks" });
  const alone = await decideImages(catchAll, podOf(["r.io/one:v1"]), { phase: "validate" });
  assert.deepEqual(alone.rows, [
    "fail image r.io/one:v1 is not verified: no policy performed a signature or attestation check on it",
  ]);
  const both = await decideImages(catchAll + verifying, podOf(["r.io/one:v1"]), { phase: "validate" });
  assert.deepEqual(both.rows, ["pass success", "pass success"]);
  const unsigned = await decideImages(catchAll + verifying, podOf(["r.io/two:v1"]), { phase: "validate" });
  assert.deepEqual(unsigned.rows, [
    "fail image r.io/two:v1 failed signature or attestation verification",
    "pass success",
  ]);
});

Deno.test("the mutate phase pins digests, and verifies nothing", async () => {
  const text = policy(images("verifyImageSignatures(i, [attestors.a]) > 0"));
  const { images: pinned, signatures, rows } = await decideImages(
    text,
    podOf(["r.io/two:v1", "ghcr.io/x/y:v1"]),
  );
  assert.deepEqual(pinned, [`r.io/two:v1@${digests.two}`, "ghcr.io/x/y:v1"]);
  assert.deepEqual([signatures.queries.length, rows], [0, []]);
  const gone = await decideImages(text, podOf(["r.io/gone:v1"]));
  assert.equal(gone.decision.allowed, false);
  assert.deepEqual(gone.rows, [
    "error failed to update digest: failed to resolve digest for image r.io/gone:v1: MANIFEST_UNKNOWN: manifest unknown",
  ]);
});

Deno.test("the mutate phase names the registry and the tag of images", async () => {
  const signatures = new ScriptedSignatures({
    "docker.io/nginx:latest": { digest: digests.one },
    "r.io:80/a:latest": { digest: digests.two },
  });
  const pinned = async (references: string, written: string): Promise<readonly string[]> => {
    const text = policy("true").replace('[{glob: "r.io/*"}]', references);
    return (await decideImages(text, podOf([written]), { signatures })).images;
  };
  assert.deepEqual(await pinned("[{glob: docker.io/*}]", "nginx"), [`docker.io/nginx:latest@${digests.one}`]);
  assert.deepEqual(await pinned("[{expression: ref.startsWith('docker.io/')}]", "docker.io/nginx"), [
    `docker.io/nginx:latest@${digests.one}`,
  ]);
  assert.deepEqual(await pinned('[{glob: "r.io:80/a:*"}]', "r.io:80/a"), [`r.io:80/a:latest@${digests.two}`]);
  assert.deepEqual(await pinned('[{glob: "nginx*"}]', "nginx"), ["nginx"]);
  assert.deepEqual(await pinned("[{glob: docker.io/*}]", `nginx@${digests.two}`), [`nginx@${digests.two}`]);
});

Deno.test("the mutate phase denies an image that cannot be read", async () => {
  const { decision, rows } = await decideImages(policy("true"), podOf(["r.io/A B"]));
  assert.equal(decision.allowed, false);
  assert.match(rows[0] ?? "", /^error failed to update digest: bad image: r\.io\/A B/);
});

/** Globs, texts that they are, and texts that they are not. */
const globs: readonly (readonly [string, string, string])[] = [
  ["r.io/*", "r.io/a/b:v1@sha256:0", "r.io"],
  ["r.io/?", "r.io/a", "r.io/ab"],
  ["{r,s}.io/*", "s.io/a", "t.io/a"],
  ["r.io/[ab]:*", "r.io/b:v1", "r.io/c:v1"],
  ["r.io/[!ab]:*", "r.io/c:v1", "r.io/a:v1"],
  ["r.io/a.b", "r.io/a.b", "r.io/aXb"],
  ["r.io/{a", "r.io/a", "r.io/{a"],
  ["r.io/\\{a}", "r.io/{a}", "r.io/a"],
  ["r.io/[abc-e]:*", "r.io/-:v1", "r.io/d:v1"],
  ["r.io/[a-c]:*", "r.io/b:v1", "r.io/-:v1"],
  ["r.io/[a\\]]", "r.io/]", "r.io/\\"],
];

for (const [glob, is, isNot] of globs) {
  Deno.test(`the glob ${glob} is ${is} and not ${isNot}`, () => {
    const matches = globOf(glob);
    assert.equal(matches(is), true);
    assert.equal(matches(isNot), false);
  });
}

/** Globs that cannot be read, and why. Kyverno refuses all but the last. */
const badGlobs: readonly (readonly [string, string])[] = [
  ["r.io/[a", "unexpected end of input"],
  ["r.io/[", "unexpected end of input"],
  ["r.io/[]a", "could not parse range"],
  ["r.io/[!]a", "could not parse range"],
  ["r.io/[a-]a", "expected close range character"],
  ["r.io/[a-z0-9]", "expected close range character"],
  ["r.io/[z-a]", "hi character 'a' should be greater than lo 'z'"],
  ["{a,b}".repeat(11), "the braces have more than 1000 alternatives"],
];

for (const [glob, why] of badGlobs) {
  Deno.test(`a policy with the glob ${glob} does not compile`, async () => {
    const text = policy("true").replace("r.io/*", glob);
    const { rows, decision } = await decideImages(text, podOf(["r.io/one:v1"]), { phase: "validate" });
    const path = `spec.MatchImageReferences[0].glob: Invalid value: "${glob}": ${why}`;
    assert.deepEqual(rows, [
      `error failed to compile policy: <nil>: Internal error: failed to compile matches: ${path}`,
    ]);
    assert.equal(decision.allowed, false);
  });
}

function globOf(glob: string): (text: string) => boolean {
  const compiled = compileGlob(glob);
  assert.ok(!isFault(compiled));
  return compiled;
}

Deno.test("a glob of many stars costs little on a long text", () => {
  const started = processorTime();
  globOf(`${"*a".repeat(50)}*b`)("a".repeat(4_000));
  assert.ok(processorTime() - started < 5_000);
});
