/** New rules generate for existing objects, or change existing targets, each once. */
import assert from "node:assert/strict";
import { dig } from "../../lib/json/mod.ts";
import { pause } from "../../lib/pause.ts";
import { source, synchronized } from "./setting.ts";
import { appending, created, oldSettings, setUp, touching } from "./upkeep_setting.ts";

const existingOnly = `
apiVersion: policies.kyverno.io/v1
kind: MutatingPolicy
metadata: {name: marks}
spec:
  evaluation: {admission: {enabled: false}, background: {enabled: false}, mutateExisting: {enabled: true}}
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE], resources: [secrets]}]
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: Object.metadata.labels{seen: "yes"}}}'}
`;

for (
  const [what, text] of [
    ["MutatingPolicy", existingOnly],
    [
      "ClusterPolicy",
      touching.replace("spec:", "spec:\n  admission: false\n  mutateExistingOnPolicyUpdate: true")
        .replace(/patchesJson6902: [^]*/, 'patchStrategicMerge: {metadata: {labels: {seen: "yes"}}}\n'),
    ],
  ] as const
) {
  Deno.test(`a ${what} without admission changes objects that exist`, async () => {
    const { cluster, restarted } = setUp(text);
    await restarted();
    assert.equal(dig(await cluster.read(source) ?? null, "metadata", "labels", "seen"), "yes");
  });
}

Deno.test("generateExisting evaluates existing objects once when a rule is new or changed, also after restarts", async () => {
  const text = synchronized.replaceAll("synchronize: true", "generateExisting: true");
  const { cluster, start, restarted, remove } = setUp(text);
  const replica = start();
  await replica.look();
  assert.notEqual(await cluster.read(oldSettings), undefined);
  await remove(oldSettings);
  cluster.writes.length = 0;
  await replica.look();
  assert.deepEqual(cluster.writes, [], "an unchanged rule is not asked again");
  assert.deepEqual(await restarted(), [], "nor after a restart");
});

Deno.test("a rule that says false looks at no existing objects, whatever its policy says", async () => {
  const generates = synchronized.replaceAll("synchronize: true", "generateExisting: false")
    .replace("spec:", "spec:\n  generateExisting: true");
  const changes = touching.replace("mutate:", "mutate:\n      mutateExistingOnPolicyUpdate: false")
    .replace("spec:", "spec:\n  mutateExistingOnPolicyUpdate: true");
  for (const text of [generates, changes]) assert.deepEqual(await setUp(text).restarted(), []);
  for (const text of [generates, changes]) {
    assert.notDeepEqual(await setUp(text.replaceAll(": false", ": true")).restarted(), []);
  }
});

const generatesOnce = synchronized.replaceAll("synchronize: true", "generateExisting: true");

const isPost = (write: string): boolean => write.startsWith("POST ");

const outages: readonly (readonly [what: string, status: number | undefined])[] = [
  ["500", 500],
  ["no answer", undefined],
  ["410: the version is too old", 410],
];
for (const [what, status] of outages) {
  Deno.test(`generateExisting evaluates all existing objects although their list fails: ${what}`, async () => {
    const { cluster, start } = setUp(generatesOnce);
    for (let index = 0; index < 300; index++) {
      const metadata = { name: `n-${index}`, uid: `u-${index}`, labels: { team: "yes" } };
      const body = { apiVersion: "v1", kind: "Namespace", metadata };
      assert.ok((await cluster.inner.call({ method: "POST", path: "/api/v1/namespaces", body })).ok);
    }
    let failures = 0;
    cluster.interfere = ({ path }) =>
      path.startsWith("/api/v1/namespaces?") && path.includes("continue=") && failures++ < 2
        ? { ok: false, status, message: "failed" }
        : undefined;
    await start({ wait: () => Promise.resolve(true) }).look();
    const made = cluster.writes.filter((write) => write.endsWith("/configmaps"));
    assert.equal(made.length, 301);
    assert.equal(new Set(made).size, 301, "each once");
  });
}

Deno.test("a new rule that generates for existing objects and synchronizes makes each object with one call", async () => {
  const { cluster, start } = setUp(
    synchronized.replaceAll("synchronize: true", "synchronize: true\n      generateExisting: true"),
  );
  for (let index = 0; index < 50; index++) {
    const metadata = { name: `n-${index}`, uid: `u-${index}`, labels: { team: "yes" } };
    const body = { apiVersion: "v1", kind: "Namespace", metadata };
    assert.ok((await cluster.inner.call({ method: "POST", path: "/api/v1/namespaces", body })).ok);
  }
  const call = cluster.call.bind(cluster);
  cluster.call = async (made) => {
    if (made.method === "POST") await new Promise((resolve) => setTimeout(resolve, 5));
    return await call(made);
  };
  await start().look();
  assert.equal(cluster.writes.filter(isPost).length, 2 * 51);
});

Deno.test("generateExisting begins again when the lists failed for a minute", async () => {
  const { cluster, start, restarted } = setUp(generatesOnce);
  cluster.interfere = ({ path }) =>
    path.startsWith("/api/v1/namespaces?") ? { ok: false, status: 500, message: "failed" } : undefined;
  const replica = start({ wait: () => Promise.resolve(true) });
  await replica.look();
  assert.deepEqual(cluster.writes, []);
  cluster.interfere = () => undefined;
  await replica.look();
  assert.deepEqual(cluster.writes.splice(0).filter(isPost).length, 2);
  await replica.look();
  assert.deepEqual(cluster.writes, []);
  assert.deepEqual(await restarted(), []);
});

Deno.test("generateExisting begins again when a replica was killed before it had generated all", async () => {
  const { cluster, start, restarted, remove } = setUp(generatesOnce);
  const killed = start({ hangs: true });
  cluster.interfere = ({ method }) =>
    method === "POST" ? { ok: false, status: undefined, message: "killed" } : undefined;
  await killed.compare();
  cluster.interfere = () => undefined;
  assert.equal((await restarted()).filter(isPost).length, 2);
  await remove(oldSettings);
  cluster.writes.length = 0;
  assert.deepEqual(await restarted(), [], "once");
});

Deno.test("mutateExistingOnPolicyUpdate goes on when a replica was killed, and adds to no target twice", async () => {
  const { cluster, start, restarted } = setUp(
    appending.replace("mutate:", "mutate:\n      mutateExistingOnPolicyUpdate: true"),
  );
  for (const name of ["blue", "grey"]) await created(cluster, name);
  const killed = start({ hangs: true });
  cluster.interfere = ({ method, path }) =>
    method === "PUT" && path.endsWith("/grey")
      ? { ok: false, status: undefined, message: "killed" }
      : undefined;
  await killed.compare();
  for (let tries = 0; tries < 200 && cluster.writes.length < 1; tries++) await pause(10);
  cluster.interfere = () => undefined;
  assert.deepEqual(cluster.writes.splice(0), [`PUT ${source.replace("regcred", "blue")}`]);
  assert.deepEqual(await restarted(), [`PUT ${source.replace("regcred", "grey")}`]);
  assert.deepEqual((await restarted()).slice(1), [], "once");
});

Deno.test("mutateExistingOnPolicyUpdate changes targets once, also after restarts", async () => {
  const { cluster, start, restarted } = setUp(
    touching.replace("mutate:", "mutate:\n      mutateExistingOnPolicyUpdate: true"),
  );
  await start().look();
  assert.deepEqual(cluster.writes, [`PUT ${source}`]);
  assert.deepEqual(await restarted(), [`PUT ${source}`]);
});

Deno.test("a target that was changed before a list broke off is not changed again when it is listed again", async () => {
  const { cluster, start } = setUp(appending);
  const replica = start({ maxBytes: 4_000, soon: 60_000, wait: () => Promise.resolve(true) });
  await replica.look();
  const reviews = [];
  for (const name of ["grey", "blue", "pink"]) reviews.push(await created(cluster, name));
  assert.deepEqual(reviews.map((review) => replica.worker.add(review)), ["taken", "no room", "no room"]);
  await replica.worker.drain();
  cluster.writes.length = 0;
  const call = cluster.inner.call.bind(cluster.inner);
  cluster.call = async (made) => {
    if (made.method !== "GET") cluster.writes.push(`${made.method} ${made.path}`);
    if (!made.path.startsWith("/api/v1/namespaces?")) return await call(made);
    if (made.path.includes("continue=")) return { ok: false, status: 500, message: "failed" };
    return await call({ ...made, path: made.path.replace("limit=250", "limit=3") });
  };
  await replica.look();
  const first = [...cluster.writes];
  assert.ok(first.length > 0 && first.length < 3, String(first));
  cluster.call = async (made) => {
    if (made.method !== "GET") cluster.writes.push(`${made.method} ${made.path}`);
    return await call(made);
  };
  await replica.look();
  assert.deepEqual(new Set(cluster.writes).size, cluster.writes.length, String(cluster.writes));
  assert.equal(cluster.writes.length, 2, "not for the one that the worker had room for");
  await replica.close();
});
