/** The statuses of policies and of the objects that belong to them. */
import assert from "node:assert/strict";
import { fixedClock } from "../adapters/fakes.ts";
import { compile, type Snapshot } from "../../lib/engine/mod.ts";
import { asList, dig, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { celStatus } from "../../lib/live/cel_status.ts";
import { classicStatus } from "../../lib/live/classic_status.ts";
import { entryStatus } from "../../lib/live/entry_status.ts";
import { objectDocument } from "../../lib/live/object_document.ts";
import { policyObjectKinds } from "../../lib/policy/mod.ts";
import { PolicyStatuses } from "../../lib/live/policy_statuses.ts";
import { StatusRounds } from "../../lib/live/status_rounds.ts";
import { StatusWriter } from "../../lib/live/status_writer.ts";
import { PolicyBudget } from "../../lib/policy/mod.ts";
import type { Cluster } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { onPods, silent } from "./setting.ts";
import { compiled, enforcement, served, statusesIn } from "./policy_statuses.ts";

Deno.test("status: the specs for controllers are complete, under Kyverno's names", () => {
  const configs = dig(celStatus(compiled(onPods), enforcement), "autogen", "configs");
  assert.deepEqual(Object.keys(configs as JsonObject).sort(), ["cronjobs", "defaults"]);
  assert.deepEqual(dig(configs!, "cronjobs", "targets"), [
    { group: "batch", version: "v1", resource: "cronjobs", kind: "CronJob" },
  ]);
  assert.deepEqual(dig(configs!, "defaults", "spec", "validations"), [
    { expression: "object.spec.template.spec.hostNetwork != true" },
  ]);
});

Deno.test("status: a policy that is not about Pods alone has no specs for controllers", () => {
  const text = onPods.replace("resources: [pods]", "resources: [pods, services]");
  assert.deepEqual(celStatus(compiled(text), enforcement)["autogen"], {});
});

Deno.test("status: rules for controllers have empty resources beside any", () => {
  const status = classicStatus(
    compiled(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec: {rules: [{name: r, match: {any: [{resources: {kinds: [Pod]}}]}, validate: {pattern: {spec: {hostNetwork: false}}}}]}
`),
    { configured: true, missingRules: "", admissionPolicy: { generated: false, message: "" } },
  );
  const rules = dig(status, "autogen", "rules") as readonly Json[];
  assert.deepEqual(dig(rules[0]!, "match", "resources"), {});
});

Deno.test("status: a policy in CEL that becomes no admission policy says why, behind the rights that it lacks", () => {
  const reason = "skip generation: the policy is also about the controllers of Pods";
  const message = (more: Partial<typeof enforcement>) =>
    dig(
      celStatus(compiled(onPods), { ...enforcement, notGenerated: reason, ...more }),
      "conditionStatus",
      "message",
    );
  assert.equal(message({}), reason);
  assert.equal(message({ missingRules: "grant pods" }), `grant pods; ${reason}`);
});

Deno.test("status: an entry of the global context has one condition, and the time of its data", () => {
  const refreshed = Date.parse("2026-11-22T10:00:00.5Z");
  assert.deepEqual(entryStatus({ problem: undefined, refreshed }), {
    conditions: [{ type: "Ready", status: "True", reason: "Succeeded", message: "Ready" }],
    lastRefreshTime: "2026-11-22T10:00:00Z",
  });
  assert.deepEqual(entryStatus({ problem: "no answer", refreshed }), {
    conditions: [{ type: "Ready", status: "False", reason: "Failed", message: "no answer" }],
  });
});

Deno.test("status: a new value replaces a field completely, and other fields stay", async () => {
  const patches: Json[] = [];
  const cluster: Cluster = {
    call: ({ body }) => {
      patches.push(body ?? null);
      return Promise.resolve({ ok: true, status: 200, body: {} });
    },
    resource: () => Promise.resolve(undefined),
  };
  const writer = new StatusWriter({ cluster, clock: fixedClock(), log: silent });
  const kind = policyObjectKinds.find((each) => each.kind === "ValidatingPolicy")!;
  const present = { autogen: { configs: { defaults: { a: 1 }, cronjobs: { b: 1 } } }, other: 1 };
  await writer.write(kind, { metadata: { name: "p" }, status: present }, {
    autogen: { configs: { defaults: { a: 2 } } },
  });
  assert.deepEqual(patches, [{
    status: { autogen: { configs: { cronjobs: null, defaults: { a: 2 } } } },
  }]);
});

Deno.test("status: policies that change continuously get a status", async () => {
  const clock = fixedClock(0), tasks: (() => void)[] = [], written: number[] = [];
  const snapshots = Array.from({ length: 100 }, () => compile([]));
  let newest: Snapshot | undefined;
  const rounds = new StatusRounds({
    clock,
    after: (_, task) => void tasks.push(task),
    isNewest: (snapshot) => snapshot === newest,
    write: () => Promise.resolve(void written.push(clock.now())),
  });
  for (const snapshot of snapshots) {
    newest = snapshot;
    rounds.add({ snapshot, configured: true, generated: [], served }, clock.now() + 400);
    clock.advance(60);
    // The webhooks of a snapshot are active when there are five newer ones.
    if (tasks.length > 5) tasks.shift()!();
    await Promise.resolve();
  }
  for (const task of tasks) task();
  assert.ok(written.length >= 5 && written.length <= 8, `${written.length} rounds`);
  assert.equal(written.at(-1), clock.now(), "the newest is written in any case");
});

Deno.test("status: a system clock that is set back puts no status off", () => {
  const waits: number[] = [];
  let elapsed = 5_000;
  const clock = { now: () => Date.UTC(2026, 0, 1) - 3_600_000 * waits.length, elapsed: () => elapsed };
  const rounds = new StatusRounds({
    clock,
    after: (milliseconds) => void waits.push(milliseconds),
    isNewest: () => true,
    write: () => Promise.resolve(),
  });
  const facts = { snapshot: compile([]), configured: true, generated: [], served };
  for (const passed of [0, 100, 1_000]) {
    elapsed = 5_000 + passed;
    rounds.add(facts, 5_400);
  }
  assert.deepEqual(waits, [400, 300, 0]);
});

Deno.test("status: an object that changed after its policy was compiled gets none", async () => {
  const kind = policyObjectKinds.find(({ kind }) => kind === "ClusterPolicy")!;
  const stored = (uid: string, generation: number): JsonObject => ({
    apiVersion: "kyverno.io/v1",
    kind: "ClusterPolicy",
    metadata: { name: "p", uid, generation },
    spec: { background: false, rules: [] },
  });
  const snapshot = compile([objectDocument(stored("u", 1))]);
  const written: string[] = [];
  for (const [uid, generation] of [["u", 1], ["u", 2], ["other", 1]] as const) {
    const cluster: Cluster = {
      call() {
        written.push(`${uid} ${generation}`);
        return Promise.resolve({ ok: true, status: 200, body: {} });
      },
      resource: () => Promise.resolve(undefined),
    };
    const statuses = statusesIn(cluster);
    await statuses.write([{ kind, object: stored(uid, generation) }], {
      snapshot,
      configured: true,
      generated: [],
      served,
    });
  }
  assert.deepEqual(written, ["u 1"]);
});

Deno.test("status: a left-out policy has the reason", async () => {
  const written: Json[] = [];
  const cluster: Cluster = {
    call({ path, body }) {
      written.push([path, dig(body ?? null, "status") ?? null]);
      return Promise.resolve({ ok: true, status: 200, body: {} });
    },
    resource: () => Promise.resolve(undefined),
  };
  const statuses = statusesIn(cluster);
  const kinds = ["ClusterPolicy", "NamespacedValidatingPolicy", "CleanupPolicy"].map((kind) =>
    policyObjectKinds.find((each) => each.kind === kind)!
  );
  const objects = kinds.map((kind) => ({
    kind,
    object: {
      apiVersion: `${kind.group}/${kind.version}`,
      kind: kind.kind,
      metadata: { name: "p", ...(kind.namespaced && { namespace: "team" }) },
      spec: { rules: [], matchConstraints: {} },
    },
  }));
  const snapshot = compile(objects.map(({ object }) => objectDocument(object)), {
    budget: new PolicyBudget(5),
  });
  assert.equal(snapshot.leftOut.length, 3);
  await statuses.write(objects, { snapshot, configured: true, generated: [], served });
  assert.deepEqual(written.map((each) => asList(each)[0]), [
    "/apis/kyverno.io/v1/clusterpolicies/p/status",
    "/apis/policies.kyverno.io/v1beta1/namespaces/team/namespacedvalidatingpolicies/p/status",
  ]);
  for (const each of written) {
    assert.match(
      JSON.stringify(each),
      /"status":"False","reason":"TooManyPolicies","message":"left out: all/,
    );
  }
  assert.equal(dig(asList(written[1])[1]!, "conditionStatus", "ready"), false);
});

Deno.test("status: a current status is written again when its facts change or it was lost", async () => {
  const text =
    "apiVersion: kyverno.io/v1\nkind: ClusterPolicy\nmetadata: {name: p}\nspec: {background: false, rules: []}\n";
  const snapshot = compile(parseDocuments(text, "p.yaml").documents, { dialect: "current" });
  const kind = policyObjectKinds.find(({ kind }) => kind === "ClusterPolicy")!;
  let object: JsonObject = { apiVersion: "kyverno.io/v1", kind: "ClusterPolicy", metadata: { name: "p" } };
  let refuses = true;
  const written: Json[] = [];
  const cluster: Cluster = {
    call({ body }) {
      if (refuses) return Promise.resolve({ ok: false, status: 500, message: "not now" });
      written.push(dig(body ?? null, "status", "conditions") ?? null);
      object = { ...object, status: dig(body ?? null, "status") ?? {} };
      return Promise.resolve({ ok: true, status: 200, body: object });
    },
    resource: () => Promise.resolve(undefined),
  };
  const accounts = { admission: "a", background: "b", reports: "r", cleanup: "c" };
  const statuses = new PolicyStatuses({
    cluster,
    clock: fixedClock(0),
    log: silent,
    leads: () => true,
    accounts,
    retryLater() {},
  });
  const write = (configured: boolean) =>
    statuses.write([{ kind, object }], { snapshot, configured, generated: [], served });
  await write(true);
  refuses = false;
  for (const configured of [true, true, true, false, false]) await write(configured);
  object = { ...object, status: {} };
  await write(false);
  assert.deepEqual(written.map((each) => asList(each).map((one) => dig(one, "reason"))), [
    ["Succeeded"],
    ["Failed"],
    ["Failed"],
  ]);
});
