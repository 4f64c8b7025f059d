/**
 * More callers than can be answered: others have their turn, health is answered, and callers without an answer get an
 * error.
 */
import assert from "node:assert/strict";
import { admissionReview } from "../server/review.ts";
import { denies } from "../server/serving.ts";
import { makeKeyPair } from "../support/key_pairs.ts";
import { postBytes, RawConnection } from "../support/raw_http.ts";
import { startReplica } from "../support/replica.ts";
import { startServer } from "../support/server_process.ts";
import { join } from "node:path";

const policies = denies("never", "validationFailureAction: Enforce", "kinds: [ConfigMap]");
const request = postBytes("/validate/fail", JSON.stringify(admissionReview()));
/** Milliseconds; the goal is 250, but this process asks for health and sends everything else too. */
const bound = 3_000;

Deno.test("health without TLS is answered beside callers that begin a handshake and stay silent", async () => {
  const folder = await Deno.makeTempDir({ prefix: "postern-overload-" });
  const pair = await makeKeyPair();
  const cert = join(folder, "tls.crt"), key = join(folder, "tls.key");
  await Deno.writeTextFile(cert, pair.cert);
  await Deno.writeTextFile(key, pair.key);
  await using server = await startServer({ policies, args: ["--tls-cert", cert, "--tls-key", key] });
  const silent = await Promise.all(Array.from({ length: 400 }, () => RawConnection.open(server.port)));
  let longest = 0;
  for (let count = 0; count < 20; count++) {
    const started = performance.now();
    for (const path of ["liveness", "readiness"]) {
      const answer = await fetch(`http://127.0.0.1:${server.metricsPort}/health/${path}`);
      assert.equal(await answer.text(), "ok");
    }
    longest = Math.max(longest, performance.now() - started);
  }
  assert.ok(longest < bound, `${Math.round(longest)} ms`);
  const started = performance.now();
  using caller = new RawConnection(
    await Deno.connectTls({ hostname: "localhost", port: server.port, caCerts: [pair.cert] }),
  );
  await caller.write(request);
  assert.equal((await caller.answer()).status, 200);
  assert.ok(performance.now() - started < bound, "silent callers hold up nobody");
  for (const connection of silent) connection[Symbol.dispose]();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("each of a thousand callers at once is answered: 200, or 503 when it would be too late", async () => {
  await using server = await startReplica({ policies, args: ["--no-tls"] });
  const callers = await Promise.all(Array.from({ length: 1_000 }, () => RawConnection.open(server.port)));
  let isOver = false, longest = 0;
  const health = (async () => {
    while (!isOver) {
      const started = performance.now();
      const answer = await fetch(`http://127.0.0.1:${server.metricsPort}/health/liveness`);
      assert.equal(await answer.text(), "ok");
      longest = Math.max(longest, performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  for (let round = 0; round < 3; round++) {
    const statuses = await Promise.all(callers.map(async (caller) => {
      await caller.write(request);
      return (await caller.answer()).status;
    }));
    assert.deepEqual(statuses.filter((status) => status !== 200 && status !== 503), []);
  }
  isOver = true;
  await health;
  assert.ok(longest < bound, `health took ${Math.round(longest)} ms`);
  const { most } = await server.memory();
  assert.ok(most < 200, `${most} MiB`);
  for (const caller of callers) caller[Symbol.dispose]();
});

/** A policy that takes some milliseconds for a review of 25 KB, and needs no loads. */
const slow = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: slow}
spec:
  validationFailureAction: Enforce
  rules:
  - name: compares
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate:
      message: never
      deny:
        conditions:
          any:
${
  Array.from({ length: 40 }, (_, index) =>
    `          - {key: "{{ length(request.object.spec.items[?contains(@, 'x${index}')]) }}", operator: GreaterThan, value: 0}`)
    .join("\n")
}
`;
const items = Array.from({ length: 3_000 }, (_, index) => `i${index}`);
const slowReview = JSON.stringify(admissionReview({
  object: { apiVersion: "v1", kind: "Pod", metadata: { name: "p", namespace: "default" }, spec: { items } },
}));

Deno.test("health on the webhook's port does not wait for the reviews that wait for their turn", async () => {
  await using server = await startReplica({ policies: slow, args: ["--no-tls"] });
  // A third of them is in memory at once, the others wait for room: health passes both.
  const callers = await Promise.all(Array.from({ length: 450 }, () => RawConnection.open(server.port)));
  const bytes = postBytes("/validate/fail?timeout=30s", slowReview);
  let answered = 0;
  const first = Promise.withResolvers<void>();
  const reviews = callers.map(async (caller) => {
    await caller.write(bytes);
    const { status } = await caller.answer();
    answered++;
    first.resolve();
    return status;
  });
  await first.promise;
  assert.equal(await (await fetch(`${server.address}/health/liveness`)).text(), "ok");
  // This process is slow at times, and the server answers meanwhile: some 40 on an idle machine.
  assert.ok(answered < callers.length / 2, `${answered} reviews were answered before`);
  assert.deepEqual([...new Set(await Promise.all(reviews))], [200]);
  for (const caller of callers) caller[Symbol.dispose]();
});

Deno.test("reviews that would be late for their callers get 503", async () => {
  await using server = await startReplica({ policies: slow, args: ["--no-tls"] });
  const callers = await Promise.all(Array.from({ length: 600 }, () => RawConnection.open(server.port)));
  const bytes = postBytes("/validate/fail?timeout=1s", slowReview);
  const statuses = await Promise.all(callers.map(async (caller) => {
    await caller.write(bytes);
    return (await caller.answer()).status;
  }));
  assert.deepEqual([...new Set(statuses)].sort(), [200, 503]);
  for (const caller of callers) caller[Symbol.dispose]();
});
