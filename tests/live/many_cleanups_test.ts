/** Thousands of cleanup policies hold the event loop nowhere for long, and do not fill the memory. */
import assert from "node:assert/strict";
import { cleanupPolicy } from "../../lib/live/cleanup/cleanup_policy.ts";
import { Schedules } from "../../lib/live/cleanup/schedule.ts";
import { Cleaner, type CleanerOptions } from "../../lib/live/cleanup/cleaner.ts";
import { clusterPorts } from "../conformance/ports.ts";
import { silent } from "./setting.ts";
import { cleanup } from "./cleaner_setting.ts";

Deno.test("a cleanup policy is compiled when it is first used, and once", () => {
  let compiled = 0;
  const compiling = {
    get dialect(): "current" {
      compiled++;
      return "current";
    },
  };
  const policy = cleanupPolicy(cleanup().object, { compiling });
  assert.equal(policy.schedule, "* * * * *");
  assert.equal(compiled, 0);
  assert.equal(policy.snapshot.policies.length, 1);
  assert.equal(policy.snapshot, policy.snapshot);
  assert.equal(compiled, 1);
});

Deno.test("schedules with one text are compiled once, and few are kept: each takes 80 KB", () => {
  const schedules = new Schedules(), first = schedules.of("0 3 * * *");
  assert.equal(schedules.of("0 3 * * *"), first);
  for (let minute = 0; minute < 40; minute++) schedules.of(`${minute} 4 * * *`);
  assert.notEqual(schedules.of("0 3 * * *"), first);
  const midnight = Date.parse("2026-11-28T00:00:00Z");
  assert.equal(schedules.next("0 3 * * *", midnight), Date.parse("2026-11-28T03:00:00Z"));
  assert.equal(schedules.next("never", midnight), undefined);
});

Deno.test("requests have turns between cleanup policies that are taken, and a closed cleaner takes no more", async () => {
  let turns = 0;
  const scheduler = { sliceMilliseconds: 0, pause: () => Promise.resolve(void turns++) };
  const cleaner = new Cleaner({
    ports: { ...clusterPorts([]), scheduler },
    compiling: {},
    log: silent,
    leads: () => false,
  } as unknown as CleanerOptions);
  const policies = Array.from({ length: 20 }, (_, index) => {
    const { kind, object } = cleanup({ schedule: "0 0 1 1 *" });
    return { kind, object: { ...object, metadata: { name: `p${index}`, uid: `u${index}` } } };
  });
  cleaner.policies(policies);
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.ok(turns >= policies.length, `${turns} turns`);
  cleaner.policies(policies.map(({ kind, object }) => ({ kind, object: { ...object, spec: {} } })));
  // A timer that is set now would keep this test from its end.
  cleaner.close();
});
