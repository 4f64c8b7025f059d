import type { ListenerAnswer } from "../listener/mod.ts";
import type { Metrics } from "../server/mod.ts";

/** The path of the slowest rules on the metrics port. */
export const slowestRulesPath = "/debug/rules";

/** The most rules in an answer. */
const most = 100;

const orders = ["total", "mean", "max"] as const;

/**
 * The slowest rules as JSON, those with the greatest total time first; `?by=mean` and `?by=max` order by the other
 * figures. Times are in milliseconds.
 */
export function slowestRules({ times }: Pick<Metrics, "times">, query: string): ListenerAnswer {
  const wanted = new URLSearchParams(query).get("by") ?? "total";
  const by = orders.find((order) => order === wanted);
  if (by === undefined) return inJson(400, { message: `by must be one of ${orders.join(", ")}` });
  const rules = times.slowest(by, most).map(({ total, mean, max, ...identity }) => ({
    ...identity,
    totalMilliseconds: rounded(total),
    meanMilliseconds: rounded(mean),
    maxMilliseconds: rounded(max),
  }));
  return inJson(200, { by, rules });
}

/** Whether a caller's IP address is this machine's. In a pod, that is a caller who may forward its ports. */
export function isLoopback(address: string): boolean {
  const plain = address.startsWith("::ffff:") ? address.slice("::ffff:".length) : address;
  return plain === "::1" || /^127\.\d+\.\d+\.\d+$/.test(plain);
}

function inJson(status: number, body: unknown): ListenerAnswer {
  return {
    status,
    headers: [["Content-Type", "application/json"]],
    body: `${JSON.stringify(body, undefined, 2)}\n`,
  };
}

/** Rounds to microseconds. */
function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}
