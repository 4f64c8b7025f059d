/** Images are recorded from a registry once, and policies are tested and explained without it from then on. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { signImage } from "../registries/signing/cosign.ts";
import { Signers } from "../registries/signing/fixtures.ts";
import { TestRegistry } from "../registries/signing/registry.ts";
import { inFolder, type RunInFolder } from "./in_folder.ts";

const indented = (text: string, by: number): string => text.trim().replaceAll("\n", `\n${" ".repeat(by)}`);

const policy = (registry: TestRegistry, pem: string): string => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: signed-images }
spec:
  background: false
  rules:
    - name: signed
      match: { any: [{ resources: { kinds: [Pod] } }] }
      verifyImages:
        - imageReferences: ["${registry.host}/*"]
          failureAction: Enforce
          required: false
          verifyDigest: false
          attestors:
            - entries:
                - keys:
                    publicKeys: |-
                      ${indented(pem, 22)}
                    rekor: { ignoreTlog: true }
                    ctlog: { ignoreSCT: true }
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: own-images }
spec:
  background: false
  rules:
    - name: owner
      match: { any: [{ resources: { kinds: [Pod] } }] }
      context:
        - name: image
          imageRegistry: { reference: "{{ request.object.spec.containers[0].image }}" }
      validate:
        failureAction: Enforce
        message: "{{ image.repository }} is not ours"
        deny: { conditions: { any: [{ key: "{{ image.repository }}", operator: NotEquals, value: shop }] } }
`;

const pod = (registry: TestRegistry, name: string, tag: string): string => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec: { containers: [{ name: app, image: "${registry.host}/shop:${tag}" }] }
`;

const testFile = `
apiVersion: cli.kyverno.io/v1alpha1
kind: Test
metadata: { name: signed-images }
policies: [policy.yaml]
resources: [pods.yaml]
results:
- { policy: signed-images, rule: signed, kind: Pod, resources: [good], result: pass }
- { policy: signed-images, rule: signed, kind: Pod, resources: [bad], result: fail }
- { policy: own-images, rule: owner, kind: Pod, resources: [good], result: pass }
`;

/** Runs commands on a policy about a signed image and one that nobody signed, in a registry that can be closed. */
async function withRegistry(
  work: (run: RunInFolder, folder: string, registry: TestRegistry) => Promise<void>,
): Promise<void> {
  const registry = new TestRegistry();
  const { one } = new Signers();
  signImage(registry, "shop:signed", { keys: one });
  registry.image("shop:unsigned");
  const files = {
    "policy.yaml": policy(registry, one.pem),
    "pods.yaml": `${pod(registry, "good", "signed")}---${pod(registry, "bad", "unsigned")}`,
    "other.yaml": pod(registry, "other", "other"),
    "kyverno-test.yaml": testFile,
  };
  try {
    await inFolder(files, (run, folder) => work(run, folder, registry));
  } finally {
    await registry.close();
  }
}

Deno.test("test --record-images records all reads of policies, and tests pass without the registry", async () => {
  await withRegistry(async (run, folder, registry) => {
    const unasked = await run("test", "@");
    assert.equal(unasked.code, 1);
    assert.match(unasked.out, /registries are not called here: use --registry, or record the images/);
    assert.deepEqual(registry.received, []);
    const recorded = await run("test", "@", "--record-images");
    assert.deepEqual([recorded.code, recorded.err], [0, ""], recorded.out);
    await registry.close();
    const offline = await run("test", "@");
    assert.deepEqual([offline.code, offline.err], [0, ""], offline.out);
    assert.equal(offline.out, recorded.out);
    const text = await Deno.readTextFile(join(folder, "recorded-images.json"));
    assert.doesNotMatch(text, /PRIVATE|authorization/i);
    // A signature is verified again: the answer is not what was recorded, the image's content is.
    await Deno.writeTextFile(join(folder, "policy.yaml"), policy(registry, new Signers().two.pem));
    assert.match((await run("test", "@")).out, /no matching signatures: invalid signature/);
  });
});

Deno.test("test --record-images refuses a selector, because the recording would lack images of other tests", async () => {
  await withRegistry(async (run) => {
    const { code, err } = await run("test", "@", "--record-images", "-t", "rule=signed");
    assert.equal(code, 2);
    assert.match(err, /--record-images is for whole tests/);
  });
});

Deno.test("apply and explain report the same from a recording as from the registry", async () => {
  await withRegistry(async (run, _, registry) => {
    const online = await run("apply", "@policy.yaml", "-r", "@pods.yaml", "--record-images", "@images.json");
    assert.equal(online.code, 1, online.err);
    await registry.close();
    const recording = ["--recorded-images", "@images.json"];
    const offline = await run("apply", "@policy.yaml", "-r", "@pods.yaml", ...recording);
    assert.deepEqual(offline, online);
    const { out } = await run("explain", "@policy.yaml", "-r", "@pods.yaml", ...recording);
    assert.match(out, /attestors\[0\]\.entries\[0\]\.keys for \S+\/shop:signed: verified/);
    const { out: unknown } = await run("apply", "@policy.yaml", "-r", "@other.yaml", ...recording);
    assert.match(unknown, /shop\/manifests\/other is not among the images recorded in \S*images\.json/);
  });
});

Deno.test("recording images reports a registry that does not answer", async () => {
  await withRegistry(async (run, folder, registry) => {
    await registry.close();
    const { err } = await run("apply", "@policy.yaml", "-r", "@pods.yaml", "--record-images", "@images.json");
    assert.match(err, /images\.json: a registry gave no answer, which is recorded as such: .*refused/);
    assert.ok((await Deno.stat(join(folder, "images.json"))).isFile);
  });
});

/** Files that are no recording, and what is said of them. */
const broken: readonly (readonly [what: string, text: string, RegExp])[] = [
  ["no JSON", "{", /this is no recording of images/],
  ["another kind", "{}", /this is no recording of images/],
  ["another version", JSON.stringify({ kind: "RecordedImages" }), /the apiVersion is not postern\.dev/],
  [
    "no time",
    JSON.stringify({ apiVersion: "postern.dev/v1alpha1", kind: "RecordedImages" }),
    /recordedAt is no time/,
  ],
  [
    "an answer without content",
    JSON.stringify({
      apiVersion: "postern.dev/v1alpha1",
      kind: "RecordedImages",
      recordedAt: "2026-01-01T00:00:00Z",
      answers: { "r.io/app/manifests/v1": {} },
    }),
    /the answer for r\.io\/app\/manifests\/v1 has neither a text nor a message/,
  ],
];

for (const [what, text, expected] of broken) {
  Deno.test(`a recording of images with ${what} is refused under its name`, async () => {
    await withRegistry(async (run, folder) => {
      await Deno.writeTextFile(join(folder, "images.json"), text);
      const args = ["apply", "@policy.yaml", "-r", "@pods.yaml", "--recorded-images", "@images.json"];
      const { code, err } = await run(...args);
      assert.equal(code, 2);
      assert.match(err, new RegExp(`images\\.json: ${expected.source}`));
      await Deno.writeTextFile(join(folder, "recorded-images.json"), text);
      const tested = await run("test", "@");
      assert.equal(tested.code, 1);
      assert.match(tested.err, expected);
    });
  });
}

/** Options that do not go together, or name what is not there. */
const misused: readonly (readonly [args: readonly string[], RegExp])[] = [
  [
    ["--record-images", "@a.json", "--recorded-images", "@a.json"],
    /use --record-images or --recorded-images/,
  ],
  [["--recorded-images", "@absent.json"], /absent\.json: /],
  [["--record-images", "@absent/a.json"], /absent\/a\.json: /],
];

for (const [args, expected] of misused) {
  Deno.test(`apply ${args.join(" ")} cannot run`, async () => {
    await withRegistry(async (run) => {
      const { code, err } = await run("apply", "@policy.yaml", "-r", "@pods.yaml", ...args);
      assert.equal(code, 2);
      assert.match(err, expected);
    });
  });
}
