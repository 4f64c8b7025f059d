import { type Bench, median, percent, probeOf, root } from "../bench.ts";
import { loadInTurn } from "../load.ts";
import { type Scenario, scenarios } from "../scenarios.ts";
import { type Server, startServer, untilCollected } from "../server.ts";

const callers: readonly number[] = [1, 16, 64];

/** Turns of each checkout in a second that each is loaded. */
const turnsPerSecond = 20;

/**
 * Compares the throughput of this checkout with that of another one, `against`: both run `main.ts serve` with the same
 * settings and policies, and are loaded in turn. It shows what a change costs.
 */
export async function compareWith(against: string, bench: Bench): Promise<void> {
  bench.results.section("This checkout against another one, both as `main.ts serve`", {
    text: `Shares of the other checkout's figures: requests are the medians of ${turnsOf(bench)} turns of ${
      1000 / turnsPerSecond
    } ms in which both are loaded.`,
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
    const load = (connections: number, turns: number) =>
      loadInTurn(bench.generator, servers, {
        path,
        bodyFile,
        connections,
        seconds: 1 / turnsPerSecond,
        turns,
      });
    await untilCollected();
    // In turn as well: the server that is warm first would wait for the other, and be slower afterwards.
    await load(16, 2 * turnsPerSecond);
    for (const connections of callers) {
      const [ours, theirs] = await load(connections, turnsOf(bench));
      const rates = ours!.rates.map((rate, turn) => rate / theirs!.rates[turn]!);
      cells.push(percent(median(rates)), percent(ours!.cost / theirs!.cost));
    }
    bench.results.row(title, cells);
  } finally {
    for (const server of servers) await server.stop();
  }
}

function turnsOf({ rounds, seconds }: Bench): number {
  return rounds * seconds * turnsPerSecond;
}
