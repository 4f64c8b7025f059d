/** Large policies that are reviewed again and again do not hold up everybody else. */
import assert from "node:assert/strict";
import type { JsonObject } from "../../lib/json/mod.ts";
import { parseReview } from "../../lib/kube/mod.ts";
import { ObjectReviews } from "../../lib/live/mod.ts";
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

function reviewed(reviews: ObjectReviews, object: JsonObject): Promise<number> {
  const parsed = parseReview(admissionReview({ kind: "Policy", resource: "policies", object }));
  assert.ok(parsed.ok);
  return reviews.find("/policyvalidate")!(parsed.review.request)
    .then(({ allowed, status }) => allowed ? 200 : status?.code ?? 0);
}

Deno.test("of many large policies some are reviewed and the others refused for now, small ones do not wait", async () => {
  const gone = { ok: false, status: 404, message: "gone" } as const;
  const reviews = new ObjectReviews({
    cluster: { call: () => Promise.resolve(gone), resource: () => Promise.resolve(undefined) },
    discovery: { resources: () => Promise.resolve(gone) },
    accounts: { background: "b", reports: "r", cleanup: "c" },
    compiling: {},
    exceptionNamespace: "*",
    roomProblem: () => undefined,
  });
  const large = Array.from({ length: 10 }, () => reviewed(reviews, policy(100)));
  const small = Array.from({ length: 10 }, () => reviewed(reviews, policy(2)));
  assert.deepEqual(await Promise.all(small), Array(10).fill(200));
  assert.deepEqual((await Promise.all(large)).sort(), [...Array(4).fill(200), ...Array(6).fill(429)]);
  assert.equal(await reviewed(reviews, policy(100)), 200, "the lane is free again");
});

Deno.test("the slow lane reviews one policy after another, also after a failure", async () => {
  const lane = new SlowLane();
  const order: string[] = [];
  const work = (name: string, fails = false) => async (): Promise<string> => {
    order.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 1));
    order.push(`${name} ends`);
    if (fails) throw new Error("broken");
    return name;
  };
  const all = [lane.run(work("a", true)), lane.run(work("b")), lane.run(work("c"))];
  const results = await Promise.allSettled(all);
  assert.deepEqual(results.map(({ status }) => status), ["rejected", "fulfilled", "fulfilled"]);
  assert.deepEqual(order, ["a begins", "a ends", "b begins", "b ends", "c begins", "c ends"]);
});
