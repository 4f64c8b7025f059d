/** The kinds of writes of Postern, and the results of each when the API server fails. */
import assert from "node:assert/strict";
import { BackgroundWorker, existingRequest, Leadership } from "../../../lib/background/mod.ts";
import { systemClock } from "../../../lib/adapters/mod.ts";
import { compile, evaluate } from "../../../lib/engine/mod.ts";
import { asList, dig, equal, field, type Json, type JsonObject } from "../../../lib/json/mod.ts";
import { policyReports, ReportStore, UpdateRequests } from "../../../lib/live/mod.ts";
import { objectDocument } from "../../../lib/live/object_document.ts";
import { ObjectKeeper } from "../../../lib/live/object_keeper.ts";
import { configurationPaths } from "../../../lib/live/webhooks/configuration_kinds.ts";
import { policyObjectKinds } from "../../../lib/policy/mod.ts";
import { PolicyStatuses } from "../../../lib/live/policy_statuses.ts";
import type { Collection, Collections, ObjectChange } from "../../../lib/ports.ts";
import { fixedClock } from "../../adapters/fakes.ts";
import { silence } from "../../adapters/fake_server.ts";
import { clusterPorts } from "../../conformance/ports.ts";
import { portsWith, request } from "../../background/setting.ts";
import { silent } from "../setting.ts";
import { quota, team } from "./quota.ts";
import { cutAfter, eventually, type FaultyAnswer, type FaultyCluster, refusal } from "./faulty_server.ts";

/** A fault of one write. */
export interface WriteFault {
  readonly name: string;
  readonly answer: FaultyAnswer;
  readonly isConflict?: boolean;
  /** Milliseconds after which the write is given up; so many that no busy machine reaches them when absent. */
  readonly attemptTimeout?: number;
}

/** The faults, in the order of the page's columns. */
export const writeFaults: readonly WriteFault[] = [
  {
    name: "409: a conflict",
    answer: () => refusal(409, "the object has been modified"),
    isConflict: true,
  },
  { name: "500, 502, 503, 504", answer: () => refusal(500, "etcdserver: request timed out") },
  { name: "no answer, and nothing is stored", answer: silence, attemptTimeout: 700 },
  {
    name: "cut off after the API server stored it",
    answer: async (carryOut) => {
      await carryOut();
      return cutAfter('{"kind":"');
    },
  },
];

/** A kind of write. */
export interface Writer {
  readonly name: string;
  /** The result in words for the page, for each fault. */
  readonly words: readonly [string, string, string, string];
  readonly objects: readonly Json[];
  /** Writes after `begin`, and checks what is stored in the end. */
  run(cluster: FaultyCluster, fault: WriteFault): Promise<void>;
}

const namespaces: readonly Json[] = ["kyverno", "shop", "team"].map((name) => ({
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name, uid: `u-${name}` },
}));

function definition(
  kind: string,
  group: string,
  rest: { plural: string; version: string; scope: string },
): Json {
  const { plural, version, scope } = rest;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural },
      versions: [{ name: version, served: true, subresources: { status: {} } }],
    },
  };
}

/** Collections in which nothing happens but what a test shows in the first of them. */
function quietCollections(): { collections: Collections; show(change: ObjectChange): Promise<void> } {
  const changed: ((change: ObjectChange) => void | Promise<void>)[] = [];
  const collection: Collection = {
    objects: () => [],
    synced: Promise.resolve(),
    leftOut: undefined,
    close: () => Promise.resolve(),
  };
  return {
    collections: {
      watch: (_, each) => {
        changed.push(each);
        return collection;
      },
    },
    show: async (change) => await changed[0]!(change),
  };
}

async function read({ stored }: FaultyCluster, path: string): Promise<Json | undefined> {
  const answer = await stored.call({ method: "GET", path });
  return answer.ok ? answer.body : undefined;
}

const again = "tried again, six times in eight seconds, then the object is scanned again a minute later";
const report: Writer = {
  name: "a report",
  words: [
    "replaces the stored version",
    again,
    again,
    "tried again; the existing report is equal, so it is not written twice",
  ],
  objects: [
    ...namespaces,
    definition("PolicyReport", "wgpolicyk8s.io", {
      plural: "policyreports",
      version: "v1alpha2",
      scope: "Namespaced",
    }),
  ],
  async run(cluster) {
    const store = new ReportStore({
      cluster: cluster.live,
      collections: quietCollections().collections,
      log: silent,
      kind: policyReports,
      results: new Set(["pass", "fail"]),
      isLasting: () => false,
      missed: () => assert.fail("missed"),
    });
    const pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "web", namespace: "shop", uid: "u-1" } };
    const row = (result: string) => ({ source: "kyverno", policy: "p", rule: "r", result });
    for (const result of ["pass", "fail"]) {
      cluster.begin();
      assert.equal(await store.write(pod, [row(result)]), "stored");
      const path = "/apis/wgpolicyk8s.io/v1alpha2/namespaces/shop/policyreports/u-1";
      const rows = asList(field(await read(cluster, path) ?? null, "results"));
      assert.deepEqual(rows.map((each) => field(each, "result")), [result]);
    }
  },
};

const statusAgain = "tried again with all statuses ten seconds later";
const status: Writer = {
  name: "a policy's status",
  words: [statusAgain, statusAgain, statusAgain, "written again ten seconds later, with the same text"],
  objects: [
    definition("ClusterPolicy", "kyverno.io", { plural: "clusterpolicies", version: "v1", scope: "Cluster" }),
    {
      apiVersion: "kyverno.io/v1",
      kind: "ClusterPolicy",
      metadata: { name: "p" },
      spec: { background: false, rules: [] },
    },
  ],
  async run(cluster) {
    const kind = policyObjectKinds.find((each) => each.kind === "ClusterPolicy")!;
    const path = "/apis/kyverno.io/v1/clusterpolicies/p";
    const object = await read(cluster, path) as JsonObject;
    let looks = 1;
    const statuses = new PolicyStatuses({
      cluster: cluster.live,
      clock: fixedClock(0),
      log: silent,
      leads: () => true,
      accounts: { background: "b", reports: "r", cleanup: "c" },
      retryLater: () => looks++,
    });
    const facts = {
      snapshot: compile([objectDocument(object)]),
      configured: true,
      generated: [],
      served: [],
    };
    cluster.begin();
    for (; looks > 0; looks--) await statuses.write([{ kind, object }], facts);
    const conditions = asList(dig(await read(cluster, path), "status", "conditions"));
    assert.deepEqual(conditions.map((each) => [field(each, "type"), field(each, "status")]), [[
      "Ready",
      "True",
    ]]);
  },
};

const restored = "tried again two seconds later";
const webhooks: Writer = {
  name: "a webhook configuration",
  words: [restored, restored, restored, "read again two seconds later: it is as it should be"],
  objects: [],
  async run(cluster) {
    const { collections, show } = quietCollections();
    const keeper = new ObjectKeeper({
      cluster: cluster.live,
      collections,
      log: silent,
      leads: () => true,
      kinds: configurationPaths,
      about: "webhook configuration",
      retryDelay: 1,
    });
    const kind = "ValidatingWebhookConfiguration", path = `${configurationPaths[kind]}/c`;
    const wanted: JsonObject = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind,
      metadata: { name: "c" },
      webhooks: [{ name: "w.kyverno.svc", failurePolicy: "Fail" }],
    };
    await keeper.keep([wanted]);
    const edited = { ...await read(cluster, path) as JsonObject, webhooks: [] };
    await cluster.stored.call({ method: "PUT", path, body: edited });
    cluster.begin();
    await show({ object: edited, former: undefined });
    await eventually(
      "the webhook is back",
      async () => equal(field(await read(cluster, path) ?? null, "webhooks") ?? null, wanted["webhooks"]!),
    );
    await keeper.remove();
    await keeper.close();
  },
};

const renewed = "tried again two seconds later, long before the Lease ends";
const lease: Writer = {
  name: "the Lease",
  words: [
    "read again two seconds later: the replica that wrote it leads",
    renewed,
    renewed,
    "read again two seconds later: it names this replica, which leads and does what the write was to begin",
  ],
  objects: namespaces,
  async run(cluster) {
    let elections = 0;
    const leadership = new Leadership({
      cluster: cluster.live,
      clock: systemClock(),
      log: silent,
      namespace: "kyverno",
      name: "kyverno",
      identity: "one",
      // Two times as long must pass before a call is given up.
      every: 1_500,
      elected: () => elections++,
      wait: () => new Promise((resolve) => setTimeout(resolve, 5)),
    });
    cluster.begin();
    leadership.start();
    await eventually("this replica leads", () => leadership.leads && elections > 0);
    const path = "/apis/coordination.k8s.io/v1/namespaces/kyverno/leases/kyverno";
    assert.equal(dig(await read(cluster, path), "spec", "holderIdentity"), "one");
    await leadership.close();
    assert.equal(elections, 1);
    assert.equal(dig(await read(cluster, path), "spec", "holderIdentity"), undefined);
  },
};

const anew = "planned again and retried, ten times in 50 seconds";

const generated: Writer = {
  name: "a generated object",
  words: [
    "another client made it: it counts as made, and the next comparison corrects it where the rule synchronizes",
    anew,
    anew,
    "tried again: it exists and counts as made",
  ],
  objects: namespaces,
  async run(cluster, { isConflict }) {
    const { ports } = portsWith("{apiVersion: v1, kind: Namespace, metadata: {name: team, uid: u-team}}");
    const worker = new BackgroundWorker({
      snapshot: () => quota,
      ports: { ...ports, cluster: cluster.live },
      log: silent,
      wait: () => Promise.resolve(),
      effectsTried: ({ state }) => assert.equal(state, "done"),
    });
    cluster.begin();
    worker.add(request(team));
    await worker.drain();
    await worker.close();
    const made = await read(cluster, "/api/v1/namespaces/team/configmaps/c");
    // After a conflict the object is that of the other client.
    assert.equal(made !== undefined, isConflict !== true);
  },
};

const soon = "tried again, six times in eight seconds; then the log has the effect's error alone";
const updateRequest: Writer = {
  name: "an UpdateRequest",
  words: ["none: its name is random", soon, soon, "tried again: it exists"],
  objects: [
    ...namespaces,
    definition("UpdateRequest", "kyverno.io", {
      plural: "updaterequests",
      version: "v2",
      scope: "Namespaced",
    }),
  ],
  async run(cluster, { isConflict }) {
    const requests = new UpdateRequests({
      cluster: cluster.live,
      clock: { now: () => Date.now() },
      collections: quietCollections().collections,
      log: silent,
      leads: () => true,
      namespace: "kyverno",
      work: () => "taken",
    });
    const by = { policy: "quotas", rule: "quota" };
    const trigger = { ...existingRequest(team), uid: "r-1" };
    const { results } = await evaluate(quota, trigger, {
      phase: "generate",
      ports: clusterPorts([]),
      background: {},
    });
    const failures = [{ message: "no source", retryable: true, by }];
    cluster.begin();
    requests.effectsTried({ state: "failing", request: trigger, results, carried: [], failures });
    const path = "/apis/kyverno.io/v2/namespaces/kyverno/updaterequests";
    const states = async () =>
      asList(field(await read(cluster, path) ?? null, "items")).map((each) => dig(each, "status", "state"));
    if (isConflict === true) await eventually("its status is written, too", () => cluster.writes() === 2);
    else await eventually("it exists", async () => (await states()).join() === "Pending");
    await requests.close();
  },
};

/** The kinds of writes, in the order of the page's rows. */
export const writers: readonly Writer[] = [report, status, webhooks, lease, generated, updateRequest];
