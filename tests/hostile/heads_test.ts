/** Heads of requests, from callers who need no certificate and no secret path. */
import assert from "node:assert/strict";
import { denies } from "../server/serving.ts";
import { RawConnection } from "../support/raw_http.ts";
import { startServer } from "../support/server_process.ts";

const policies = denies("p");

/** Just below the limit for a head. */
const spaces = " ".repeat(16_000);

const heads: Readonly<Record<string, readonly [header: string, status: number]>> = {
  "spaces before a character that is none of a header": [`A:${spaces}\x01`, 400],
  "spaces around a value": [`A:${spaces.slice(8_000)}b${spaces.slice(8_000)}`, 200],
  "spaces before a value with such a character": [`A:${spaces}b\x7f`, 400],
};

Deno.test("a head of spaces does not hold the webhook's port, nor that of probes", async () => {
  await using server = await startServer({ policies, args: ["--no-tls"] });
  for (const port of [server.port, server.metricsPort]) {
    for (const [what, [header, status]] of Object.entries(heads)) {
      using connection = await RawConnection.open(port);
      await connection.write(`GET /health/liveness HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n`);
      // It took 20 minutes once.
      const late = new Promise<undefined>((resolve) =>
        Deno.unrefTimer(setTimeout(() => resolve(undefined), 20_000))
      );
      const answer = await Promise.race([connection.answer(), late]);
      assert.equal(answer?.status, status, what);
    }
  }
});
