/** How long the worst single request keeps everything else waiting: health checks, and other users. */
import { type HostileReview, hostileReviews } from "../support/hostile_reviews.ts";
import { shippedPolicies } from "../support/shipped_policies.ts";
import { type ServerProcess, startServer } from "../support/server_process.ts";

/** What one request did to the others. */
export interface Stall {
  /** What is large in the request, and where it was sent. */
  readonly what: string;
  /** The longest time that a health check took meanwhile, in milliseconds. */
  readonly health: number;
  /** The time until the request was answered, in milliseconds. */
  readonly answered: number;
  readonly status: number;
}

/** Sends reviews of 3 MB to a server with the policies of this repository, one after the other. */
export async function stalls(reviews: readonly HostileReview[] = hostileReviews()): Promise<Stall[]> {
  const args = ["--no-tls", "--log-level", "error"];
  await using server = await startServer({ policies: await shippedPolicies(), args });
  const found: Stall[] = [];
  for (const review of reviews) {
    for (const path of review.paths) found.push(await stallOf(server, review, path));
  }
  return found;
}

/** The longest of them. */
export async function longestStall(): Promise<Stall> {
  const all = await stalls();
  return all.reduce((worst, each) => each.health > worst.health ? each : worst);
}

async function stallOf(server: ServerProcess, { what, body }: HostileReview, path: string): Promise<Stall> {
  let answered = false, health = 0;
  const checks = (async () => {
    while (!answered) {
      const started = performance.now();
      await (await fetch(`${server.address}/health/liveness`)).body?.cancel();
      health = Math.max(health, performance.now() - started);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  })();
  const started = performance.now();
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${server.address}${path}?timeout=30s`, { method: "POST", headers, body });
  await response.arrayBuffer();
  answered = true;
  await checks;
  return {
    what: `${what} to ${path}`,
    health,
    answered: performance.now() - started,
    status: response.status,
  };
}
