/** Callers that send requests and read no answer, over TLS. They need no certificate and no secret path. */
import assert from "node:assert/strict";
import { denies } from "../server/serving.ts";
import { RawConnection } from "../support/raw_http.ts";
import { startReplica } from "../support/replica.ts";
import { servedKeyPair } from "../support/served_key_pair.ts";
import { pause } from "../support/server_process.ts";

const policies = denies("never", "validationFailureAction: Enforce", "kinds: [ConfigMap]");
/** MiB: 125 to 185 are measured. It was 580 to 1,490 when the runtime read on behind a paused socket. */
const bound = 230;

const lines = Array.from({ length: 90 }, (_, index) => `X-${index}: ${"y".repeat(140)}`);

const requests: Readonly<Record<string, string>> = {
  "small requests": "GET /health/liveness HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1_500),
  "requests with many headers": `GET /health/liveness HTTP/1.1\r\nHost: a\r\n${lines.join("\r\n")}\r\n\r\n`
    .repeat(5),
};

for (const [what, text] of Object.entries(requests)) {
  Deno.test(`callers that send ${what} without an end, and read no answer, take bounded memory`, async () => {
    await using pair = await servedKeyPair();
    await using server = await startReplica({ policies, args: pair.args });
    const options = { hostname: "localhost", port: server.port, caCerts: [pair.cert] };
    const connect = async () => new RawConnection(await Deno.connectTls(options));
    using other = await connect();
    const callers = await Promise.all(Array.from({ length: 100 }, connect));
    let isOver = false;
    const sent = callers.map(async (caller) => {
      while (!isOver && await caller.write(text));
    });
    await pause(5_000);
    await other.write("GET /health/liveness HTTP/1.1\r\nHost: a\r\n\r\n");
    const late = new Promise<undefined>((resolve) =>
      Deno.unrefTimer(setTimeout(() => resolve(undefined), 20_000))
    );
    const answer = await Promise.race([other.answer(), late]);
    isOver = true;
    for (const caller of callers) caller[Symbol.dispose]();
    await Promise.all(sent);
    const { most } = await server.memory();
    assert.ok(most < bound, `${most} MiB`);
    assert.equal(answer?.status, 200, "others are answered");
  });
}
