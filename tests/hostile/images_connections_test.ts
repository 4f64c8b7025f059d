/** Registries that never answer: the connections that they take, and the registries that answer beside them. */
import assert from "node:assert/strict";
import { ImageRegistry } from "../../lib/registries/mod.ts";
import { systemClock } from "../../lib/adapters/mod.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { fakeServer } from "../adapters/fake_server.ts";
import { rawServer } from "../adapters/raw_server.ts";

Deno.test("images of registries that never answer take a bounded amount of memory", async () => {
  const silent = rawServer(() => new Promise(() => {}), "0.0.0.0");
  const { port } = new URL(silent.address);
  const registry = new ImageRegistry({
    clock: systemClock(),
    entropy: countingEntropy(),
    timeout: 300,
    attempts: 1,
  });
  try {
    const began = performance.now();
    let early = 0;
    const reads = Array.from({ length: 1_500 }, async (_, at) => {
      const answer = await registry.image(`127.0.${at >> 7}.${at & 127 | 2}:${port}/app:v${at}`);
      if (/too many images/.test(answer.ok ? "" : answer.message)) early++;
      return answer.ok;
    });
    assert.ok((await Promise.all(reads)).every((ok) => !ok));
    assert.equal(early, 1_500 - 512, `${performance.now() - began} ms`);
    // There is room again.
    const later = await registry.image(`127.0.0.2:${port}/later:v1`);
    assert.ok(!later.ok && !/too many images/.test(later.message), later.ok ? "" : later.message);
  } finally {
    silent.close();
  }
});

Deno.test("hundreds of registries that never answer take a bounded number of connections", async () => {
  const silent = rawServer(() => new Promise(() => {}), "0.0.0.0");
  const port = new URL(silent.address).port;
  const answering = fakeServer(() => Response.json({ errors: [] }, { status: 404 }));
  const host = answering.address.slice("http://".length);
  const registry = new ImageRegistry({
    clock: systemClock(),
    entropy: countingEntropy(),
    timeout: 2_000,
    attempts: 1,
  });
  try {
    // It has answered before, as registries that clusters use have.
    assert.equal((await registry.image(`${host}/app:v1`)).status, 404);
    const images = Array.from(
      { length: 500 },
      (_, at) => `127.0.${at >> 8}.${at & 255 | 2}:${port}/app:v${at}`,
    );
    const reads = images.map((image) => registry.image(image));
    while (silent.most() < 100) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 200));
    const connections = silent.most();
    assert.equal((await registry.image(`${host}/app:v2`)).status, 404);
    assert.ok(connections <= 128, String(connections));
    assert.ok((await Promise.all(reads)).every(({ ok }) => !ok));
  } finally {
    silent.close();
    await answering.close();
  }
});
