import { type Bench, mib, probeOf } from "../bench.ts";
import { serveCommand } from "../../support/image.ts";
import { loadServer } from "../load.ts";
import { type Memory, startServer } from "../server.ts";

/**
 * Memory of what the container runs: idle, after 5,000 creates, each with a request to change and one to validate it,
 * and over a longer run of all kinds of requests.
 */
export async function memory({ inputs, image, results, generator, quick }: Bench): Promise<void> {
  const text =
    "Own memory is what no file holds; what the kubelet counts of a container is 3 to 5 MiB more ([how that was measured](memory.md)). " +
    "The resident pages of Deno's file, another 42 MiB, are shared by the replicas of a node.";
  results.section("Memory of the image's process, 17 pod security policies and 10 mutations", {
    text,
    columns: ["own", "resident"],
  });
  const command = serveCommand(image, [inputs.security, inputs.mutate]);
  const server = await startServer(command, await probeOf("/validate/fail", inputs.review));
  try {
    const load = async (bodyFile: string, requests: number, path = "/validate/fail") => {
      await loadServer(generator, server, { path, bodyFile, connections: 16, seconds: 60, requests });
    };
    const idle = await server.memory();
    results.row("idle", cellsOf(idle), { text: "≤ 60 MiB", met: idle.unshared <= 60 });
    await load(inputs.review, 5_000, "/mutate/fail");
    await load(inputs.review, 5_000);
    const used = await server.memory();
    results.row("after 5,000 creates", cellsOf(used), { text: "≤ 75 MiB", met: used.unshared <= 75 });
    const requests = quick ? 2_000 : 8_000, thirds: Memory[] = [];
    for (let third = 0; third < 3; third++) {
      for (const bodyFile of [inputs.unmatchedReview, inputs.deniedReview, inputs.review]) {
        await load(bodyFile, requests);
      }
      await load(inputs.review, requests, "/mutate/fail");
      thirds.push(await server.memory());
    }
    for (const [third, memory] of thirds.entries()) {
      const isLast = third === thirds.length - 1;
      const what = `after ${4 * requests * (third + 1)} requests: not matched, denied, allowed, mutated`;
      results.row(
        what,
        cellsOf(memory),
        isLast
          ? {
            text: "flat: within 10 % of the first third",
            met: memory.unshared <= thirds[0]!.unshared * 1.1,
          }
          : [],
      );
    }
  } finally {
    await server.stop();
  }
}

function cellsOf({ unshared, resident }: Memory): string[] {
  return [mib(unshared), mib(resident)];
}
