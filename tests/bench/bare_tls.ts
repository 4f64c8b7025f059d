/** A server of `node:tls` alone, below which no listener in JavaScript gets. */
import { Buffer } from "node:buffer";
import { createServer, type TLSSocket } from "node:tls";
import type { KeyPair } from "../../lib/listener/mod.ts";

const answer = Buffer.from(
  "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
);

/** Answers every request with the same bytes as soon as its body has arrived. It does not read what it gets. */
export function serveBareTls({ cert, key }: KeyPair, port: number): void {
  createServer({ cert, key }, (socket: TLSSocket) => {
    socket.setNoDelay(true);
    let missing = 0;
    socket.on("data", (bytes: Buffer) => {
      if (missing === 0) {
        const end = bytes.indexOf("\r\n\r\n");
        const [, length = "0"] = /content-length: (\d+)/i.exec(bytes.toString("latin1", 0, end)) ?? [];
        missing = end + 4 + Number(length);
      }
      missing -= bytes.length;
      if (missing === 0) socket.write(answer);
    });
    socket.on("error", () => socket.destroy());
  }).listen(port, "127.0.0.1");
}
