/** The work that follows the answer to a review. */
import assert from "node:assert/strict";
import { type AppOptions, Metrics, Reviews } from "../../lib/server/mod.ts";
import { admissionReview } from "./review.ts";
import { denies, portsOf, snapshotOf } from "./serving.ts";

/** Answers a Pod's review as the listener does, and returns the answer with the messages that are logged. */
function answered(options: Partial<AppOptions> = {}) {
  const snapshot = snapshotOf(denies("never")), messages: string[] = [], metrics = new Metrics();
  const reviews = new Reviews({
    ports: portsOf(),
    snapshot: () => snapshot,
    log: { write: (_level, message) => void messages.push(message) },
    metrics,
    ...options,
  });
  const answer = reviews.handle({
    method: "POST",
    target: "/validate/fail",
    headers: [["content-type", "application/json"]],
    body: new TextEncoder().encode(JSON.stringify(admissionReview({}))),
  });
  assert.ok(answer !== undefined && !(answer instanceof Promise));
  return { answer, messages, metrics };
}

Deno.test("a decision is counted and logged after its answer", async () => {
  const { answer, messages, metrics } = answered();
  assert.equal(JSON.parse(answer.body).response.allowed, false);
  assert.deepEqual(messages, []);
  assert.doesNotMatch(await metrics.text(), /admission_requests_total\{/);
  answer.afterwards?.();
  assert.deepEqual(messages, ["denied"]);
  assert.match(await metrics.text(), /admission_requests_total\{/);
});

Deno.test("what breaks after an answer is logged and breaks nothing else", () => {
  const { answer, messages } = answered({
    decided: () => {
      throw new Error("broken");
    },
  });
  assert.equal(answer.status, 200);
  answer.afterwards?.();
  assert.deepEqual(messages, ["work after an answer failed"]);
});
