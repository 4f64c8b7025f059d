/** Large policies that are reviewed again and again do not hold up everybody else. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/json/mod.ts";
import { parseReview } from "../../lib/kube/mod.ts";
import { ObjectReviews } from "../../lib/live/mod.ts";
import type { Scheduler } from "../../lib/ports.ts";
import { SlowLane } from "../../lib/live/admission/slow_lane.ts";
import { admissionReview } from "../server/review.ts";

function policy(rules: number): JsonObject {
  return {
    apiVersion: "kyverno.io/v1",
    kind: "Policy",
    metadata: { name: "p", namespace: "team" },
    spec: {
      background: false,
      rules: Array.from({ length: rules }, (_, index) => ({
        name: `r${index}`,
        match: { any: [{ resources: { kinds: ["ConfigMap"] } }] },
        validate: { message: "no", pattern: { data: { [`k${index}`]: "?*" } } },
      })),
    },
  };
}

function reviewed(reviews: ObjectReviews, object: JsonObject, username = "ann"): Promise<number> {
  const userInfo = { username };
  const parsed = parseReview(admissionReview({ kind: "Policy", resource: "policies", object, userInfo }));
  assert.ok(parsed.ok);
  return reviews.find("/policyvalidate")!(parsed.review.request)
    .then(({ allowed, status }) => allowed ? 200 : status?.code ?? 0);
}

function newReviews(scheduler?: Scheduler): ObjectReviews {
  const gone = { ok: false, status: 404, message: "gone" } as const;
  return new ObjectReviews({
    cluster: { call: () => Promise.resolve(gone), resource: () => Promise.resolve(undefined) },
    discovery: { resources: () => Promise.resolve(gone) },
    accounts: { background: "b", reports: "r", cleanup: "c" },
    compiling: {},
    scheduler,
    exceptionNamespace: "*",
    roomProblem: () => undefined,
  });
}

Deno.test("of many large policies some are reviewed and the others refused for now, small ones do not wait", async () => {
  const reviews = newReviews();
  const large = Array.from({ length: 12 }, () => reviewed(reviews, policy(100)));
  const small = Array.from({ length: 10 }, () => reviewed(reviews, policy(2)));
  assert.deepEqual(await Promise.all(small), Array(10).fill(200));
  assert.deepEqual((await Promise.all(large)).sort(), [...Array(8).fill(200), ...Array(4).fill(429)]);
  assert.equal(await reviewed(reviews, policy(100)), 200, "the lane is free again");
});

Deno.test("requests have turns between the rules of a policy that is reviewed", async () => {
  let turns = 0;
  const reviews = newReviews({ sliceMilliseconds: 0, pause: () => Promise.resolve(void turns++) });
  assert.equal(await reviewed(reviews, policy(100)), 200);
  assert.ok(turns >= 100, `${turns} turns`);
});

Deno.test("a user who sends many large policies keeps no other user's policy from its review", async () => {
  const reviews = newReviews(), order: string[] = [];
  const account = (name: string) => `system:serviceaccount:team-a:${name}`;
  const flood = Array.from({ length: 20 }, async (_, index) => {
    const code = await reviewed(reviews, policy(100), account(`robot-${index}`));
    if (code === 200) order.push("team-a");
  });
  const others = ["ann", "bob"].map(async (user) => {
    assert.equal(await reviewed(reviews, policy(100), user), 200);
    order.push(user);
  });
  await Promise.all([...flood, ...others]);
  assert.deepEqual(order.slice(0, 4), ["team-a", "ann", "bob", "team-a"]);
});

Deno.test("small policies take turns by their users, and other work runs between them", async () => {
  const reviews = newReviews(), order: string[] = [];
  const flood = Array.from({ length: 100 }, async () => {
    assert.equal(await reviewed(reviews, policy(20), "ann"), 200);
    order.push("ann");
  });
  const other = reviewed(reviews, policy(20), "bob").then(() => order.push("bob"));
  const timer = new Promise<void>((resolve) => setTimeout(resolve, 0)).then(() => order.push("timer"));
  await Promise.all([...flood, other, timer]);
  assert.ok(order.indexOf("bob") < 5, `bob is number ${order.indexOf("bob")}`);
  assert.ok(order.indexOf("timer") < 10, `the timer is number ${order.indexOf("timer")}`);
});

Deno.test("a user whose small policies fill the lane gives way to others", async () => {
  const reviews = newReviews();
  const flood = Array.from({ length: 300 }, () => reviewed(reviews, policy(2), "ann"));
  const other = reviewed(reviews, policy(2), "bob");
  assert.equal(await other, 200);
  const codes = await Promise.all(flood);
  assert.deepEqual([...new Set(codes)].sort(), [200, 429]);
});

/** A lane that rests by moving the test's clock. */
function manualLane(): { lane: SlowLane; clock: { now: number }; rests: number[] } {
  const clock = { now: 0 }, rests: number[] = [];
  const rest = (milliseconds: number) => Promise.resolve(void rests.push(milliseconds));
  return { lane: new SlowLane({ most: 8, now: () => clock.now, rest }), clock, rests };
}

Deno.test("a review that waited as long as its caller does is not begun any more", async () => {
  const { lane, clock } = manualLane();
  const slow = lane.run("ann", () => Promise.resolve().then(() => clock.now += 10_000));
  const late = lane.run("bob", () => assert.fail("its caller is gone"));
  assert.deepEqual(await Promise.all([slow, late]), [10_000, undefined]);
  assert.equal(await lane.run("bob", async () => "next"), "next");
});

Deno.test("the lane rests as long as a review took, at most two seconds", async () => {
  const { lane, clock, rests } = manualLane();
  for (const took of [300, 5_000]) await lane.run("ann", async () => clock.now += took);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assert.deepEqual(rests, [300, 2_000]);
});

Deno.test("the slow lane reviews one policy after another, also after a failure", async () => {
  const lane = new SlowLane({ most: 8 });
  const order: string[] = [];
  const work = (name: string, fails = false) => async (): Promise<string> => {
    order.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 1));
    order.push(`${name} ends`);
    if (fails) throw new Error("broken");
    return name;
  };
  const all = [lane.run("ann", work("a", true)), lane.run("ann", work("b")), lane.run("ann", work("c"))];
  const results = await Promise.allSettled(all);
  assert.deepEqual(results.map(({ status }) => status), ["rejected", "fulfilled", "fulfilled"]);
  assert.deepEqual(order, ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});
