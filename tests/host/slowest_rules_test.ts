/** `/debug/rules` on the metrics port: which rules are slow, for callers of the loopback address alone. */
import assert from "node:assert/strict";
import { openProbes } from "../../lib/host/listeners.ts";
import { isLoopback } from "../../lib/host/slowest_rules.ts";
import { admissionReview } from "../server/review.ts";
import { denies, serving } from "../server/serving.ts";

const addresses: readonly [address: string, loopback: boolean][] = [
  ["127.0.0.1", true],
  ["127.8.9.10", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["10.0.0.7", false],
  ["::ffff:10.0.0.7", false],
  ["fe80::1", false],
  ["127.0.0.1.example.com", false],
  ["", false],
];

for (const [address, loopback] of addresses) {
  Deno.test(`"${address}" ${loopback ? "is" : "is not"} a loopback address`, () => {
    assert.equal(isLoopback(address), loopback);
  });
}

async function open(hostname: string) {
  const { metrics, review } = serving(`${denies("one")}\n---\n${denies("two")}`);
  await review("/validate/fail", admissionReview());
  const opened = await openProbes(
    { hostname, metricsPort: 0 },
    { metrics, log: { write: () => {} }, snapshot: () => undefined },
  );
  assert.ok(typeof opened !== "string", String(opened));
  return opened;
}

Deno.test("the port returns the slowest rules as JSON, in the requested order", async () => {
  const listener = await open("127.0.0.1");
  const url = `http://127.0.0.1:${listener.port}/debug/rules`;
  try {
    for (const by of ["total", "mean", "max"]) {
      const answer = await fetch(by === "total" ? url : `${url}?by=${by}`);
      assert.equal(answer.status, 200);
      const body = await answer.json();
      assert.equal(body.by, by);
      assert.deepEqual(body.rules.map(({ policy }: { policy: string }) => policy).sort(), ["one", "two"]);
      const figures = body.rules.map((rule: Record<string, number>) => rule[`${by}Milliseconds`]);
      assert.deepEqual(figures, figures.toSorted((left: number, right: number) => right - left));
      assert.deepEqual(Object.keys(body.rules[0]), [
        "policy",
        "kind",
        "rule",
        "count",
        "totalMilliseconds",
        "meanMilliseconds",
        "maxMilliseconds",
      ]);
    }
    const wrong = await fetch(`${url}?by=name`);
    assert.deepEqual([wrong.status, await wrong.json()], [400, {
      message: "by must be one of total, mean, max",
    }]);
  } finally {
    listener.close();
  }
});

const outside = Deno.networkInterfaces().find(({ family, address }) =>
  family === "IPv4" && !isLoopback(address)
)?.address;

Deno.test({
  name: "a caller from another address reads metrics and health, and no rules",
  // A machine with the loopback address alone has no other caller; the table above has the rule.
  ignore: outside === undefined ||
    Deno.permissions.querySync({ name: "net", host: outside }).state !== "granted",
  async fn() {
    const listener = await open("0.0.0.0");
    const base = `http://${outside}:${listener.port}`;
    try {
      const refused = await fetch(`${base}/debug/rules`);
      assert.equal(refused.status, 403);
      assert.doesNotMatch(await refused.text(), /never/);
      for (const path of ["/metrics", "/health/liveness"]) {
        const answer = await fetch(`${base}${path}`);
        assert.equal(answer.status, 200, path);
        await answer.body?.cancel();
      }
    } finally {
      listener.close();
    }
  },
});
