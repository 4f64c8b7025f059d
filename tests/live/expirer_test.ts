/** Objects are deleted when their time to live is over. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/json/mod.ts";
import type { ExpirerOptions } from "../../lib/live/cleanup/expirer.ts";
import { ttlLabel } from "../../lib/live/cleanup/ttl.ts";
import { Expirer } from "../../lib/live/mod.ts";
import type { ApiCall, Cluster } from "../../lib/ports.ts";
import { silent } from "./setting.ts";
import {
  allServed,
  almostDue,
  clusterWith,
  configMap,
  configMapsPath,
  created,
  idle,
  namesIn,
} from "./cleanup_setting.ts";

function expirerIn(cluster: Cluster, options: Pick<ExpirerOptions, "clock" | "deleted" | "every">): Expirer {
  return new Expirer({
    cluster,
    discovery: allServed,
    log: silent,
    account: "system:serviceaccount:kyverno:cleanup",
    leads: () => true,
    ...options,
  });
}

Deno.test("an expired object is deleted behind a page of unexpired ones", async () => {
  const others = Array.from({ length: 600 }, (_, index) => configMap(`a-${index}`, { [ttlLabel]: "100d" }));
  const clock = { now: () => created + 60_000 };
  const cluster = clusterWith([...others, configMap("z", { [ttlLabel]: "1s" })], { clock });
  const gone = Promise.withResolvers<void>();
  const expirer = expirerIn(cluster, { clock, deleted: () => gone.resolve() });
  await gone.promise;
  expirer.close();
  assert.equal((await namesIn(cluster)).includes("z"), false);
});

const changes: readonly (readonly [what: string, labels: JsonObject, left: readonly string[]])[] = [
  ["is prolonged stays", { [ttlLabel]: "1h" }, ["kept"]],
  ["is removed stays", { [ttlLabel]: null }, ["kept"]],
  ["does not change is deleted at its end", { team: "a" }, []],
];
for (const [what, labels, left] of changes) {
  Deno.test(`an object whose time to live ${what}`, async () => {
    let lists = 0;
    const times = [created + 59_999];
    const clock = { now: () => times.shift() ?? created + 60_000 };
    const cluster = clusterWith([configMap("kept", { [ttlLabel]: "1m" })], { clock: almostDue });
    const readAgain = Promise.withResolvers<void>();
    const expirer = expirerIn({
      ...cluster,
      async call(call) {
        const answer = await cluster.call(call);
        if (!call.path.includes("labelSelector")) return answer;
        if (lists++ > 0) readAgain.resolve();
        // The object changes after the list of all objects, and before its end.
        else await cluster.call(relabelling(labels));
        return answer;
      },
    }, { clock });
    await readAgain.promise;
    await idle();
    expirer.close();
    assert.deepEqual(await namesIn(cluster), left);
  });
}

function relabelling(labels: JsonObject): ApiCall {
  const contentType = "application/merge-patch+json", path = `${configMapsPath}/kept`;
  return { method: "PATCH", path, contentType, body: { metadata: { labels } } };
}
