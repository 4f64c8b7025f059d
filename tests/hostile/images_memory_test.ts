/** Registries that send much for one image: whoever creates a Pod names its images, and so its registries. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { dig, type Json } from "../../lib/json/mod.ts";
import { toYaml } from "../../lib/yaml/mod.ts";
import { Signers } from "../registries/signing/fixtures.ts";
import { digestOf, TestRegistry } from "../registries/signing/registry.ts";
import { imagePolicy, signingWays } from "../bench/signed_images.ts";
import { admissionReview } from "../server/review.ts";
import { startReplica } from "../support/replica.ts";
import type { ServerProcess } from "../support/server_process.ts";

/** MiB that no attack may pass. */
const bound = 200;
const manifestType = "application/vnd.oci.image.manifest.v1+json";

/** Content that a registry sends compressed; of 10 MB some kilobytes are left. */
class Content {
  readonly #packed = new Map<string, Uint8Array<ArrayBuffer>>();

  /** Adds a text; returns its descriptor. */
  add(text: string): { readonly digest: string; readonly size: number } {
    const bytes = new TextEncoder().encode(text), digest = digestOf(bytes);
    this.#packed.set(digest, new Uint8Array(gzipSync(bytes)));
    return { digest, size: bytes.length };
  }

  answer(digest: string): Response | undefined {
    const packed = this.#packed.get(digest);
    return packed && new Response(packed, { headers: { "content-encoding": "gzip" } });
  }
}

function manifestOf(config: Json, layers: readonly Json[]): string {
  return JSON.stringify({ schemaVersion: 2, mediaType: manifestType, config, layers });
}

async function review(server: ServerProcess, path: string, image: string): Promise<Json> {
  const containers: Json = [{ name: "c", image }];
  const object = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default" },
    spec: { containers },
  };
  const answer = await fetch(`${server.address}${path}?timeout=30s`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(admissionReview({ object })),
  });
  return dig(await answer.json(), "response") ?? null;
}

const envelope = (index: number, characters: number): string =>
  `{"index":${index},"payload":"${"A".repeat(characters)}","payloadType":"application/vnd.in-toto+json"}`;
const emptyMaps = (index: number, characters: number): string =>
  `{"index":${index},"payload":[${"{},".repeat(characters / 3)}{}]}`;

const attestations: readonly (readonly [what: string, images: number, layers: string[]])[] = [
  ["fifty of 10 MB", 1, Array.from({ length: 50 }, (_, index) => envelope(index, 9_600_000))],
  ["six of 3 MB for each of twelve images", 12, Array.from({ length: 6 }, (_, i) => envelope(i, 2_880_000))],
  ["six of 3 MB with empty maps", 4, Array.from({ length: 6 }, (_, index) => emptyMaps(index, 3_000_000))],
];
for (const [what, images, texts] of attestations) {
  Deno.test(`attestations of an image stay within the memory of a replica: ${what}`, async () => {
    const registry = new TestRegistry(), content = new Content();
    const way = signingWays(registry, new Signers()).find(({ name }) => name === "attestation")!;
    const layers = texts.map((text) => ({
      mediaType: "application/vnd.dsse.envelope.v1+json",
      ...content.add(text),
    }));
    const list = manifestOf({ digest: registry.blob("{}"), size: 2 }, layers);
    const names = Array.from({ length: images }, (_, index) => `attestation/app${index}:v1`);
    for (const name of names) registry.image(name);
    registry.intercept(({ path }) =>
      path.endsWith(".att")
        ? new Response(list, { headers: { "content-type": manifestType } })
        : content.answer(path.slice(path.lastIndexOf("/") + 1))
    );
    try {
      const policies = toYaml(imagePolicy([way]));
      await using server = await startReplica({ policies, args: ["--no-tls", "--local-registries"] });
      const responses = await Promise.all(
        names.map((name) => review(server, "/mutate/fail", `${registry.host}/${name}`)),
      );
      for (const response of responses) assert.equal(dig(response, "allowed"), false);
      const { most } = await server.memory();
      assert.ok(most < bound, `${most} MiB`);
    } finally {
      await registry.close();
    }
  });
}

const rootless = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: rootless}
spec:
  validationFailureAction: Enforce
  rules:
  - name: rootless
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate:
      message: no root
      foreach:
      - list: request.object.spec.containers
        context:
        - name: user
          imageRegistry: {reference: "{{ element.image }}", jmesPath: "configData.config.User || ''"}
        deny: {conditions: {all: [{key: "{{ user }}", operator: Equals, value: root}]}}
`;

Deno.test("configurations of images that take much more memory than their text do not end the process", async () => {
  const registry = new TestRegistry(), content = new Content();
  const manifests = Array.from(
    { length: 4 },
    (_, index) => manifestOf(content.add(emptyMaps(index, 3_900_000)), []),
  );
  registry.intercept(({ path }) => {
    const [, index] = /^\/v2\/app(\d)\/manifests\//.exec(path) ?? [];
    return index === undefined
      ? content.answer(path.slice(path.lastIndexOf("/") + 1))
      : new Response(manifests[Number(index)]!, { headers: { "content-type": manifestType } });
  });
  try {
    await using server = await startReplica({ policies: rootless, args: ["--no-tls", "--local-registries"] });
    for (const index of manifests.keys()) {
      const response = await review(server, "/validate/fail", `${registry.host}/app${index}:v1`);
      assert.equal(dig(response, "allowed"), false);
      assert.match(String(dig(response, "status", "message")), /takes too much memory/);
    }
    const { most } = await server.memory();
    assert.ok(most < bound, `${most} MiB`);
  } finally {
    await registry.close();
  }
});
