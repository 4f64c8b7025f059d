/** `lint` warns of policies about images that can never pass, with any signature. */
import assert from "node:assert/strict";
import type { Json } from "../../lib/json/mod.ts";
import { issue, newKeys } from "../registries/signing/certificates.ts";
import { inFolder } from "./in_folder.ts";

const key = newKeys().pem;
const root = issue({ name: "root", keys: newKeys(), authority: true });
const leaf = issue({ name: "leaf", keys: newKeys(), issuer: root });
const otherRoot = issue({ name: "stranger", keys: newKeys(), authority: true });
const brokenKey = key.replace(/\n.{30}/, "\n");
const brokenCertificate = root.pem.replace(/\n.{30}/, "\n");
const logs = { rekor: { ignoreTlog: true }, ctlog: { ignoreSCT: true } };

function policy(spec: Json): string {
  const metadata = { name: "images" };
  return JSON.stringify({ apiVersion: "kyverno.io/v1", kind: "ClusterPolicy", metadata, spec });
}

const match = { any: [{ resources: { kinds: ["Pod"] } }] };

/** A policy with one attestor, as `verifyImages` has it. */
function entryOf(attestor: Json, more: Record<string, Json> = {}): string {
  const entry = {
    imageReferences: ["ghcr.io/acme/*"],
    failureAction: "Enforce",
    attestors: [{ entries: [attestor] }],
    ...more,
  };
  return policy({ rules: [{ name: "signed", match, verifyImages: [entry] }] });
}

/** The same for signed YAML, with any number of attestors. */
function manifestsOf(...sets: Json[]): string {
  const manifests = { attestors: sets };
  return policy({ rules: [{ name: "signed", match, validate: { failureAction: "Enforce", manifests } }] });
}

/** The same in CEL. */
function celPolicyOf(cosign: Json, more: Record<string, Json> = {}): string {
  return JSON.stringify({
    apiVersion: "policies.kyverno.io/v1",
    kind: "ImageValidatingPolicy",
    metadata: { name: "images" },
    spec: {
      matchConstraints: {
        resourceRules: [{
          apiGroups: [""],
          apiVersions: ["v1"],
          operations: ["CREATE"],
          resources: ["pods"],
        }],
      },
      attestors: [{ name: "a", cosign }],
      validations: [{ expression: "images.containers.all(i, verifyImageSignatures(i, [attestors.a]) > 0)" }],
      ...more,
    },
  });
}

const keyless = { issuer: "https://i", subject: "s", rekor: { url: "https://log.acme.test" } };

const hopeless: readonly (readonly [what: string, text: string, said: RegExp])[] = [
  [
    "a key of a key management service",
    entryOf({ keys: { kms: "awskms:///alias/a" } }),
    /awskms:\/\/\/alias\/a: key management services are not supported/,
  ],
  [
    "a key that is a file's name",
    entryOf({ keys: { publicKeys: "/cosign.pub" } }),
    /open \/cosign\.pub: no such/,
  ],
  [
    "a key whose PEM is broken",
    entryOf({ keys: { publicKeys: brokenKey } }),
    /failed to load public key from PEM/,
  ],
  [
    "a key among several whose PEM is broken",
    entryOf({ keys: { publicKeys: key + brokenKey } }),
    /failed to load public key from PEM/,
  ],
  [
    "a certificate that cannot be read",
    entryOf({ certificates: { cert: brokenCertificate } }),
    /failed to unmarshal certificate from PEM format/,
  ],
  [
    "a chain that cannot be read",
    entryOf({ certificates: { certChain: "nothing" } }),
    /failed to load certificates: error creating root cert pool/,
  ],
  [
    "a certificate that its chain did not issue",
    entryOf({ certificates: { cert: leaf.pem, certChain: otherRoot.pem } }),
    /certificate signed by unknown authority/,
  ],
  [
    "a nested attestor with a broken key",
    entryOf({ attestor: { entries: [{ keys: { publicKeys: brokenKey } }] } }),
    /failed to load public key from PEM/,
  ],
  [
    "an attestation's broken key",
    entryOf({ keys: { publicKeys: key, ...logs } }, {
      attestations: [{ type: "t", attestors: [{ entries: [{ keys: { publicKeys: brokenKey } }] }] }],
    }),
    /failed to load public key from PEM/,
  ],
  [
    "roots that cannot be read",
    entryOf({ keyless: { ...keyless, roots: "nothing" } }),
    /failed to load Root certificates: error creating root cert pool/,
  ],
  [
    "an invalid regular expression",
    entryOf({ keyless: { ...keyless, subjectRegExp: "(" } }),
    /invalid regexp for subject: \(/,
  ],
  [
    "an extension that no certificate has",
    entryOf({ keyless: { ...keyless, additionalExtensions: { colour: "red" } } }),
    /invalid certificate extension colour/,
  ],
  [
    "a log's key that cannot be read",
    entryOf({ keys: { publicKeys: key, rekor: { url: "https://log", pubkey: "nothing" } } }),
    /failed to load Rekor public keys: failed to get rekor public keys: PEM decoding failed/,
  ],
  [
    "a certificate log's key that cannot be read",
    entryOf({ keys: { publicKeys: key, ctlog: { pubkey: "nothing" } } }),
    /failed to load CTLogs public keys/,
  ],
  [
    "a timestamp authority without a root",
    entryOf({ keys: { publicKeys: key, ctlog: { tsaCertChain: leaf.pem } } }),
    /must contain at least one root certificate/,
  ],
  [
    "an invalid repository",
    entryOf({ keys: { publicKeys: key, ...logs } }, { repository: "ghcr.io/acme/Signatures" }),
    /failed to parse signature repository ghcr\.io\/acme\/Signatures/,
  ],
  [
    "Notary certificates that cannot be read",
    entryOf({ certificates: { cert: brokenCertificate } }, { type: "Notary" }),
    /failed to parse certificates/,
  ],
  [
    "a reference without a registry",
    entryOf({ keys: { publicKeys: key } }, { imageReferences: ["nginx:*"] }),
    /no registry/,
  ],
  [
    "an entry without attestors",
    policy({
      rules: [{
        name: "signed",
        match,
        verifyImages: [{ imageReferences: ["ghcr.io/acme/*"], failureAction: "Enforce" }],
      }],
    }),
    /requires no signature, and required denies/,
  ],
  ["signed YAML: a broken key", manifestsOf({ entries: [{ keys: { publicKeys: brokenKey } }] }), /from PEM/],
  [
    "signed YAML: annotations that contradict each other",
    manifestsOf(
      { entries: [{ keys: { publicKeys: key }, annotations: { env: "prod" } }] },
      { entries: [{ keys: { publicKeys: key }, annotations: { env: "test" } }] },
    ),
    /No object has the annotation env with both "prod" and "test"/,
  ],
  [
    "ImageValidatingPolicy: an attestor that names nobody",
    celPolicyOf({}),
    /cosign verifier needs to have one key, keyless or certificate fields set/,
  ],
  ["ImageValidatingPolicy: a broken key", celPolicyOf({ key: { data: brokenKey } }), /from PEM/],
  [
    "ImageValidatingPolicy: a log without an address",
    celPolicyOf({ key: { data: key }, ctlog: { insecureIgnoreSCT: true } }),
    /rekor URL must be provided/,
  ],
  [
    "ImageValidatingPolicy: an attestation without type",
    celPolicyOf({ key: { data: key }, ctlog: { insecureIgnoreTlog: true } }, {
      attestations: [{ name: "sbom", intoto: { type: "" } }],
    }),
    /The attestation has no type/,
  ],
  [
    "ImageValidatingPolicy: images that no expression verifies",
    celPolicyOf({ key: { data: key }, ctlog: { insecureIgnoreTlog: true } }, {
      validations: [{ expression: "true" }],
    }),
    /No expression verifies a signature, and required refuses/,
  ],
];
for (const [what, text, said] of hopeless) {
  Deno.test(`lint warns of ${what}`, () =>
    inFolder({ "policy.yaml": text }, async (run) => {
      const { code, out } = await run("lint", "@policy.yaml", "--dialect", "current");
      assert.match(out, said);
      assert.match(out, /^policy\.yaml:\d+:\d+: warning never-(?:passes|matches): /);
      assert.equal(code, 0, out);
    }));
}

const sound: readonly (readonly [what: string, text: string])[] = [
  ["two keys in one text", entryOf({ keys: { publicKeys: key + key, ...logs } })],
  ["a key in a Secret", entryOf({ keys: { secret: { name: "key", namespace: "kyverno" } } })],
  ["a certificate", entryOf({ certificates: { cert: leaf.pem } })],
  ["a chain", entryOf({ certificates: { certChain: root.pem } })],
  ["an identity", entryOf({ keyless: { ...keyless, subjectRegExp: "^a" } })],
  ["Notary certificates", entryOf({ certificates: { cert: root.pem } }, { type: "Notary" })],
  ["a key that is a variable", entryOf({ keys: { publicKeys: "{{ request.namespace }}" } })],
  [
    "signed YAML with attestors of which one suffices",
    manifestsOf({
      count: 1,
      entries: ["prod", "test"].map((env) => ({ keys: { publicKeys: key }, annotations: { env } })),
    }),
  ],
  ["an ImageValidatingPolicy", celPolicyOf({ key: { data: key }, ctlog: { insecureIgnoreTlog: true } })],
  ["an expression for a key", celPolicyOf({ key: { expression: "'a' + 'b'" } })],
];
for (const [what, text] of sound) {
  Deno.test(`lint does not warn of ${what}`, () =>
    inFolder({ "policy.yaml": text }, async (run) => {
      const { code, out } = await run("lint", "@policy.yaml", "--dialect", "current");
      assert.equal(out, "");
      assert.equal(code, 0);
    }));
}

/** Fields of an image policy, and the error that lint reports for them. */
const unread: readonly (readonly [fields: Record<string, Json>, error: RegExp])[] = [
  [
    { matchImageReferences: [{ glob: "r.io/[a" }] },
    /error bad-cel: the glob cannot be read: unexpected end of input/,
  ],
  [
    { matchImageReferences: [{ glob: "r.io/*", expression: "true" }] },
    /error bad-cel: either glob or expression must be set/,
  ],
  [
    { images: [{ name: "l", expression: "'r.io/a'" }] },
    /error bad-cel: CEL: must give list\(string\), but gives string/,
  ],
];
for (const [fields, error] of unread) {
  Deno.test(`lint refuses an image policy with ${JSON.stringify(fields)}`, () =>
    inFolder(
      {
        "policy.yaml": celPolicyOf({ key: { data: key }, ctlog: { insecureIgnoreTlog: true } }, fields),
      },
      async (run) => {
        const { code, out } = await run("lint", "@policy.yaml", "--dialect", "current");
        assert.match(out, error);
        assert.equal(code, 1);
      },
    ));
}
