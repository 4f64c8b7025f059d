/** Registries that do not answer: who asks for their images waits until the deadline, and nobody else does. */
import assert from "node:assert/strict";
import { dig, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { toYaml } from "../../lib/yaml/mod.ts";
import { silence } from "../adapters/fake_server.ts";
import { Signers } from "../registries/signing/fixtures.ts";
import { TestRegistry } from "../registries/signing/registry.ts";
import { imagePolicy, signingWays } from "../bench/signed_images.ts";
import { admissionReview } from "../server/review.ts";
import { startServer } from "../support/server_process.ts";

const signers = new Signers();
/** Reviews of Pods with images that wait, at once. */
const waiting = 60;
/** Seconds after which they are answered: the others need a fraction of it. */
const deadline = 8;

function reviewOf(image: string): JsonObject {
  const containers: Json = [{ name: "c", image }];
  return admissionReview({
    object: {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "shop" },
      spec: { containers },
    },
  });
}

async function post(address: string, review: JsonObject, seconds: number): Promise<Json> {
  const answer = await fetch(`${address}/mutate/fail?timeout=${seconds}s`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(review),
  });
  return dig(await answer.json(), "response") ?? null;
}

/** How a registry keeps its callers waiting. */
const slowness:
  readonly (readonly [what: string, answer: (path: string) => Promise<Response> | undefined])[] = [
    ["does not answer", () => silence()],
    ["sends its content byte by byte", () => Promise.resolve(new Response(drop()))],
    ["has the image, but sends no signature", (path) => path.includes(".sig") ? silence() : undefined],
  ];

/** A byte every 200 milliseconds. */
function drop(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 200));
      controller.enqueue(new Uint8Array([32]));
    },
  });
}

for (const [what, answer] of slowness) {
  Deno.test(`other requests are answered while a registry ${what}`, async () => {
    const slow = new TestRegistry(), quick = new TestRegistry();
    slow.intercept(({ path }) => answer(path));
    const ways = [slow, quick].map((registry, index) => ({
      ...signingWays(registry, signers)[0]!,
      name: `registry-${index}`,
    }));
    await using server = await startServer({
      policies: toYaml(imagePolicy(ways)),
      args: ["--no-tls", "--local-registries"],
    });
    try {
      let answered = 0;
      const held = Array.from({ length: waiting }, async (_, index) => {
        const image = `key/app${index}:v1`;
        ways[0]!.put(image);
        const response = await post(server.address, reviewOf(`${slow.host}/${image}`), deadline);
        answered++;
        return response;
      });
      for (let index = 0; index < 10; index++) {
        ways[1]!.put(`key/app:v${index}`);
        const image = `${quick.host}/key/app:v${index}`;
        const [signed, other, health] = await Promise.all([
          post(server.address, reviewOf(image), deadline),
          post(server.address, reviewOf("ghcr.io/acme/app:v1"), deadline),
          fetch(`${server.address}/health/liveness`).then((answer) => answer.text()),
        ]);
        assert.equal(dig(signed, "allowed"), true, JSON.stringify(signed));
        assert.match(atob(String(dig(signed, "patch"))), /@sha256:/);
        assert.equal(dig(other, "allowed"), true);
        assert.equal(health, "ok");
      }
      assert.equal(answered, 0, "they had their answers before anybody whose registry is slow");
      for (const response of await Promise.all(held)) {
        assert.equal(dig(response, "allowed"), false);
        assert.match(
          String(dig(response, "status", "message")),
          new RegExp(slow.host),
          "it names the registry",
        );
      }
    } finally {
      await slow.close();
      await quick.close();
    }
  });
}
