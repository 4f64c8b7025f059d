/** Existing objects that are larger than what may wait, or that make pages too long to be read. */
import assert from "node:assert/strict";
import { BackgroundWorker, Upkeep } from "../../lib/background/mod.ts";
import type { Answer, ApiCall } from "../../lib/ports.ts";
import { keptLog, policies, portsWith } from "./setting.ts";

const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - name: r
    match: {any: [{resources: {kinds: [ConfigMap]}}]}
    generate:
      generateExisting: true
      apiVersion: v1
      kind: Secret
      name: "made-for-{{ request.object.metadata.name }}"
      namespace: team
      data: {}
`;
/** The names of ConfigMaps, and the lengths of their texts. */
type Sizes = Readonly<Record<string, number>>;

/** The objects that are made for existing ConfigMaps by a worker with a bound, and the log. */
async function generated(
  sizes: Sizes,
  { maxBytes, answer = () => undefined }: {
    maxBytes: number;
    answer?: (call: ApiCall) => Answer | undefined;
  },
): Promise<{ readonly made: readonly string[]; readonly log: readonly string[] }> {
  const objects = Object.entries(sizes).map(([name, length]) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "team", uid: `u-${name}` },
    data: { text: "x".repeat(length) },
  }));
  const team = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } };
  const { cluster, ports } = portsWith(
    [team, ...objects].map((each) => JSON.stringify(each)).join("\n---\n"),
  );
  cluster.interfere = answer;
  const log = keptLog();
  const snapshot = policies(policy);
  const worker = new BackgroundWorker({
    snapshot: () => snapshot,
    ports,
    log,
    triggers: "as-stored",
    maxBytes,
    wait: () => Promise.resolve(),
    refused: () => upkeep.missed(),
  });
  const upkeep: Upkeep = new Upkeep({
    snapshot: () => snapshot,
    ports,
    log,
    worker,
    wait: () => Promise.resolve(true),
  });
  upkeep.compare();
  await upkeep.done();
  await worker.drain();
  await upkeep.close();
  await worker.close();
  const made = cluster.writes.map((write) => write.replace("POST /api/v1/namespaces/team/", ""));
  const stored = await cluster.read("/api/v1/namespaces/team/secrets");
  const names = (stored?.["items"] as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
  assert.equal(made.length, names.length);
  return { made: names.sort(), log: log.lines.filter((line) => !line.startsWith("info")) };
}

const sizes: readonly (readonly [what: string, sizes: Sizes])[] = [
  ["more than half of what may wait", { a: 10, b: 15_000, c: 10 }],
  ["what is left beside others", { a: 9_000, b: 15_000, c: 10 }],
  ["all that may wait", { a: 10, b: 50_000, c: 10 }],
  ["all that may wait, several times", { a: 50_000, b: 50_000, c: 50_000 }],
];
for (const [what, texts] of sizes) {
  Deno.test(`generateExisting makes the objects of every trigger when one takes ${what}`, async () => {
    const { made, log } = await generated(texts, { maxBytes: 20_000 });
    assert.deepEqual(made, ["made-for-a", "made-for-b", "made-for-c"]);
    assert.deepEqual(log, []);
  });
}

Deno.test("existing objects whose pages are too long to be read are read in shorter pages", async () => {
  const limits: number[] = [];
  const texts = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`c-${index}`, 10]));
  const { made, log } = await generated(texts, {
    maxBytes: 1_000_000,
    answer: ({ method, path }) => {
      const limit = /configmaps\?limit=(\d+)/.exec(path)?.[1];
      if (method !== "GET" || limit === undefined) return undefined;
      limits.push(Number(limit));
      return Number(limit) <= 8
        ? undefined
        : { ok: false, status: undefined, message: "the answer is too long", isTooLong: true };
    },
  });
  assert.equal(made.length, 20);
  assert.deepEqual(log, []);
  assert.deepEqual(limits, [250, 62, 15, 3, 3, 3, 3, 3, 3, 3]);
});

Deno.test("an existing object that cannot be read alone is logged, and the rule is evaluated again later", async () => {
  const { made, log } = await generated({ a: 10 }, {
    maxBytes: 1_000_000,
    answer: ({ path }) =>
      path.includes("configmaps?limit")
        ? { ok: false, status: undefined, message: "the answer is too long", isTooLong: true }
        : undefined,
  });
  assert.deepEqual(made, []);
  assert.deepEqual(new Set(log), new Set(["warn existing objects cannot be listed"]));
});
