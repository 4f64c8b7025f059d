/** Answers that their callers do not read: they take bounded memory, and others are answered. */
import assert from "node:assert/strict";
import { admissionReview } from "../server/review.ts";
import { postBytes, RawConnection } from "../support/raw_http.ts";
import { startReplica } from "../support/replica.ts";
import { servedKeyPair } from "../support/served_key_pair.ts";
import { policyAbout } from "./filled_memory.ts";

/** MiB. Such answers take 135 to 200 while they are made and encrypted; without a budget they took 355 to 1,225. */
const bound = 230;

interface Attack {
  readonly title: string;
  /** How many times 100 KB an answer has: a connection of the system keeps some 4 MB. */
  readonly copies: number;
  readonly connections: number;
  /** Requests of a connection. */
  readonly requests: number;
  readonly headers?: readonly string[];
  readonly tls?: boolean;
}

const attacks: readonly Attack[] = [
  { title: "two of 3 MB on each connection", copies: 22, connections: 120, requests: 2 },
  { title: "two of 3 MB on each connection, TLS", copies: 22, connections: 60, requests: 2, tls: true },
  {
    title: "one of 3 MB on each connection, which ends",
    copies: 22,
    connections: 120,
    requests: 1,
    headers: ["Connection: close"],
  },
  {
    title: "one of 6 MB on each connection, which ends",
    copies: 44,
    connections: 120,
    requests: 1,
    headers: ["Connection: close"],
  },
  { title: "many of 40 KB on each connection", copies: 0.3, connections: 200, requests: 150 },
];

const review = JSON.stringify(admissionReview());
const path = "/mutate/fail?timeout=30s";

for (const { title, copies, connections, requests, headers = [], tls = false } of attacks) {
  Deno.test(`answers that nobody reads take bounded memory: ${title}`, async () => {
    const text = "x".repeat(copies < 1 ? copies * 100_000 : 100_000);
    const policies = policyAbout(
      "Pod",
      `context: [{name: text, variable: {value: ${text}}}]
    mutate: {patchStrategicMerge: {metadata: {annotations: {text: "${
        "{{ text }}".repeat(Math.ceil(copies))
      }"}}}}`,
    );
    await using pair = await servedKeyPair();
    await using server = await startReplica({ policies, args: tls ? pair.args : ["--no-tls"] });
    const connect = async () =>
      tls
        ? new RawConnection(
          await Deno.connectTls({ hostname: "localhost", port: server.port, caCerts: [pair.cert] }),
        )
        : await RawConnection.open(server.port);
    const silent = await Promise.all(Array.from({ length: connections }, async () => {
      const connection = await connect();
      for (let index = 0; index < requests; index++) {
        await connection.write(postBytes(path, review, ...headers));
      }
      return connection;
    }));
    using reader = await connect();
    for (let index = 0; index < 5; index++) {
      await reader.write(postBytes(path, review));
      const answer = await reader.answer();
      assert.equal(answer.status, 200);
      assert.ok(answer.text.length > copies * 100_000, "a caller that reads gets the whole answer");
    }
    for (const connection of silent) connection[Symbol.dispose]();
    const { most } = await server.memory();
    assert.ok(most < bound, `${most} MiB`);
  });
}
