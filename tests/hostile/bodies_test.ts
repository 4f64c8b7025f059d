/** Bodies that are announced, slow, large or many: memory follows what has arrived, and others are answered. */
import assert from "node:assert/strict";
import { admissionReview, pod } from "../server/review.ts";
import { denies } from "../server/serving.ts";
import { postBytes, postHead, RawConnection } from "../support/raw_http.ts";
import { startReplica } from "../support/replica.ts";
import { pause } from "../support/server_process.ts";

const policies = denies("never", "validationFailureAction: Enforce", "kinds: [ConfigMap]");
const small = JSON.stringify(admissionReview());
/** MiB that no attack may pass; 42 of them are pages of Deno's file. */
const bound = 200;

async function answered(port: number): Promise<number> {
  using connection = await RawConnection.open(port);
  await connection.write(postBytes("/validate/fail", small));
  return (await connection.answer()).status;
}

Deno.test("announced bodies that never arrive take no memory, and end with 408", async () => {
  await using server = await startReplica({ policies, args: ["--no-tls"] });
  const connections = await Promise.all(Array.from({ length: 300 }, () => RawConnection.open(server.port)));
  for (const connection of connections) {
    await connection.write(postHead("/validate/fail", 5_000_000));
    await connection.write(small.slice(0, 100));
  }
  assert.equal(await answered(server.port), 200, "others are answered meanwhile");
  const answers = await Promise.all(connections.map((connection) => connection.answer()));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [408]);
  for (const connection of connections) connection[Symbol.dispose]();
  const { most } = await server.memory();
  assert.ok(most < bound, `${most} MiB`);
});

Deno.test("a body that arrives byte by byte takes little more memory than its bytes", async () => {
  await using server = await startReplica({ policies, args: ["--no-tls"] });
  const connections = await Promise.all(Array.from({ length: 20 }, () => RawConnection.open(server.port)));
  const head = "POST /validate/fail HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n" +
    "Transfer-Encoding: chunked\r\n\r\n";
  const chunks = "1\r\n[\r\n".repeat(2_000);
  await Promise.all(connections.map(async (connection) => {
    await connection.write(head);
    for (let index = 0; index < 50; index++) if (!await connection.write(chunks)) break;
  }));
  assert.equal(await answered(server.port), 200);
  for (const connection of connections) connection[Symbol.dispose]();
  const { most } = await server.memory();
  assert.ok(most < bound, `${most} MiB`);
});

interface Many {
  readonly count: number;
  /** Characters of an annotation. */
  readonly characters: number;
  /** Whether one of them does not fit into a byte: then a text takes twice as much memory. */
  readonly wide?: boolean;
  /** Statuses of the answers; of more than a hundred reviews some may be refused. */
  readonly statuses: readonly number[];
}

const many: readonly Many[] = [
  { count: 48, characters: 3_000_000, statuses: [200] },
  { count: 48, characters: 4_900_000, wide: true, statuses: [200] },
  { count: 200, characters: 1_000_000, wide: true, statuses: [200, 503] },
  { count: 400, characters: 500_000, statuses: [200, 503] },
];
for (const { count, characters, wide = false, statuses } of many) {
  const title = `${count} of ${characters / 1_000_000} MB${wide ? " with a wide character" : ""}`;
  Deno.test(`many large reviews at once are answered within the memory bound: ${title}`, async () => {
    await using server = await startReplica({ policies, args: ["--no-tls"] });
    const annotations = { text: (wide ? "ω" : "") + "x".repeat(characters) };
    const large = postBytes(
      "/validate/fail?timeout=30s",
      JSON.stringify(admissionReview({ object: pod({ annotations }) })),
    );
    const answers = await Promise.all(Array.from({ length: count }, async () => {
      using connection = await RawConnection.open(server.port);
      await connection.write(large);
      return (await connection.answer()).status;
    }));
    assert.deepEqual(answers.filter((status) => !statuses.includes(status)), []);
    assert.ok(answers.filter((status) => status === 200).length >= 48);
    const { most } = await server.memory();
    assert.ok(most < bound, `${most} MiB`);
  });
}

Deno.test("bodies of a thousand connections that stop in the middle take bounded memory", async () => {
  await using server = await startReplica({ policies, args: ["--no-tls"] });
  const connections = await Promise.all(Array.from({ length: 1_000 }, () => RawConnection.open(server.port)));
  const half = "x".repeat(300_000);
  void Promise.all(connections.map(async (connection) => {
    await connection.write(postHead("/validate/fail", 4_000_000));
    await connection.write(half);
  }));
  await pause(2_000);
  assert.equal(await answered(server.port), 200);
  for (const connection of connections) connection[Symbol.dispose]();
  const { most } = await server.memory();
  assert.ok(most < bound, `${most} MiB`);
});

Deno.test("unfinished large bodies do not block small ones", async () => {
  await using server = await startReplica({ policies, args: ["--no-tls"] });
  const connections = await Promise.all(Array.from({ length: 30 }, () => RawConnection.open(server.port)));
  const most = "x".repeat(1_500_000);
  void Promise.all(connections.map(async (connection) => {
    await connection.write(postHead("/validate/fail", 4_000_000));
    await connection.write(most);
  }));
  const statuses: number[] = [];
  for (let index = 0; index < 20; index++) statuses.push(await answered(server.port));
  assert.deepEqual([...new Set(statuses)], [200]);
  for (const connection of connections) connection[Symbol.dispose]();
  const memory = await server.memory();
  assert.ok(memory.most < bound, `${memory.most} MiB`);
});

Deno.test("a body that is too large is rejected before it is read", async () => {
  await using server = await startReplica({ policies, args: ["--no-tls"] });
  using connection = await RawConnection.open(server.port);
  await connection.write(postHead("/validate/fail", 500_000_000));
  assert.equal((await connection.answer()).status, 413);
});
