/** On a real API server: UpdateRequests are written, tried again and deleted with the rights of the manifests. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import {
  kubeconfigEndpoint,
  LiveCluster,
  LiveCollections,
  systemClock,
  systemEntropy,
} from "../../lib/adapters/mod.ts";
import { BackgroundWorker } from "../../lib/background/mod.ts";
import { run } from "../../lib/cli/mod.ts";
import { definitions } from "../../lib/install/mod.ts";
import { asString, dig, isFault, type JsonObject } from "../../lib/json/mod.ts";
import { UpdateRequests } from "../../lib/live/mod.ts";
import type { Answer, Ports } from "../../lib/ports.ts";
import { keptLog, policies, request } from "../background/setting.ts";
import { asUser, clusterForTests, kubectl } from "./kubectl.ts";
import { eventually, pause } from "./waiting.ts";

const cluster = clusterForTests();
const id = crypto.randomUUID().slice(0, 8);
const installation = `requests-${id}`;
const namespace = `${installation}-team`;

const cloning = (name: string) => `
  - name: ${name}
    match: {any: [{resources: {kinds: [ConfigMap]}}]}
    generate:
      apiVersion: v1
      kind: Secret
      name: "${name}-of-{{ request.object.metadata.name }}"
      namespace: ${namespace}
      clone: {namespace: ${namespace}, name: ${name}}
`;
const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: copies}
spec:
  rules:${cloning("early")}${cloning("late")}`;

/** The rights for the effects of the policy, which its author grants. */
const granted = `
{apiVersion: rbac.authorization.k8s.io/v1, kind: Role, metadata: {name: copies, namespace: ${namespace}},
 rules: [{apiGroups: [""], resources: [configmaps, secrets], verbs: [get, list, create]}]}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: copies, namespace: ${namespace}},
 roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: copies},
 subjects: [{kind: ServiceAccount, name: postern, namespace: ${installation}}]}
`;

async function connected(kubeconfig: string, token: string): Promise<LiveCluster> {
  const text = asUser(await Deno.readTextFile(kubeconfig), token), folder = dirname(kubeconfig);
  const endpoint = await kubeconfigEndpoint({ text, folder, readText: Deno.readTextFile });
  assert.ok(!isFault(endpoint));
  const live = LiveCluster.connect(endpoint, { clock: systemClock(), entropy: systemEntropy() });
  assert.ok(!isFault(live));
  return live;
}

/** A worker with UpdateRequests, whose pauses are short, except for the one before the last of four tries. */
function startWork(live: LiveCluster, lastPause: Promise<void>) {
  const clock = systemClock(), entropy = systemEntropy(), log = keptLog();
  const nothing = (): Promise<Answer> =>
    Promise.resolve({ ok: false, status: undefined, message: "there is nothing else" });
  const ports: Ports = {
    cluster: live,
    http: { call: nothing },
    registry: { image: nothing },
    globals: { entry: nothing },
    clock,
    entropy,
  };
  const snapshot = policies(policy);
  const worker: BackgroundWorker = new BackgroundWorker({
    snapshot: () => snapshot,
    ports,
    log,
    triggers: "as-stored",
    attempts: 4,
    firstDelay: 10,
    wait: (milliseconds) => milliseconds === 40 ? lastPause : pause(milliseconds),
    effectsTried: (outcome) => requests.effectsTried(outcome),
  });
  const requests: UpdateRequests = new UpdateRequests({
    cluster: live,
    clock,
    collections: new LiveCollections({ cluster: live, clock, entropy, log }),
    log,
    namespace: installation,
    leads: () => true,
    work: (each, scope) => worker.add(each, scope),
    wait: async (_, signal) => (await pause(50), signal?.aborted !== true),
  });
  return { worker, requests, log };
}

Deno.test({
  name: "failed UpdateRequests are counted, tried again and deleted with the rights of the manifests",
  ignore: cluster === undefined,
  async fn(t) {
    const { kubeconfig } = cluster!;
    const admin = async (args: readonly string[], input?: string): Promise<string> => {
      const { code, out, err } = await kubectl(kubeconfig, args, input);
      assert.equal(code, 0, err);
      return out;
    };
    const here = (...args: string[]) => admin(["-n", namespace, ...args]);
    const stored = async (): Promise<JsonObject[]> =>
      JSON.parse(await admin(["-n", installation, "get", "updaterequests", "-o", "json"])).items;
    const items = { apiVersion: "v1", kind: "List", items: definitions() };
    await admin(["apply", "--server-side", "--force-conflicts", "-f", "-"], JSON.stringify(items));
    const manifests: string[] = [];
    const args = ["manifests", "--watch-policies", "--namespace", installation, "--secret-path", "none"];
    assert.equal(await run(args, { out: (line) => void manifests.push(line), err: () => {} }), 0);
    const applied = manifests.join("\n").split(/^---$/m)
      .filter((each) => /^kind: (Namespace|ServiceAccount|Role|RoleBinding)$/m.test(each)).join("---");
    await admin(["create", "namespace", namespace]);
    await admin(["apply", "-f", "-"], `${applied}\n---${granted}`);
    const token = (await admin(["-n", installation, "create", "token", "postern"])).trim();
    const live = await connected(kubeconfig, token);
    const lastPause = Promise.withResolvers<void>();
    const { worker, requests, log } = startWork(live, lastPause.promise);
    const admit = async (name: string): Promise<void> => {
      await here("create", "configmap", name);
      const made = JSON.parse(await here("get", "configmap", name, "-o", "json"));
      assert.equal(worker.add(request(made)), "taken");
    };
    try {
      await t.step(
        "the rules that fail are in it, and it is deleted when it failed the fifth time",
        async () => {
          const counts = new Set<number>(), rules = new Set<string>();
          await admit("first");
          await eventually(async () => assert.equal((await stored()).length, 1));
          await here("create", "secret", "generic", "early", "--from-literal=a=1");
          lastPause.resolve();
          await eventually(async () => {
            const found = await stored();
            for (const each of found) {
              counts.add(Number(dig(each, "status", "retryCount") ?? 0));
              rules.add(JSON.stringify(dig(each, "spec", "ruleContext"), ["rule"]));
            }
            assert.deepEqual(found, []);
          });
          assert.ok([1, 2, 3, 4].some((count) => counts.has(count)) && !counts.has(5), String([...counts]));
          assert.equal([...rules].at(-1), '[{"rule":"late"}]');
          assert.equal(await here("get", "secret", "early-of-first", "-o", "jsonpath={.data.a}"), "MQ==");
        },
      );
      await t.step("it is deleted when what was missing has come", async () => {
        await admit("second");
        await eventually(async () =>
          assert.equal(asString(dig((await stored())[0] ?? null, "status", "state")), "Failed")
        );
        await here("create", "secret", "generic", "late", "--from-literal=b=1");
        await eventually(async () => assert.deepEqual(await stored(), []));
        assert.equal(await here("get", "secret", "late-of-second", "-o", "jsonpath={.data.b}"), "MQ==");
      });
      assert.deepEqual(log.lines.filter((line) => /was not written/.test(line)), []);
    } finally {
      lastPause.resolve();
      await requests.close();
      await worker.close();
      live.close();
      await kubectl(kubeconfig, ["delete", "namespace", installation, namespace, "--wait=false"]);
    }
  },
});
