import { type Bench, probeOf } from "../bench.ts";
import { loadServer } from "../load.ts";
import { serveArguments } from "../scenarios.ts";
import { startServer } from "../server.ts";

/** Resident memory: idle, after 5,000 requests, and over a longer run of requests that are allowed, denied and not matched. */
export async function memory({ inputs, results, generator, quick }: Bench): Promise<void> {
  results.section("Resident memory, 17 pod security policies");
  const path = "/validate/fail";
  const server = await startServer(serveArguments([inputs.security]), await probeOf(path, inputs.review));
  try {
    const idle = await server.memory();
    const load = async (bodyFile: string, requests: number) => {
      await loadServer(generator, server, { path, bodyFile, connections: 16, seconds: 300, requests });
      return await server.memory();
    };
    results.row("idle", mib(idle), { text: "≤ 60 MiB", met: idle <= 60 });
    const used = await load(inputs.review, 5_000);
    results.row("after 5,000 requests", mib(used), { text: "≤ 75 MiB", met: used <= 75 });
    const figures: number[] = [];
    for (let round = 0; round < 3; round++) {
      for (const bodyFile of [inputs.unmatchedReview, inputs.deniedReview, inputs.review]) {
        await load(bodyFile, quick ? 3_000 : 30_000);
      }
      figures.push(await server.memory());
    }
    const [first = NaN, , last = NaN] = figures;
    results.row("over a soak in thirds", figures.map(mib).join(", "), {
      text: "flat: the last third within 10 % of the first",
      met: last <= first * 1.1,
    });
  } finally {
    await server.stop();
  }
}

function mib(value: number): string {
  return `${value.toFixed(0)} MiB`;
}
