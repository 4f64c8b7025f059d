/** Registries that never answer: the connections that they take, and the registries that answer beside them. */
import assert from "node:assert/strict";
import { ImageRegistry } from "../../lib/registries/mod.ts";
import { systemClock } from "../../lib/adapters/mod.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { fakeServer } from "../adapters/fake_server.ts";
import { rawServer } from "../adapters/raw_server.ts";

/** 64 registries, each on its own port, that accept connections and never answer. */
function silentRegistries() {
  const servers = Array.from({ length: 64 }, () => rawServer(() => new Promise(() => {})));
  const hosts = servers.map(({ address }) => new URL(address).host);
  return {
    /** The host of one of them; numbers beyond the last begin anew. */
    host: (at: number): string => hosts[at % hosts.length]!,
    /** The connections that they have taken, before any has timed out. */
    connections: (): number => servers.reduce((sum, server) => sum + server.most(), 0),
    close: (): void => servers.forEach((server) => server.close()),
  };
}

Deno.test("images of registries that never answer take a bounded amount of memory", async () => {
  const silent = silentRegistries();
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
      const answer = await registry.image(`${silent.host(at)}/app:v${at}`);
      if (/too many images/.test(answer.ok ? "" : answer.message)) early++;
      return answer.ok;
    });
    assert.ok((await Promise.all(reads)).every((ok) => !ok));
    assert.equal(early, 1_500 - 512, `${performance.now() - began} ms`);
    // There is room again.
    const later = await registry.image(`${silent.host(0)}/later:v1`);
    assert.ok(!later.ok && !/too many images/.test(later.message), later.ok ? "" : later.message);
  } finally {
    silent.close();
  }
});

Deno.test("hundreds of registries that never answer take a bounded number of connections", async () => {
  const silent = silentRegistries();
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
    const images = Array.from({ length: 500 }, (_, at) => `${silent.host(at)}/app:v${at}`);
    const reads = images.map((image) => registry.image(image));
    while (silent.connections() < 100) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 200));
    const connections = silent.connections();
    assert.equal((await registry.image(`${host}/app:v2`)).status, 404);
    assert.ok(connections <= 128, String(connections));
    assert.ok((await Promise.all(reads)).every(({ ok }) => !ok));
  } finally {
    silent.close();
    await answering.close();
  }
});
