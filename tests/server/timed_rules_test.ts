/** The rules of some requests are timed. */
import assert from "node:assert/strict";
import { evaluate } from "../../lib/engine/mod.ts";
import { Metrics } from "../../lib/server/mod.ts";
import { admissionReview } from "./review.ts";
import { denies, loadingPolicy, portsOf, serving, snapshotOf } from "./serving.ts";
import { request } from "./metrics_request.ts";

Deno.test("metrics count and time the rules of a timed request", async () => {
  const { metrics, review } = serving(`${denies("one")}\n---\n${denies("two")}`);
  await review("/validate/fail", admissionReview());
  const slowest = metrics.times.slowest("total", 10);
  assert.deepEqual(slowest.map(({ policy, rule, kind, count }) => [policy, kind, rule, count]).sort(), [
    ["one", "ClusterPolicy", "never", 1],
    ["two", "ClusterPolicy", "never", 1],
  ]);
  for (const { total, mean, max } of slowest) assert.ok(total > 0 && mean === total && max === total);
  const text = await metrics.text();
  assert.match(
    text,
    /^kyverno_policy_execution_duration_seconds_count\{policy_type="cluster",policy_namespace="-",policy_name="one",rule_name="never",rule_type="validate",rule_result="fail",rule_execution_cause="admission_request"\} 1$/m,
  );
  metrics.loaded(snapshotOf(denies("two")));
  assert.deepEqual(metrics.times.slowest("mean", 10).map(({ policy }) => policy), ["two"]);
});

Deno.test("of requests that arrive together only one is timed", () => {
  const { times } = new Metrics();
  const timed = [0, 10, 99, 100, 120, 210].filter((started) => times.watch(started) !== undefined);
  assert.deepEqual(timed, [0, 100, 210]);
});

Deno.test("a rule that waits for a value is timed from its first evaluation to its last", async () => {
  const waited = 30;
  const cluster = {
    call: async () => {
      await new Promise((resolve) => setTimeout(resolve, waited));
      return { ok: true, status: 200, body: { data: { allowed: "yes" } } } as const;
    },
    resource: () => Promise.resolve(undefined),
  };
  const { metrics, review } = serving(loadingPolicy("asks"), { ports: portsOf({ cluster }) });
  await review("/validate/fail", admissionReview());
  const [time] = metrics.times.slowest("max", 1);
  assert.equal(time?.count, 1);
  assert.ok(time.max >= waited - 1, `${time.max} ms`);
});

Deno.test("timing merges of one batch does not change their result", async () => {
  const labels = (name: string) => `
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  rules:
  - name: adds
    match: {any: [{resources: {kinds: [Pod]}}]}
    mutate: {patchStrategicMerge: {metadata: {labels: {${name}: "1"}}}}
`;
  const snapshot = snapshotOf(labels("one") + labels("two"));
  const { times } = new Metrics();
  const options = { phase: "mutate", ports: portsOf() } as const;
  const timed = await evaluate(snapshot, request(), { ...options, watch: times.watch(0) });
  const untimed = await evaluate(snapshot, request(), options);
  assert.deepEqual([timed.patch, timed.results], [untimed.patch, untimed.results]);
  assert.deepEqual(times.slowest("total", 9).map(({ policy, count }) => [policy, count]).sort(), [
    ["one", 1],
    ["two", 1],
  ]);
});
