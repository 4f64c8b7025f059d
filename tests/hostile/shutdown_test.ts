/** Planned ends: everything that is complete is answered, nothing holds the process. */
import assert from "node:assert/strict";
import { admissionReview } from "../server/review.ts";
import { denies } from "../server/serving.ts";
import { postBytes, postHead, RawConnection } from "../support/raw_http.ts";
import { eventually, pause, startServer } from "../support/server_process.ts";

const policies = denies("never", "validationFailureAction: Enforce", "kinds: [ConfigMap]");
const review = JSON.stringify(admissionReview());
const request = postBytes("/validate/fail", review);

Deno.test("after SIGTERM each answer ends its connection, and no request is lost", async () => {
  await using server = await startServer({ policies, args: ["--no-tls"] });
  const before = await RawConnection.open(server.port);
  await before.write(request);
  assert.doesNotMatch((await before.answer()).text, /Connection: close/);
  server.signal("SIGTERM");
  await server.until(/stopping/);
  // On a connection that was kept, and on one that is opened only now: the endpoint may still be known somewhere.
  const after = await RawConnection.open(server.port);
  for (const connection of [before, after]) {
    await connection.write(request);
    const { status, text } = await connection.answer();
    assert.equal(status, 200);
    assert.match(text, /Connection: close/);
    connection[Symbol.dispose]();
  }
  assert.equal((await server.status).code, 0);
});

Deno.test("a client that continues while the server stops sees no failure until the port is closed", async () => {
  await using server = await startServer({ policies, args: ["--no-tls"] });
  const lost: string[] = [];
  let answered = 0;
  const clients = Array.from({ length: 4 }, async () => {
    let connection = await RawConnection.open(server.port);
    for (;;) {
      await connection.write(request);
      const { status, text } = await connection.answer();
      if (status !== 200) {
        lost.push(text === "" ? "closed without an answer" : text);
        return;
      }
      answered++;
      if (text.includes("Connection: close")) {
        connection[Symbol.dispose]();
        // As a client whose endpoint is gone: it has three more requests for this server at most.
        if (!server.log().includes("stopping") || Math.random() < 0.3) return;
        connection = await RawConnection.open(server.port);
      }
      await pause(10);
    }
  });
  await pause(500);
  server.signal("SIGTERM");
  await Promise.all(clients);
  assert.deepEqual(lost, []);
  assert.ok(answered > 20);
  assert.equal((await server.status).code, 0);
});

Deno.test("an unfinished body does not keep the process beyond its grace period", async () => {
  await using server = await startServer({ policies, args: ["--no-tls"] });
  const open = await RawConnection.open(server.port), idle = await RawConnection.open(server.port);
  await open.write(postHead("/validate/fail", 10_000));
  await open.write(review.slice(0, 10));
  await idle.write("POST /validate/fail HT");
  await pause(100);
  server.signal("SIGTERM");
  const started = performance.now();
  assert.equal((await open.answer()).status, 408);
  assert.equal((await server.status).code, 0);
  const seconds = (performance.now() - started) / 1000;
  assert.ok(seconds < 20, `${seconds} s`);
  open[Symbol.dispose]();
  idle[Symbol.dispose]();
});

Deno.test("each denied request has its line in the log, also the last before SIGTERM", async () => {
  await using server = await startServer({
    policies: denies("always", "validationFailureAction: Enforce", "kinds: [Pod]"),
    args: ["--no-tls"],
  });
  const uids = Array.from({ length: 60 }, (_, index) => `request-${index}`);
  const answers = await Promise.all(uids.map(async (uid) => {
    const response = await fetch(`${server.address}/validate/fail`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(admissionReview({ uid })),
    });
    return (await response.json()).response;
  }));
  server.signal("SIGTERM");
  assert.deepEqual(answers.map(({ allowed }) => allowed), uids.map(() => false));
  assert.equal((await server.status).code, 0);
  const logged = () =>
    server.log().split("\n").filter((line) => /"message":"denied".*}$/.test(line))
      .map((line) => JSON.parse(line).uid);
  await eventually("the log has a line for each", () => logged().length >= uids.length);
  assert.deepEqual(logged().sort(), uids.toSorted());
});
