/** Callers of the webhook's port that never finish a TLS handshake. They need no certificate and no secret path. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { denies } from "../server/serving.ts";
import { RawConnection } from "../support/raw_http.ts";
import { startReplica } from "../support/replica.ts";
import { servedKeyPair } from "../support/served_key_pair.ts";
import { eventually, pause } from "../support/server_process.ts";

const policies = denies("p");

/** MiB. */
const bound = 200;

/** Sends bytes on a new connection, and waits until the other side has answered or closed. */
async function send(port: number, bytes: Uint8Array): Promise<void> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  try {
    await connection.write(bytes);
    await connection.read(new Uint8Array(16_384));
  } catch { /* it was closed before */ }
  connection.close();
}

/** The first message of a client: a caller that can do nothing else need not know TLS. */
async function clientHello(): Promise<Uint8Array> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const client = Deno.connectTls({ hostname: "127.0.0.1", port: listener.addr.port })
    .then((connection) => connection.handshake()).catch(() => undefined);
  const connection = await listener.accept(), buffer = new Uint8Array(4096);
  const length = await connection.read(buffer);
  connection.close();
  listener.close();
  await client;
  return buffer.subarray(0, length ?? 0);
}

const hello = await clientHello();

const attacks: Readonly<Record<string, Uint8Array>> = {
  "plain HTTP": new TextEncoder().encode(`GET / HTTP/1.1\r\n\r\n${"x".repeat(30_000)}`),
  "no record of TLS": new Uint8Array(3_000),
  "a handshake that ends after its first message": hello,
};

for (const [what, bytes] of Object.entries(attacks)) {
  Deno.test(`thousands of connections take bounded memory that send ${what}`, async () => {
    await using server = await startReplica({ policies });
    await Promise.all(Array.from({ length: 30 }, async () => {
      for (let index = 0; index < 200; index++) await send(server.port, bytes);
    }));
    assert.ok(server.running());
    const { most } = await server.memory();
    assert.ok(most < bound, `${most} MiB`);
  });
}

/** A record of TLS with the start of a message that announces 16 MiB, and one with more of it. */
const tooLong = new Uint8Array(16_389), more = new Uint8Array(16_389);
tooLong.set([22, 3, 1, 64, 0, 1, 255, 255, 255]);
more.set([22, 3, 1, 64, 0]);

Deno.test("first messages that TLS refuses before all that arrived was read do not end the process", async () => {
  await using server = await startReplica({ policies });
  const attack = async () => {
    try {
      using connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
      for (const bytes of [tooLong, more, more, more]) {
        await connection.write(bytes);
        await pause(1);
      }
      await connection.read(new Uint8Array(100));
    } catch { /* it was closed before, or the server has ended */ }
  };
  for (let round = 0; round < 4 && server.running(); round++) {
    await Promise.all(Array.from({ length: 200 }, attack));
  }
  assert.ok(server.running(), server.log());
});

Deno.test("connections that are reset before their handshake begins leave no file open", async () => {
  await using server = await startReplica({ policies });
  const files = async () => {
    const { stdout } = await new Deno.Command("ls", { args: [`/proc/${server.pid}/fd`] }).output();
    return new TextDecoder().decode(stdout).split("\n").length;
  };
  const before = await files();
  const reset = async () => {
    for (let index = 0; index < 100; index++) {
      const caller = connect({ host: "127.0.0.1", port: server.port });
      await once(caller, "connect");
      caller.resetAndDestroy();
    }
  };
  await Promise.all(Array.from({ length: 10 }, reset));
  await eventually("the files are closed", async () => await files() < before + 50);
});

Deno.test("handshakes that stop in the middle give way to those of other callers, and end", async () => {
  await using pair = await servedKeyPair();
  await using server = await startReplica({ policies, args: pair.args });
  const stop = async () => {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
    await connection.write(hello);
    return connection;
  };
  const stopped = await Promise.all(Array.from({ length: 1_100 }, stop));
  const more = Promise.all(Array.from({ length: 600 }, stop));
  const others = Array.from({ length: 20 }, async () => {
    const options = { hostname: "localhost", port: server.port, caCerts: [pair.cert] };
    try {
      using connection = new RawConnection(await Deno.connectTls(options));
      await connection.write("GET /health/liveness HTTP/1.1\r\nHost: localhost\r\n\r\n");
      return (await connection.answer()).status;
    } catch {
      return 0;
    }
  });
  assert.deepEqual([...new Set(await Promise.all(others))], [200]);
  const all = [...stopped, ...await more];
  let open = all.length;
  const reads = all.map(async (connection) => {
    try {
      while (await connection.read(new Uint8Array(16_384)) !== null);
    } catch { /* closed */ }
    open--;
    connection.close();
  });
  await eventually("all handshakes end", () => open === 0, 20_000);
  await Promise.all(reads);
});
