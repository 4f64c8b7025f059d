import { type Bench, median, probeOf } from "../bench.ts";
import { loadServer, type Measured } from "../load.ts";
import { type Scenario, scenarios } from "../scenarios.ts";
import { type Server, startServer } from "../server.ts";

/** How many callers at a time; 1 is an API server of a light cluster, 64 one that is busy. */
const callers: readonly number[] = [1, 16, 64];

/** Requests in a second over TLS, latency and processor time of every scenario, beside the floors. */
export async function throughput(bench: Bench): Promise<void> {
  const all = scenarios(bench.inputs);
  const servers = new Map<string, Server>();
  try {
    for (const { name, path, bodyFile, args } of all) {
      servers.set(name, await startServer(args, await probeOf(path, bodyFile)));
    }
    await warmUp(bench, servers);
    const rates = new Map<string, { connections: number; rate: number }[]>(all.map(({ name }) => [name, []]));
    for (const connections of callers) {
      const measured = await measure(bench, servers, { connections });
      bench.results.section(`Over TLS with a server name, HTTP/1.1, ${connections} connections`);
      for (const scenario of all) {
        show(bench, scenario, { measured, connections });
        rates.get(scenario.name)!.push({
          connections,
          rate: median(measured.get(scenario.name)!.map(({ rate }) => rate)),
        });
      }
    }
    for (const { name, title } of all) bench.results.line({ title, points: rates.get(name)! });
    const measured = await measure(bench, servers, { connections: 16, http2: true });
    bench.results.section(
      "Over TLS, HTTP/2, 16 callers on one connection, as for a webhook registered by URL",
    );
    for (const scenario of all) show(bench, scenario, { measured, connections: undefined });
  } finally {
    for (const server of servers.values()) await server.stop();
  }
}

interface Callers {
  readonly connections: number;
  readonly http2?: boolean;
}

type MeasuredByName = ReadonlyMap<string, readonly Measured[]>;

/** The runtime goes on compiling for some ten thousand requests. */
async function warmUp(bench: Bench, servers: ReadonlyMap<string, Server>): Promise<void> {
  for (const { name, path, bodyFile } of scenarios(bench.inputs)) {
    const order = { path, bodyFile, connections: 16, seconds: bench.quick ? 1 : 4 };
    await loadServer(bench.generator, servers.get(name)!, order);
  }
}

async function measure(
  bench: Bench,
  servers: ReadonlyMap<string, Server>,
  callers: Callers,
): Promise<MeasuredByName> {
  const all = scenarios(bench.inputs);
  const measured = new Map<string, Measured[]>(all.map(({ name }) => [name, []]));
  for (let round = 0; round < bench.rounds; round++) {
    for (const { name, path, bodyFile } of all) {
      const order = { path, bodyFile, seconds: bench.seconds, ...callers };
      measured.get(name)!.push(await loadServer(bench.generator, servers.get(name)!, order));
    }
  }
  return measured;
}

interface Shown {
  readonly measured: MeasuredByName;
  /** Undefined where no goal is set. */
  readonly connections: number | undefined;
}

function show({ results }: Bench, { name, title, goal }: Scenario, { measured, connections }: Shown): void {
  const own = measured.get(name)!;
  const of = (key: "rate" | "p50" | "p99" | "cost" | "busy"): number => median(own.map((load) => load[key]));
  const share = (floor: string): number =>
    median(own.map(({ rate }, index) => rate / measured.get(floor)![index]!.rate));
  const value =
    `${of("rate").toFixed(0)}/s, p50 ${of("p50").toFixed(2)} ms, p99 ${of("p99").toFixed(2)} ms, ` +
    `${of("cost").toFixed(0)} µs of processor each, ${percent(share("echo"))} of echo, ${
      percent(share("hono"))
    } of Hono`;
  const least = connections === undefined ? undefined : goal;
  const slowest = connections === 16 ? 5 : Infinity;
  results.row(
    title,
    value,
    least === undefined ? undefined : {
      text: `≥ ${percent(least)} of Hono${slowest < Infinity ? ", p99 < 5 ms" : ""}`,
      met: share("hono") >= least && of("p99") < slowest,
    },
  );
}

function percent(value: number): string {
  return `${(value * 100).toFixed(0)} %`;
}
