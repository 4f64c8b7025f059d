/** TLS handshakes that wait for others, and what their callers send meanwhile. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { Handshakes } from "../../lib/listener/handshakes.ts";
import { pause } from "../../lib/pause.ts";

/** A port whose connections are handshakes, of which one begins at a time; `begun` gets each of them. */
async function port(begun: (socket: Socket) => void, accepted: (socket: Socket) => void = () => {}) {
  const handshakes = new Handshakes({ slots: 1, time: 10_000, begin: begun });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    accepted(socket);
    handshakes.add(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  return {
    handshakes,
    connect: async () => {
      const caller = connect({ port, host: "127.0.0.1", noDelay: true });
      caller.on("error", () => {});
      await once(caller, "connect");
      return caller;
    },
    close() {
      handshakes.close();
      server.close();
    },
  };
}

Deno.test("a handshake that waited begins with all that has arrived, in one piece", async () => {
  const pieces: (number | undefined)[] = [];
  const { promise: second, resolve } = Promise.withResolvers<void>();
  let count = 0;
  const served = await port((socket) => {
    if (++count < 2) return;
    for (let piece = socket.read(); piece !== null; piece = socket.read()) pieces.push(piece.length);
    resolve();
  });
  const first = await served.connect(), waiting = await served.connect();
  // Each write is a segment, which the runtime reads by itself.
  for (let part = 0; part < 5; part++) {
    waiting.write(new Uint8Array(100));
    await pause(2);
  }
  await second;
  assert.ok(pieces.length <= 1, `${pieces}`);
  for (const caller of [first, waiting]) caller.destroy();
  served.close();
});

Deno.test("a new handshake from the address of another ends that one, and is not ended with it", async () => {
  const begun: Socket[] = [];
  const served = await port((socket) => begun.push(socket), (socket) => {
    for (const name of ["remoteAddress", "remotePort"]) Object.defineProperty(socket, name, { value: "one" });
  });
  const callers = [await served.connect(), await served.connect()];
  while (begun.length < 2) await pause(1);
  const [former, latter] = begun;
  if (!former!.closed) await once(former!, "close");
  assert.equal(served.handshakes.size, 1);
  assert.equal(latter!.destroyed, false);
  served.close();
  assert.equal(latter!.destroyed, true);
  for (const caller of callers) caller.destroy();
});
