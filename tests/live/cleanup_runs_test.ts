/** Cleanups run when they are due, once. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/json/mod.ts";
import type { PolicyObject } from "../../lib/live/policy_objects.ts";
import type { Clock, Cluster } from "../../lib/ports.ts";
import { clusterWith, configMap, idle, namesIn } from "./cleanup_setting.ts";
import { cleanerIn, cleanup } from "./cleaner_setting.ts";

/** A quarter of an hour after the last time at which an hourly cleanup is due. */
const afterHour: Clock = { now: () => Date.parse("2026-11-22T10:15:00Z") };

function hourly(lastExecutionTime: string | undefined): PolicyObject {
  const { kind, object } = cleanup({ schedule: "0 * * * *" });
  const metadata = { name: "p", uid: "u", creationTimestamp: "2026-11-22T09:30:00Z" };
  return {
    kind,
    object: { ...object, metadata, status: lastExecutionTime === undefined ? {} : { lastExecutionTime } },
  };
}

const lastRuns: readonly (readonly [what: string, last: string | undefined, left: readonly string[]])[] = [
  ["since its last run runs at once", "2026-11-22T09:00:00Z", []],
  ["since it was created runs at once", undefined, []],
  ["no more since its last run waits", "2026-11-22T10:00:00Z", ["a"]],
];
for (const [what, last, left] of lastRuns) {
  Deno.test(`a cleanup that is due ${what}`, async () => {
    const cluster = clusterWith([configMap("a")], { clock: afterHour });
    const { cleaner } = cleanerIn(cluster, { clock: afterHour });
    cleaner.policies([hourly(last)]);
    await idle();
    assert.deepEqual(await namesIn(cluster), left);
    cleaner.close();
  });
}

Deno.test("a cleanup runs once for one time, also when its status was not read again", async () => {
  let lists = 0;
  const cluster = clusterWith([], { clock: afterHour });
  const counting: Cluster = {
    ...cluster,
    call: (call) => {
      if (call.path.startsWith("/api/v1/configmaps")) lists++;
      return cluster.call(call);
    },
  };
  const { cleaner } = cleanerIn(counting, { clock: afterHour });
  for (let round = 0; round < 3; round++) {
    cleaner.policies([hourly("2026-11-22T09:00:00Z")]);
    await idle();
  }
  cleaner.close();
  assert.equal(lists, 1);
});

Deno.test("a change of policies computes the next runs of those cleanups that changed, ran, or have another leader", () => {
  let looks = 0;
  let leads = true;
  const clock: Clock = { now: () => (looks++, afterHour.now()) };
  const looksOf = (changed: readonly PolicyObject[]): number => {
    looks = 0;
    cleaner.policies(changed);
    return looks;
  };
  const named = (name: string, last: string, spec: JsonObject = {}): PolicyObject => {
    const { kind, object } = hourly(last);
    const metadata = { ...object["metadata"] as JsonObject, name };
    return { kind, object: { ...object, metadata, spec: { ...object["spec"] as JsonObject, ...spec } } };
  };
  const { cleaner } = cleanerIn(clusterWith([], { clock }), { clock, leads: () => leads });
  const last = "2026-11-22T10:00:00Z";
  const all = Array.from({ length: 20 }, (_, index) => named(`p${index}`, last));
  const each = looksOf(all) / all.length;
  assert.ok(each >= 1);
  assert.equal(looksOf(all), 0);
  assert.equal(looksOf([named("p0", last, { schedule: "30 * * * *" }), ...all.slice(1)]), each);
  assert.equal(looksOf([all[0]!, named("p1", "2026-11-22T10:01:00Z"), ...all.slice(2)]), 2 * each);
  leads = false;
  assert.equal(looksOf(all), all.length * each);
  cleaner.close();
});

Deno.test("a cleanup that was due before a replica led runs when it leads", async () => {
  let leads = false;
  const cluster = clusterWith([configMap("a")], { clock: afterHour });
  const { cleaner } = cleanerIn(cluster, { clock: afterHour, leads: () => leads });
  cleaner.policies([hourly("2026-11-22T09:00:00Z")]);
  await idle();
  assert.deepEqual(await namesIn(cluster), ["a"]);
  leads = true;
  cleaner.policies([hourly("2026-11-22T09:00:00Z")]);
  await idle();
  cleaner.close();
  assert.deepEqual(await namesIn(cluster), []);
});
