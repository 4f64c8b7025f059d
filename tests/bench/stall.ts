/** How long the worst single request keeps everything else waiting: health checks, and other users. */
import { type HostileReview, hostileReviews } from "../support/hostile_reviews.ts";
import { shippedPolicies } from "../support/shipped_policies.ts";
import { startReplica } from "../support/replica.ts";
import type { ServerProcess } from "../support/server_process.ts";

/** The delay that one large request caused for others. */
export interface Stall {
  /** The large part of the request, and the endpoint. */
  readonly what: string;
  /** The longest time that a probe took meanwhile, in milliseconds. */
  readonly health: number;
  /** The longest time that another request took meanwhile, in milliseconds: one that costs nothing itself. */
  readonly others: number;
  /** The time until the request was answered, in milliseconds. */
  readonly answered: number;
  readonly status: number;
}

/** Sends reviews of 3 MB to a server with the policies of this repository, one after the other. */
export async function stalls(reviews: readonly HostileReview[] = hostileReviews()): Promise<Stall[]> {
  const args = ["--no-tls", "--log-level", "error"];
  await using server = await startReplica({ policies: await shippedPolicies(), args });
  const found: Stall[] = [];
  for (const review of reviews) {
    for (const path of review.paths) found.push(await stallOf(server, review, path));
  }
  return found;
}

/** The longest of them. */
export async function longestStall(): Promise<Stall> {
  const all = await stalls();
  return all.reduce((worst, each) => each.others > worst.others ? each : worst);
}

async function stallOf(server: ServerProcess, { what, body }: HostileReview, path: string): Promise<Stall> {
  let answered = false;
  const longestAt = async (address: string): Promise<number> => {
    let longest = 0;
    while (!answered) {
      const started = performance.now();
      await (await fetch(`${address}/health/liveness`)).body?.cancel();
      longest = Math.max(longest, performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return longest;
  };
  const checks = [longestAt(`http://127.0.0.1:${server.metricsPort}`), longestAt(server.address)];
  const started = performance.now();
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${server.address}${path}?timeout=30s`, { method: "POST", headers, body });
  await response.arrayBuffer();
  const took = performance.now() - started;
  answered = true;
  const [health = NaN, others = NaN] = await Promise.all(checks);
  return {
    what: `${what} to ${path}`,
    health,
    others,
    answered: took,
    status: response.status,
  };
}
