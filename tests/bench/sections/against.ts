import { type Bench, median, percent, probeOf, root } from "../bench.ts";
import { loadServer, type Measured } from "../load.ts";
import { type Scenario, scenarios } from "../scenarios.ts";
import { type Server, startServer } from "../server.ts";

const callers: readonly number[] = [1, 16, 64];

/**
 * Compares the throughput of this checkout with that of another one, `against`: both run `main.ts serve` with the same
 * settings and policies, and are loaded in turn. It shows what a change costs.
 */
export async function compareWith(against: string, bench: Bench): Promise<void> {
  bench.results.section("This checkout against another one, both as `main.ts serve`", {
    text: "Shares of the other checkout's figures: the medians of rounds in which both are loaded in turn.",
    columns: callers.flatMap((each) => [`requests/s at ${each}`, `processor at ${each}`]),
  });
  for (const scenario of scenarios(bench)) {
    if (scenario.name !== "echo" && scenario.name !== "hono") await compareScenario(scenario, against, bench);
  }
}

async function compareScenario(scenario: Scenario, against: string, bench: Bench): Promise<void> {
  const { title, path, bodyFile, command } = scenario;
  const options = command.args.slice(command.args.indexOf("serve"));
  const servers: Server[] = [];
  try {
    for (const checkout of [root, against]) {
      const args = ["run", "-A", "--no-check", "--config", `${checkout}/deno.json`, `${checkout}/main.ts`];
      const { DENO_DIR: _image, ...env } = command.env;
      servers.push(await startServer({ args: [...args, ...options], env }, await probeOf(path, bodyFile)));
    }
    const cells: string[] = [];
    const load = (server: Server, connections: number, requests?: number): Promise<Measured> =>
      loadServer(bench.generator, server, {
        path,
        bodyFile,
        connections,
        seconds: requests === undefined ? bench.seconds : 10,
        ...(requests !== undefined && { requests }),
      });
    for (const server of servers) await load(server, 16, 15_000);
    for (const connections of callers) {
      const rates: number[] = [], costs: number[] = [];
      for (let round = 0; round < bench.rounds; round++) {
        // Who comes first alternates too.
        const turn = round % 2 === 0 ? servers : servers.toReversed();
        const first = await load(turn[0]!, connections), second = await load(turn[1]!, connections);
        const [ours, theirs] = round % 2 === 0 ? [first, second] : [second, first];
        rates.push(ours.rate / theirs.rate);
        costs.push(ours.cost / theirs.cost);
      }
      cells.push(percent(median(rates)), percent(median(costs)));
    }
    bench.results.row(title, cells);
  } finally {
    for (const server of servers) await server.stop();
  }
}
