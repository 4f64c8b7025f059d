import { type Bench, median, percent, probeOf } from "../bench.ts";
import { loadServer, type Measured } from "../load.ts";
import type { Goal } from "../results.ts";
import { type Scenario, scenarios } from "../scenarios.ts";
import { type Server, startServer, untilCollected } from "../server.ts";

/** How many callers at a time; 1 is an API server of a light cluster, 64 one that is busy. */
const callers: readonly number[] = [1, 16, 64];

const columns = ["requests/s", "of Hono", "p50 ms", "p99 ms", "p99 of Hono's", "processor µs"];

/**
 * The p99 that is wanted at 16 connections: in milliseconds where the server has a processor, and as a share of the
 * floor's where it shares its processors with the generator, which makes even the bare echo wait as long.
 */
const slowest = 5, slowestOfHono = 1.5;

/** How to read the figures, by the number of connections. */
const texts: ReadonlyMap<number, string> = new Map([
  [
    1,
    "The floors answer without deciding anything, in the same listener with the same settings: one returns the body, the " +
    "other is a Hono app that parses the review's JSON and writes it again. Processor time is the server's, of all its threads.",
  ],
  [
    16,
    "Here p99 is mostly the time that the server waits for a processor which the generator has, as the bare echo shows: so " +
    "it is compared with Hono's. Below each has a processor of its own.",
  ],
]);

/** Requests in a second over TLS, latency and processor time of every scenario, beside the floors. */
export async function throughput(bench: Bench): Promise<void> {
  const all = scenarios(bench), servers = new Map<string, Server>();
  try {
    for (const { name, path, bodyFile, command } of all) {
      servers.set(name, await startServer(command, await probeOf(path, bodyFile)));
    }
    const trial: Trial = { bench, all, servers };
    await untilCollected();
    await warmUp(trial);
    await sharing(trial);
    await apart(trial);
  } finally {
    for (const server of servers.values()) await server.stop();
  }
}

interface Trial {
  readonly bench: Bench;
  readonly all: readonly Scenario[];
  readonly servers: ReadonlyMap<string, Server>;
}

/** The runtime goes on compiling for some ten thousand requests, on threads whose time counts as the server's. */
async function warmUp({ bench, all, servers }: Trial): Promise<void> {
  const requests = bench.quick ? 8_000 : 15_000;
  for (const { name, path, bodyFile } of all) {
    const order = { path, bodyFile, connections: 16, seconds: 10, requests };
    await loadServer(bench.generator, servers.get(name)!, order);
  }
}

/** Servers and generator share all processors, as a small node's API server and Postern do. */
async function sharing(trial: Trial): Promise<void> {
  const { bench: { results }, all } = trial;
  const rates = new Map<string, { connections: number; rate: number }[]>(all.map(({ name }) => [name, []]));
  for (const connections of callers) {
    const measured = await measure(trial, { connections });
    const text = texts.get(connections) ?? "";
    const ending = connections === 1 ? "" : "s";
    results.section(`Over TLS with a server name, HTTP/1.1, ${connections} connection${ending}`, {
      text,
      columns,
    });
    for (const scenario of all) {
      const figures = figuresOf(scenario, measured);
      const goals = scenario.goal === undefined ? [] : [
        { text: `≥ ${percent(scenario.goal)} of Hono`, met: figures.ofHono >= scenario.goal },
        ...(connections === 16
          ? [{ text: `p99 ≤ ${percent(slowestOfHono)} of Hono's`, met: figures.p99OfHono <= slowestOfHono }]
          : []),
      ];
      results.row(scenario.title, cellsOf(figures), goals);
      rates.get(scenario.name)!.push({ connections, rate: figures.rate });
    }
  }
  for (const { name, title } of all) {
    const kind = name === "echo" || name === "hono" ? "floor" : "measured";
    results.line({ title, kind, points: rates.get(name)! });
  }
  results.line(kyverno);
}

/**
 * The most that Kyverno's recorded figures allow. Its admission controller, with the 17 policies on two processors,
 * added 10.7 ms to a dry-run create and took 8.0 ms of processor time for it: one caller at a time gets at most the
 * inverse of the first, many together what two processors do at the second.
 */
const kyverno = {
  title: "Kyverno: the most by its recorded times",
  kind: "recorded",
  points: callers.map((connections) => ({
    connections,
    rate: connections === 1 ? 1_000 / 10.7 : 2 * 1_000 / 8.0,
  })),
} as const;

/**
 * The generator has one processor and the servers another. With both on all processors, p99 is mostly the time that a
 * server waits for a processor that the generator has.
 */
async function apart(trial: Trial): Promise<void> {
  const { bench: { results }, all, servers } = trial;
  const text =
    "The same with the generator on one processor (`GOMAXPROCS=1`) and the server, with all threads of the runtime, on " +
    "another: so p99 is the server's, and not the time that it waits for a processor which the generator has.";
  results.section("16 connections, generator and server on a processor each", { text, columns });
  if (navigator.hardwareConcurrency < 2) return results.row("skipped", "there is only one processor");
  try {
    for (const server of servers.values()) await server.pin("0");
    const measured = await measure(trial, { connections: 16, processor: 1 });
    for (const scenario of all) {
      const figures = figuresOf(scenario, measured);
      results.row(scenario.title, cellsOf(figures), scenario.goal === undefined ? [] : [fastEnough(figures)]);
    }
  } finally {
    for (const server of servers.values()) await server.pin("0,1");
  }
}

type MeasuredByName = ReadonlyMap<string, readonly Measured[]>;

async function measure(
  { bench: { generator, rounds, seconds }, all, servers }: Trial,
  how: { readonly connections: number; readonly processor?: number },
): Promise<MeasuredByName> {
  const measured = new Map<string, Measured[]>(all.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const { name, path, bodyFile } of all) {
      const order = { path, bodyFile, seconds, ...how };
      measured.get(name)!.push(await loadServer(generator, servers.get(name)!, order));
    }
  }
  return measured;
}

interface Figures extends Pick<Measured, "rate" | "p50" | "p99" | "cost"> {
  /** Rate and p99 as shares of the floor's in Hono. */
  readonly ofHono: number;
  readonly p99OfHono: number;
}

function figuresOf({ name }: Scenario, measured: MeasuredByName): Figures {
  const figures = measured.get(name)!, floor = measured.get("hono")!;
  const of = (key: "rate" | "p50" | "p99" | "cost"): number => median(figures.map((load) => load[key]));
  const share = (key: "rate" | "p99"): number =>
    median(figures.map((load, round) => load[key] / floor[round]![key]));
  return {
    rate: of("rate"),
    p50: of("p50"),
    p99: of("p99"),
    cost: of("cost"),
    ofHono: share("rate"),
    p99OfHono: share("p99"),
  };
}

function fastEnough({ p99 }: Figures): Goal {
  return { text: `p99 < ${slowest} ms`, met: p99 < slowest };
}

function cellsOf({ rate, ofHono, p50, p99, p99OfHono, cost }: Figures): string[] {
  return [
    rate.toFixed(0),
    percent(ofHono),
    p50.toFixed(2),
    p99.toFixed(2),
    percent(p99OfHono),
    cost.toFixed(0),
  ];
}
