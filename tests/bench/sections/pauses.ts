import { type Bench, probeOf } from "../bench.ts";
import { type Command, floorCommand, serveCommand } from "../../support/image.ts";
import { loadInTurn } from "../load.ts";
import { type Server, startServer, untilCollected } from "../server.ts";

/** Milliseconds between an answer and the next request: an API server with 200 creates a second. */
const pause = 4;

/**
 * Measures requests between which the processor idles: other processes of the machine then fill its caches. Each server
 * does the work of the one above it, and more.
 */
export async function pauses({ inputs, image, results, generator, rounds, quick }: Bench): Promise<void> {
  results.section("One caller that pauses between its requests", {
    text:
      `Small clusters send few reviews. Here one connection waits ${pause} ms after each answer, without an API server. ` +
      "While the processor idles, others on the machine fill its caches: the same instructions then take several " +
      "times as long, and a request costs what it touches (`docs/listener.md`). What Postern itself adds is the " +
      "distance of its row to the one above. The servers take turns of a second.",
    columns: ["p50 ms, back to back", "processor µs", "p50 ms, with pauses", "processor µs"],
  });
  const path = "/validate/fail", bodyFile = inputs.review;
  const probe = await probeOf(path, bodyFile);
  const commands: readonly (readonly [what: string, command: Command])[] = [
    ["`node:tls` alone, a constant answer", floorCommand(image, "tls")],
    ["Postern's listener, echo", floorCommand(image, "echo")],
    ["a bare webhook that allows", floorCommand(image, "allow")],
    ["Postern, 17 pod security policies", serveCommand(image, [inputs.security])],
  ];
  const servers: Server[] = [];
  try {
    for (const [, command] of commands) servers.push(await startServer(command, probe));
    await untilCollected();
    const order = { path, bodyFile, connections: 1 };
    await loadInTurn(generator, servers, {
      ...order,
      seconds: 10,
      turns: 1,
      requests: quick ? 3_000 : 10_000,
    });
    const seconds = 1;
    const busy = await loadInTurn(generator, servers, { ...order, seconds, turns: 2 });
    const paced = await loadInTurn(generator, servers, { ...order, seconds, turns: rounds, pause });
    for (const [index, [what]] of commands.entries()) {
      const cells = [busy[index]!, paced[index]!].flatMap((
        { p50, cost },
      ) => [p50.toFixed(2), cost.toFixed(0)]);
      results.row(what, cells);
    }
  } finally {
    for (const server of servers) await server.stop();
  }
}
