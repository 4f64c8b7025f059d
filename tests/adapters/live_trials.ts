/** A live cluster that calls a server of the test. */
import assert from "node:assert/strict";
import { type Endpoint, LiveCluster, type LiveClusterOptions, systemClock } from "../../lib/adapters/mod.ts";
import { isFault } from "../../lib/json/mod.ts";
import { countingEntropy } from "./fakes.ts";

export function connect(endpoint: Endpoint, options: Partial<LiveClusterOptions> = {}): LiveCluster {
  const cluster = LiveCluster.connect(endpoint, {
    clock: systemClock(),
    entropy: countingEntropy(),
    firstDelay: 1,
    ...options,
  });
  assert.ok(!isFault(cluster), isFault(cluster) ? cluster.message : "");
  return cluster;
}

export const dateText = "Sun, 22 Nov 2026 10:00:00 GMT";

export const date = Date.parse(dateText);

export const found = (): Response => Response.json({ kind: "ConfigMap" }, { headers: { date: dateText } });

export const path = "/api/v1/namespaces/a/configmaps/x";
