import type { Bench } from "../bench.ts";
import { longestStall } from "../stall.ts";

/** How long the worst single request keeps health checks and others waiting. */
export async function stall({ results }: Bench): Promise<void> {
  results.section("The worst single request: reviews of 3 MB that are hostile, 43 policies", {
    columns: ["longest wait of a probe", "of another request", "the request itself", "status"],
  });
  const { what, health, others, answered, status } = await longestStall();
  results.row(what, [
    `${health.toFixed(0)} ms`,
    `${others.toFixed(0)} ms`,
    `${answered.toFixed(0)} ms`,
    String(status),
  ]);
}
