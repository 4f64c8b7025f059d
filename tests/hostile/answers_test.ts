/** Large answers of the cluster and of services: whoever creates a Pod makes the policies load them. */
import assert from "node:assert/strict";
import { asString, dig, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { fakeServer, silence } from "../adapters/fake_server.ts";
import { admissionReview } from "../server/review.ts";
import { startReplica } from "../support/replica.ts";
import type { ServerProcess } from "../support/server_process.ts";
import { policyAbout } from "./filled_memory.ts";
import { answerOf, ListingCluster, listOf, longest, podNamed } from "./listing_cluster.ts";

/** MiB that no attack may pass. */
const bound = 200;
const discovery = {
  "/api/v1": () =>
    Response.json({
      kind: "APIResourceList",
      groupVersion: "v1",
      resources: [
        { name: "configmaps", kind: "ConfigMap", namespaced: true, verbs: ["list"] },
        { name: "pods", kind: "Pod", namespaced: true, verbs: ["get"] },
      ],
    }),
};

/** A policy about Pods that denies unless each path lists at least one object. */
function listing(name: string, paths: readonly string[], action = "Enforce"): string {
  const entries = paths.map((path, index) =>
    `{name: list${index}, apiCall: {urlPath: "${path}", jmesPath: "length(items)"}}`
  );
  const conditions = paths.map((_, index) => `{key: "{{ list${index} }}", operator: LessThan, value: 1}`);
  const rule = `context: [${entries.join(", ")}]
    validate:
      message: there must be objects
      deny: {conditions: {any: [${conditions.join(", ")}]}}`;
  return policyAbout("Pod", rule, { name, action });
}

const allMaps = "/api/v1/configmaps";

async function review(server: ServerProcess, uid: string, seconds = 30, kind = "Pod"): Promise<Json> {
  const object = { ...podNamed("web"), kind };
  const answer = await fetch(`${server.address}/validate/fail?timeout=${seconds}s`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(
      admissionReview({ uid, kind, resource: `${kind.toLowerCase()}s`, object }),
    ),
  });
  assert.equal(answer.status, 200);
  return dig(await answer.json(), "response") ?? null;
}

/** Sends reviews at once; returns how many were allowed. The others must have been denied with this message. */
async function allowedOf(
  server: ServerProcess,
  count: number,
  message: RegExp,
  seconds = 30,
): Promise<number> {
  const responses = await Promise.all(
    Array.from({ length: count }, (_, index) => review(server, `pod-${index}`, seconds)),
  );
  const denied = responses.filter((response) => dig(response, "allowed") !== true);
  for (const response of denied) assert.match(asString(dig(response, "status", "message")) ?? "", message);
  return count - denied.length;
}

async function assertBounded(server: ServerProcess): Promise<void> {
  assert.ok(server.running(), server.log().slice(-2_000));
  const { most } = await server.memory();
  assert.ok(most < bound, `${most} MiB`);
}

/** Starts a replica with policies at a cluster with these lists. */
async function startAt(
  cluster: ListingCluster,
  policies: string,
  ...args: string[]
): Promise<ServerProcess> {
  return await startReplica({ policies, args: ["--no-tls", "--kubeconfig", cluster.kubeconfig, ...args] });
}

const late = /deadline passed|answers of other requests take too much memory/;
const tooLarge = /what a request loads would take too much memory/;

const celListing = `
---
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: cel-lists}
spec:
  validationActions: [Deny]
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  validations:
  - expression: resource.List("v1", "configmaps", "default").items.size() > 0
    message: there must be objects
`;

interface Attack {
  readonly what: string;
  readonly policies: string;
  readonly lists: Readonly<Record<string, () => Response>>;
  readonly count: number;
  readonly seconds: number;
  /** Whether Pods are allowed; `any` where that depends on the machine's speed. */
  readonly allowed: "some" | "none" | "any";
  readonly message: RegExp;
}

const attacks: readonly Attack[] = [
  {
    what: "16 Pods that load 28 MB each",
    policies: listing("lists", [allMaps]),
    lists: { [allMaps]: () => answerOf(listOf(longest)) },
    count: 16,
    seconds: 30,
    allowed: "some",
    message: late,
  },
  {
    what: "64 Pods that load 28 MB each, of which many wait until their deadlines",
    policies: listing("lists", [allMaps]),
    lists: { [allMaps]: () => answerOf(listOf(longest)) },
    count: 64,
    seconds: 10,
    allowed: "any",
    message: late,
  },
  {
    what: "16 Pods that list 28 MB in CEL",
    policies: celListing,
    lists: { "/api/v1/namespaces/default/configmaps": () => answerOf(listOf(longest)) },
    count: 16,
    seconds: 15,
    allowed: "some",
    message: late,
  },
  {
    what: "answers of 28 MB that arrive slowly",
    policies: listing("lists", [allMaps]),
    lists: { [allMaps]: () => answerOf(listOf(longest), 50) },
    count: 16,
    seconds: 10,
    allowed: "any",
    message: late,
  },
  {
    what: "answers whose characters take two bytes",
    policies: listing("lists", [allMaps]),
    lists: { [allMaps]: () => answerOf(listOf(longest, "wide text")) },
    count: 16,
    seconds: 15,
    allowed: "none",
    message: new RegExp(`${late.source}|${tooLarge.source}`),
  },
  {
    what: "answers of empty maps",
    policies: listing("lists", [allMaps]),
    lists: { [allMaps]: () => answerOf(listOf(longest, "empty maps")) },
    count: 16,
    seconds: 15,
    allowed: "none",
    message: new RegExp(`${late.source}|${tooLarge.source}`),
  },
  {
    what: "Pods for which four answers of 12 MB are loaded",
    policies: listing("lists", ["/a", "/b", "/c", "/d"].map((path) => `/api/v1${path}`)),
    lists: Object.fromEntries(
      ["/a", "/b", "/c", "/d"].map((path) => [`/api/v1${path}`, () => answerOf(listOf(12_000_000))]),
    ),
    count: 8,
    seconds: 15,
    allowed: "none",
    message: new RegExp(`${late.source}|${tooLarge.source}`),
  },
];
for (const { what, policies, lists, count, seconds, allowed, message } of attacks) {
  Deno.test(`the memory of large answers is bounded: ${what}`, async () => {
    await using cluster = await ListingCluster.start({ ...discovery, ...lists });
    await using server = await startAt(cluster, policies);
    const passed = await allowedOf(server, count, message, seconds);
    if (allowed !== "any") assert.equal(passed > 0 ? "some" : "none", allowed);
    await assertBounded(server);
    if (allowed === "none") return;
    // Nothing is held any more.
    assert.equal(await allowedOf(server, 1, /^$/), 1);
  });
}

Deno.test("requests that load little are answered beside those that load much", async () => {
  const small = "/api/v1/namespaces/default/configmaps/small";
  await using cluster = await ListingCluster.start({
    [allMaps]: () => answerOf(listOf(longest)),
    [small]: () => Response.json({ items: [{}] }),
  });
  const services = listing("services", [small]).replace("[Pod]", "[Service]");
  await using server = await startAt(cluster, listing("lists", [allMaps]) + services);
  const many = Promise.all(Array.from({ length: 32 }, (_, index) => review(server, `pod-${index}`, 10)));
  const few = Array.from({ length: 20 }, (_, index) => review(server, `service-${index}`, 10, "Service"));
  for (const response of await Promise.all(few)) {
    assert.equal(dig(response, "allowed"), true, JSON.stringify(response));
  }
  await many;
  await assertBounded(server);
});

Deno.test("the memory of large answers is bounded in audits and in work after the answer", async () => {
  const audited = "/api/v1/secrets", generated = "/api/v1/pods";
  const generating = `
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: generating}
spec:
  rules:
  - name: copy
    match: {any: [{resources: {kinds: [Pod]}}]}
    context: [{name: maps, apiCall: {urlPath: "${generated}", jmesPath: "length(items)"}}]
    generate:
      apiVersion: v1
      kind: ConfigMap
      name: count-{{ request.name }}
      namespace: default
      data: {data: {count: "{{ maps }}"}}
`;
  await using cluster = await ListingCluster.start({
    ...discovery,
    ...Object.fromEntries(
      [allMaps, audited, generated].map((path) => [path, () => answerOf(listOf(longest))]),
    ),
  });
  const policies = listing("lists", [allMaps]) + listing("audited", [audited], "Audit") + generating;
  await using server = await startAt(cluster, policies);
  await allowedOf(server, 6, late, 6);
  // The work after the answers: its processor time ends.
  for (let before = -1, now = 0; now > before + 0.05;) {
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    [before, now] = [now, await server.processorTime()];
  }
  for (const path of [audited, generated]) assert.ok(cluster.received(path) > 0, path);
  await assertBounded(server);
});

/** A policy that calls a service about Pods, after it has listed the objects of a path. */
function calling(url: string, method: string, path = ""): string {
  const list = path === "" ? "" : `{name: list, apiCall: {urlPath: "${path}", jmesPath: "length(items)"}}, `;
  const url2 = path === "" ? url : `${url}/{{ list }}`;
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: calling}
spec:
  validationFailureAction: Enforce
  background: false
  rules:
  - name: calls
    match: {any: [{resources: {kinds: [Pod]}}]}
    context: [${list}{name: answer, apiCall: {method: ${method}, service: {url: "${url2}"}, jmesPath: "length(items)"}}]
    validate:
      message: not allowed
      deny: {conditions: {all: [{key: "{{ answer }}", operator: LessThan, value: 1}]}}
`;
}

for (const method of ["GET", "POST"]) {
  Deno.test(`the memory of answers of services is bounded: ${method}`, async () => {
    const items = `{"items":[${"{},".repeat(200_000)}{}]}`;
    const service = fakeServer(() => new Response(items));
    try {
      await using server = await startReplica({
        policies: calling(service.address, method),
        args: ["--no-tls", "--allow-service-address", "127.0.0.0/8"],
      });
      await allowedOf(server, 64, late, 15);
      await assertBounded(server);
      assert.equal(await allowedOf(server, 1, /^$/), 1);
    } finally {
      await service.close();
    }
  });
}

Deno.test("the memory of many short answers is bounded that wait for another call", async () => {
  const service = fakeServer(() => silence());
  const items = `{"items":[${"{},".repeat(20_000)}{}]}`;
  await using cluster = await ListingCluster.start({
    [allMaps]: () => new Response(items, { headers: { "content-type": "application/json" } }),
  });
  try {
    const policies = calling(service.address, "GET", allMaps);
    await using server = await startAt(cluster, policies, "--allow-service-address", "127.0.0.0/8");
    assert.equal(await allowedOf(server, 300, late, 10), 0);
    await assertBounded(server);
  } finally {
    await service.close();
  }
});

Deno.test("the memory of the answers is bounded that a loop loads one after the other", async () => {
  const elements = Array.from({ length: 150 }, (_, index) => `m${index}`);
  const pathOf = (name: string): string => `/api/v1/namespaces/default/configmaps/${name}`;
  await using cluster = await ListingCluster.start(
    Object.fromEntries(elements.map((name) => [pathOf(name), () => answerOf(listOf(1_000_000))])),
  );
  const loop = `validate:
      message: there must be objects
      foreach:
      - list: request.object.metadata.finalizers
        context: [{name: map, apiCall: {urlPath: "${pathOf("{{ element }}")}", jmesPath: "length(items)"}}]
        deny: {conditions: {any: [{key: "{{ map }}", operator: LessThan, value: 1}]}}`;
  await using server = await startAt(
    cluster,
    policyAbout("Pod", loop) +
      policyAbout("Service", "validate: {message: refused, pattern: {kind: Service}}"),
  );
  const pod = podNamed("web"), metadata = { ...pod["metadata"] as JsonObject, finalizers: elements };
  const body = JSON.stringify(admissionReview({ object: { ...pod, metadata } }));
  const headers = { "content-type": "application/json" };
  const address = `${server.address}/validate/fail?timeout=15s`;
  const loops = Array.from({ length: 8 }, async () => {
    const answer = await fetch(address, { method: "POST", headers, body });
    return dig(await answer.json(), "response") ?? null;
  });
  for (let index = 0; index < 20; index++) {
    assert.equal(dig(await review(server, `service-${index}`, 10, "Service"), "allowed"), true);
  }
  for (const response of await Promise.all(loops)) {
    if (dig(response, "allowed") === true) continue;
    assert.match(
      asString(dig(response, "status", "message")) ?? "",
      new RegExp(`${late.source}|${tooLarge.source}`),
    );
  }
  await assertBounded(server);
  assert.equal(await allowedOf(server, 1, /^$/), 1);
});
