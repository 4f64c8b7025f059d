/** Policies about images beside their signatures: namespaces, expressions for keys, image data, exceptions, autogen. */
import assert from "node:assert/strict";
import { evaluate } from "../../../lib/engine/mod.ts";
import { parseImage } from "../../../lib/kube/mod.ts";
import { isFault } from "../../../lib/json/mod.ts";
import type { Registry } from "../../../lib/ports.ts";
import { policies, ports, request } from "../../engine/ports.ts";
import { decideImages, digests, podOf, policy, script } from "./setting.ts";
import { ScriptedSignatures } from "./scripted_signatures.ts";

const verified = "images.containers.all(i, verifyImageSignatures(i, [attestors.a]) > 0)";

function inCel(
  { kind = "ImageValidatingPolicy", metadata = "name: iv", key = "{data: A}", validation = verified } = {},
): string {
  return `---
apiVersion: policies.kyverno.io/v1
kind: ${kind}
metadata: {${metadata}}
spec:
  validationConfigurations: {verifyDigest: false, required: false}
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  attestors: [{name: a, cosign: {key: ${key}, ctlog: {insecureIgnoreTlog: true}}}]
  validations: [{expression: "${validation}", message: "no"}]
`;
}

const rowsOf = async (text: string, images: readonly string[], namespace = "default") =>
  (await decideImages(text, podOf(images, { namespace }), { phase: "validate", namespace })).rows;

Deno.test("an image policy of a namespace applies to that namespace alone, in both phases", async () => {
  const text = inCel({ kind: "NamespacedImageValidatingPolicy", metadata: "name: iv, namespace: shop" });
  assert.deepEqual(await rowsOf(text, ["r.io/two:v1"], "shop"), ["fail no"]);
  assert.deepEqual(await rowsOf(text, ["r.io/two:v1"], "other"), []);
  const pinned = async (namespace: string) =>
    (await decideImages(text, podOf(["r.io/one:v1"], { namespace }), { phase: "mutate", namespace })).images;
  assert.deepEqual(await pinned("shop"), [`r.io/one:v1@${digests.one}`]);
  assert.deepEqual(await pinned("other"), ["r.io/one:v1"]);
});

Deno.test("the key of an attestor may be an expression over the request", async () => {
  const text = inCel({ key: `{expression: "object.metadata.namespace == 'shop' ? 'A' : 'B'"}` });
  assert.deepEqual(await rowsOf(text, ["r.io/one:v1"], "shop"), ["pass success"]);
  assert.deepEqual(await rowsOf(text, ["r.io/one:v1"], "other"), ["fail no"]);
});

/** A registry that has every image. */
const registry: Registry = {
  image: (reference) => {
    const image = parseImage(reference);
    assert.ok(!isFault(image));
    const body = {
      image: reference,
      resolvedImage: `${image.registry}/${image.path}@${digests.one}`,
      registry: image.registry ?? "",
      repository: image.path,
      identifier: image.tag ?? "",
      manifest: { layers: [] },
      configData: { config: { User: "1000" } },
    };
    return Promise.resolve({ ok: true, status: 200, body });
  },
};

/** Fields of the image's data, as Go spells them and as the documentation does. */
const fields = [
  ["ConfigData.config.User", "config.config.User", "1000"],
  ["ConfigData.config.User", "configData.config.User", "1000"],
  ["Digest", "digest", digests.one],
  ["Tag", "tag", "v1"],
  ["Registry", "registry", "r.io"],
  ["Repository", "repository", "one"],
  ["Identifier", "identifier", "v1"],
  ["ResolvedImage", "resolvedImage", `r.io/one@${digests.one}`],
] as const;
for (const [asInGo, documented, value] of fields) {
  Deno.test(`the data of an image have ${asInGo} and ${documented}`, async () => {
    for (const spelling of [asInGo, documented]) {
      const validation = `images.containers.all(i, getImageData(i).${spelling} == '${value}')`;
      const decision = await evaluate(
        policies(inCel({ validation }), { dialect: "current" }),
        request(podOf(["r.io/one:v1"])),
        { phase: "validate", ports: { ...ports(), registry, signatures: new ScriptedSignatures(script) } },
      );
      const [row] = decision.results.flatMap(({ rules }) => rules);
      assert.deepEqual([row?.result, row?.message], ["pass", "success"], spelling);
    }
  });
}

const entry =
  '[{failureAction: Enforce, imageReferences: ["r.io/*"], attestors: [{entries: [{keys: {publicKeys: A}}]}]}]';
const exception = `---
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: spared, namespace: ops}
spec:
  exceptions: [{policyName: p, ruleNames: [check]}]
  match: {any: [{resources: {kinds: [Pod], names: [spared]}}]}
`;

Deno.test("an exception exempts objects in both phases", async () => {
  for (const phase of ["mutate", "validate"] as const) {
    const named = (name: string) =>
      decideImages(policy(entry) + exception, podOf(["r.io/none:v1"], { name }), { phase, name });
    const { rows, signatures } = await named("spared");
    assert.deepEqual(rows, ["skip rule is skipped due to policy exceptionsops/spared"]);
    assert.equal(signatures.queries.length, 0);
    assert.match((await named("other")).rows.join(), /^fail /);
  }
});

Deno.test("a rule about Pods verifies the images of their controllers, under the autogen rule's name", async () => {
  const spec = podOf(["r.io/one:v1", "r.io/none:v1"])["spec"]!;
  const deployment = {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", namespace: "default" },
    spec: { template: { metadata: {}, spec } },
  };
  const text = policy(entry).replace("Enforce", "Audit").replace(
    "failureAction",
    "mutateDigest: false, failureAction",
  );
  const { decision, rows } = await decideImages(text, deployment, {
    group: "apps",
    version: "v1",
    kind: "Deployment",
  });
  assert.deepEqual(rows.map((row) => row.slice(0, 4)), ["pass", "fail"]);
  assert.deepEqual(decision.results.flatMap(({ rules }) => rules.map(({ rule }) => rule)), [
    "autogen-check",
    "autogen-check",
  ]);
});

Deno.test("an image policy reads the data of an image where context entries read no registry, with its credentials", async () => {
  const reads: unknown[] = [];
  const recording: Registry = {
    image: (reference, credentials) => {
      reads.push([reference, credentials?.secrets]);
      return registry.image(reference);
    },
  };
  const validation = "images.containers.all(i, getImageData(i).config.config.User == '1000')";
  const text = inCel({ validation }).replace(
    "  matchConstraints",
    "  credentials: {secrets: [login]}\n  matchConstraints",
  );
  const decision = await evaluate(
    policies(text, { dialect: "current" }),
    request(podOf(["r.io/one:v1"])),
    {
      phase: "validate",
      ports: { ...ports(), registry: recording, signatures: new ScriptedSignatures(script) },
      absent: ["imageRegistry"],
    },
  );
  const [row] = decision.results.flatMap(({ rules }) => rules);
  assert.deepEqual([row?.result, row?.message], ["pass", "success"]);
  assert.deepEqual(reads, [["r.io/one:v1", ["login"]]]);
});

/** Audit annotations and a validation, and the result with its properties. */
const annotated: readonly (readonly [value: string, validation: string, row: string, properties?: object])[] =
  [
    ["'a'", "true", "pass success", { k: "a" }],
    ["images.containers.join(',')", "false", "fail no", { k: "r.io/one:v1" }],
    [
      "string(1/0)",
      "true",
      "error failed to evaluate policy: failed to evaluate auditAnnotation 'k': division by zero",
    ],
    [
      "string(1/0)",
      "false",
      "error failed to evaluate policy: failed to evaluate auditAnnotation 'k': division by zero",
    ],
  ];

for (const [value, validation, row, properties] of annotated) {
  Deno.test(`an image policy with the audit annotation ${value} and the validation ${validation}`, async () => {
    const text = inCel({ validation }).replace(
      "  validations",
      `  auditAnnotations: [{key: k, valueExpression: "${value}"}]\n  validations`,
    );
    const { rows, decision } = await decideImages(text, podOf(["r.io/one:v1"]), { phase: "validate" });
    const [result] = decision.results.flatMap(({ rules }) => rules);
    assert.deepEqual([rows, result?.properties], [[row], properties]);
  });
}

Deno.test("an image policy without constraints matches every object, as on Kyverno's command line", async () => {
  const text = inCel({ validation: "false" }).replace(/^ +matchConstraints:\n.*\n/m, "");
  assert.deepEqual(await rowsOf(text, ["r.io/one:v1"]), ["fail no"]);
});

Deno.test("the message for an image that cannot be read has no second frame, also for a text with spaces", async () => {
  const image = "not an image", why = `could not parse reference: ${image}`;
  const unread: Registry = {
    image: () =>
      Promise.resolve({
        ok: false,
        status: undefined,
        message: `failed to fetch image reference: ${image}, error: ${why}`,
      }),
  };
  const decision = await evaluate(
    policies(inCel({ validation: `getImageData('${image}').Tag == ''` }), { dialect: "current" }),
    request(podOf(["r.io/one:v1"])),
    {
      phase: "validate",
      ports: { ...ports(), registry: unread, signatures: new ScriptedSignatures(script) },
    },
  );
  const [row] = decision.results.flatMap(({ rules }) => rules);
  assert.equal(row?.message, `failed to evaluate policy: failed to get imagedata: ${why}`);
});
