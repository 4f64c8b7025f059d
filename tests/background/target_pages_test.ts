/** Targets of rules that change existing objects, when there are more than one answer may hold. */
import assert from "node:assert/strict";
import { BackgroundWorker } from "../../lib/background/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import type { Answer, ApiCall } from "../../lib/ports.ts";
import { keptLog, policies, portsWith, request } from "./setting.ts";

const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  rules:
  - name: r
    match: {any: [{resources: {kinds: [Namespace]}}]}
    mutate:
      targets: [{apiVersion: v1, kind: ConfigMap, namespace: team, name: "target-*"SELECTOR}]
      patchStrategicMerge: {data: {seen: "yes"}}
`;
const team: JsonObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team", uid: "u" } };
const many = 600;

/** Changes the targets of a policy; returns the calls, the writes and the log. */
async function changed(
  { selector = "", answer = () => undefined }: {
    selector?: string;
    answer?: (call: ApiCall) => Answer | undefined;
  },
) {
  const objects = Array.from({ length: many }, (_, index) => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `target-${index}`, namespace: "team", labels: { parity: index % 2 ? "odd" : "even" } },
    data: {},
  }));
  const { cluster, ports } = portsWith(
    [team, ...objects].map((each) => JSON.stringify(each)).join("\n---\n"),
  );
  const lists: string[] = [];
  cluster.interfere = (call) => {
    if (call.method === "GET" && /\/configmaps(\?|$)/.test(call.path)) lists.push(call.path);
    return answer(call);
  };
  const log = keptLog();
  const snapshot = policies(policy.replace("SELECTOR", selector));
  const worker = new BackgroundWorker({
    snapshot: () => snapshot,
    ports,
    log,
    attempts: 1,
    wait: () => Promise.resolve(),
  });
  assert.equal(worker.add(request(team)), "taken");
  await worker.drain();
  await worker.close();
  return { lists, writes: cluster.writes, log: log.lines };
}

const limitOf = (path: string): number => Number(new URLSearchParams(path.split("?")[1]).get("limit"));

Deno.test("targets are listed page by page", async () => {
  const { lists, writes } = await changed({});
  assert.equal(new Set(writes).size, many);
  assert.deepEqual(lists.map(limitOf), [250, 250, 250]);
});

Deno.test("targets with a selector are listed page by page, without the objects that it leaves out", async () => {
  const { lists, writes } = await changed({ selector: ", selector: {matchLabels: {parity: odd}}" });
  assert.equal(new Set(writes).size, many / 2);
  assert.deepEqual(lists.map(limitOf), [250, 250]);
  assert.ok(lists.every((path) => path.includes("labelSelector=parity%3Dodd")));
});

Deno.test("a page of targets that is too long is listed again with fewer objects", async () => {
  const { lists, writes } = await changed({
    answer: ({ method, path }) =>
      method === "GET" && path.includes("/configmaps") && (limitOf(path) || Infinity) > 100
        ? { ok: false, status: undefined, message: "the answer is too long", isTooLong: true }
        : undefined,
  });
  assert.equal(new Set(writes).size, many);
  assert.equal(limitOf(lists.at(-1)!), 62);
});

Deno.test("no target is changed when one page of them cannot be listed", async () => {
  const { writes, log } = await changed({
    answer: ({ path }) =>
      path.includes("continue=") ? { ok: false, status: 500, message: "the second page failed" } : undefined,
  });
  assert.deepEqual(writes, []);
  assert.ok(log.includes("error effects given up"), String(log));
});
