import { type Bench, median, mib, probeOf } from "../bench.ts";
import { type Image, serveCommand } from "../../support/image.ts";
import { loadServer, type Measured } from "../load.ts";
import { type Memory, type Server, startServer } from "../server.ts";

/** Settings of V8 and of the C library that trade memory for throughput; the image's own are the first. */
function ways({ env }: Image): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const flags = env["DENO_V8_FLAGS"]!;
  const young = (size: number): Record<string, string> => ({
    ...env,
    DENO_V8_FLAGS: flags.replace(/semi-space-size=\d+/, `semi-space-size=${size}`),
  });
  const { MALLOC_ARENA_MAX: _one, ...manyArenas } = env;
  return new Map([
    ["the image's", env],
    ["young generation of 1 MiB", young(1)],
    ["young generation of 4 MiB", young(4)],
    ["young generation of 8 MiB", young(8)],
    ["young generation of 16 MiB", young(16)],
    ["an arena of memory for each thread", manyArenas],
    ["`--optimize-for-size`", { ...env, DENO_V8_FLAGS: `${flags},--optimize-for-size` }],
    ["V8 chooses when it makes its fastest code", {
      ...env,
      DENO_V8_FLAGS: flags.replace(/,?--invocation-count-for-turbofan=\d+/, ""),
    }],
    ["V8 guesses which objects live long", {
      ...env,
      DENO_V8_FLAGS: flags.replace(/,?--no-allocation-site-pretenuring/, ""),
    }],
    ["the young generation is collected on several threads", {
      ...env,
      DENO_V8_FLAGS: flags.replace(/,?--no-parallel-scavenge/, ""),
    }],
  ]);
}

interface Trial {
  readonly server: Server;
  readonly idle: Memory;
  readonly measured: Measured[];
}

/** Memory against throughput: what each setting costs and gives, in one process each, with 10 CEL rules. */
export async function settings(
  { inputs, image, results, generator, rounds, seconds, quick }: Bench,
): Promise<void> {
  results.section("Memory against throughput, 10 CEL rules, 16 connections", {
    text:
      "Chosen is the least memory, for a light cluster: hundreds of requests in a second suffice there, each setting " +
      "gives thousands, and a replica should cost no more than it must. `DENO_V8_FLAGS` in the Deployment changes it.",
    columns: ["own memory, idle", "after the load", "requests/s", "p99 ms", "processor µs"],
  });
  const path = "/validate/fail", bodyFile = inputs.review;
  const probe = await probeOf(path, bodyFile);
  const trials = new Map<string, Trial>();
  try {
    for (const [what, env] of ways(image)) {
      const server = await startServer(serveCommand({ ...image, env }, [inputs.cel]), probe);
      trials.set(what, { server, idle: await server.memory(), measured: [] });
    }
    const load = (server: Server, order: { readonly seconds: number; readonly requests?: number }) =>
      loadServer(generator, server, { path, bodyFile, connections: 16, ...order });
    for (const { server } of trials.values()) {
      await load(server, { seconds: 10, requests: quick ? 4_000 : 10_000 });
    }
    for (let round = 0; round < Math.min(rounds, 4); round++) {
      for (const { server, measured } of trials.values()) measured.push(await load(server, { seconds }));
    }
    for (const [what, { server, idle, measured }] of trials) {
      const of = (key: "rate" | "p99" | "cost"): number => median(measured.map((each) => each[key]));
      const after = await server.memory();
      results.row(what, [
        mib(idle.unshared),
        mib(after.unshared),
        of("rate").toFixed(0),
        of("p99").toFixed(2),
        of("cost").toFixed(0),
      ]);
    }
  } finally {
    for (const { server } of trials.values()) await server.stop();
  }
}
