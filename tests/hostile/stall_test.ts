/** Reviews as large as the API server lets them be: everybody else is still answered. */
import assert from "node:assert/strict";
import { stalls } from "../bench/stall.ts";
import { hostileReviews } from "../support/hostile_reviews.ts";

/** The goal is 250 ms on an idle machine; tests run on busy ones. Without pauses it was half a minute. */
const bound = 3_000;

Deno.test("a review of 3 MB does not keep health checks waiting", async () => {
  const chosen = ["containers", "privileged containers", "one long image path", "labels"];
  const reviews = hostileReviews().filter(({ what }) => chosen.includes(what));
  assert.equal(reviews.length, chosen.length);
  for (const { what, health, status } of await stalls(reviews)) {
    assert.equal(status, 200, what);
    assert.ok(health < bound, `${what}: a health check took ${Math.round(health)} ms`);
  }
});
