/** UpdateRequest objects: what is left undone is seen, and what others ask for is done. */
import assert from "node:assert/strict";
import type { Intake, JobScope, WorkOutcome } from "../../lib/background/mod.ts";
import { existingRequest } from "../../lib/background/mod.ts";
import { compile, evaluate, type PolicyRequest } from "../../lib/engine/mod.ts";
import { asObject, dig, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { updateRequest, UpdateRequests, wantedEffects } from "../../lib/live/mod.ts";
import type { Answer, ApiCall, Cluster, Collections, ObjectChange } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { clusterPorts } from "../conformance/ports.ts";

const policyText = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: quotas}
spec:
  rules:
  - name: quota
    match: {any: [{resources: {kinds: [Namespace]}}]}
    generate: {apiVersion: v1, kind: Secret, name: s, namespace: team, data: {data: {}}}
`;
const team: JsonObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: "team", uid: "u-team" } };
const request: PolicyRequest = { ...existingRequest(team), uid: "r-1" };
const path = "/apis/kyverno.io/v2/namespaces/kyverno/updaterequests";

async function outcome(
  state: WorkOutcome["state"],
  message?: string,
  nothingToDo?: "notStored" | "targetMissing",
): Promise<WorkOutcome> {
  const snapshot = compile(parseDocuments(policyText, "p.yaml").documents, { dialect: "current" });
  const { results } = await evaluate(snapshot, request, {
    phase: "generate",
    ports: clusterPorts([]),
    background: {},
  });
  const failures = message === undefined ? [] : [{
    message,
    retryable: true,
    ...(nothingToDo && { nothingToDo }),
    by: { policy: "quotas", rule: "quota" },
  }];
  return { state, request, results, carried: [], failures };
}

/**
 * Update requests over a cluster that serves some objects, and a worker with some answers, the last one for all
 * later.
 */
function setUp(
  { reads = {}, intakes = ["taken"], wait = () => Promise.resolve(true) }: {
    reads?: Record<string, Json>;
    intakes?: readonly Intake[];
    wait?: () => Promise<boolean>;
  } = {},
) {
  const calls: ApiCall[] = [];
  const worked: PolicyRequest[] = [];
  const rules: (string | undefined)[] = [];
  const ends: JobScope["ended"][] = [];
  const stored: JsonObject[] = [];
  let listings = 0;
  let notice: (change: ObjectChange) => void | Promise<void> = () => {};
  const cluster: Cluster = {
    call: (call): Promise<Answer> => {
      if (call.method !== "GET") calls.push(call);
      const body = reads[call.path];
      if (call.method !== "GET") return Promise.resolve({ ok: true, status: 200, body: {} });
      return Promise.resolve(
        body === undefined
          ? { ok: false, status: 404, message: "not found" }
          : { ok: true, status: 200, body },
      );
    },
    resource: (_, kind) =>
      Promise.resolve(
        kind === "Namespace"
          ? { group: "", version: "v1", kind, plural: "namespaces", namespaced: false }
          : undefined,
      ),
  };
  const collections: Collections = {
    watch(_, changed) {
      notice = changed;
      return {
        objects: () => (listings++, stored),
        synced: Promise.resolve(),
        close: () => Promise.resolve(),
      };
    },
  };
  const requests = new UpdateRequests({
    cluster,
    clock: { now: () => 0 },
    collections,
    log: { write: () => {} },
    leads: () => true,
    namespace: "kyverno",
    work: (each, { only, ended }) => {
      worked.push(each);
      rules.push(only?.rule);
      ends.push(ended);
      return intakes[worked.length - 1] ?? intakes.at(-1)!;
    },
    wait,
  });
  return {
    calls,
    worked,
    rules,
    ends,
    requests,
    stored,
    listings: () => listings,
    notice: (object: JsonObject, former?: JsonObject) => notice({ object, former }),
  };
}

const callText = ({ method, path, body }: ApiCall): string =>
  [method, path.replace(/ur-[0-9a-f]{8}/, "UR"), dig(body, "status", "state") ?? ""].join(" ").trim();

Deno.test("effects that fail have an UpdateRequest with the reason, until they are done", async () => {
  const { calls, requests } = setUp();
  requests.worked(await outcome("failing", "no source"));
  requests.worked(await outcome("given up", "no source"));
  requests.worked(await outcome("done"));
  await requests.close();
  assert.deepEqual(calls.map(callText), [
    `POST ${path}`,
    `PATCH ${path}/UR/status Pending`,
    `PATCH ${path}/UR/status Failed`,
    `DELETE ${path}/UR`,
  ]);
  const [{ body: made }, { body: status }] = calls as [ApiCall, ApiCall];
  assert.deepEqual(
    [dig(made, "spec", "requestType"), dig(made, "spec", "policy"), dig(made, "spec", "rule")],
    ["generate", "quotas", "quota"],
  );
  assert.equal(dig(status, "status", "message"), "no source");
});

Deno.test("effects that succeed at once have no UpdateRequest", async () => {
  const { calls, requests } = setUp();
  requests.worked(await outcome("done"));
  await requests.close();
  assert.deepEqual(calls, []);
});

for (const nothingToDo of ["notStored", "targetMissing"] as const) {
  Deno.test(`effects without an object to change (${nothingToDo}) have no UpdateRequest`, async () => {
    const { calls, requests } = setUp();
    requests.worked(await outcome("failing", "nothing there", nothingToDo));
    requests.worked(await outcome("given up", "nothing there", nothingToDo));
    await requests.close();
    assert.deepEqual(calls, []);
  });
}

Deno.test("an UpdateRequest is deleted once its blocking target is missing", async () => {
  const { calls, requests } = setUp();
  requests.worked(await outcome("failing", "no right"));
  requests.worked(await outcome("given up", "not found", "targetMissing"));
  await requests.close();
  assert.deepEqual(calls.map(callText).at(-1), `DELETE ${path}/UR`);
});

Deno.test("an UpdateRequest is deleted when its trigger was deleted while the effects waited", async () => {
  const { calls, requests } = setUp();
  requests.worked(await outcome("failing", "no source"));
  requests.worked({ ...await outcome("given up", "the CREATE cannot be seen", "notStored"), results: [] });
  await requests.close();
  assert.deepEqual(calls.map(callText).at(-1), `DELETE ${path}/UR`);
});

Deno.test("the deletion of a trigger deletes the UpdateRequests that failed for it, and no others", async () => {
  const { calls, requests, stored } = setUp();
  requests.worked(await outcome("failing", "no source"));
  requests.worked(await outcome("given up", "no source"));
  await new Promise((resolve) => setTimeout(resolve, 0));
  const made = calls[0]!.body as JsonObject;
  const ofOther: JsonObject = {
    ...made,
    metadata: { ...made["metadata"] as JsonObject, name: "ur-other" },
    spec: { ...made["spec"] as JsonObject, resource: { uid: "u-other" } },
  };
  stored.push(made, ofOther);
  const deletion: PolicyRequest = {
    ...request,
    uid: "r-2",
    operation: "DELETE",
    object: undefined,
    oldObject: team,
  };
  requests.worked({ ...await outcome("done"), request: deletion });
  await requests.close();
  assert.deepEqual(calls.filter(({ method }) => method === "DELETE").map(callText), [`DELETE ${path}/UR`]);
});

Deno.test("an UpdateRequest of Postern whose trigger is gone is deleted by the next leader", async () => {
  const { calls, requests } = setUp();
  requests.worked(await outcome("failing", "no source"));
  await requests.close();
  const next = setUp();
  next.stored.push({ ...calls[0]!.body as JsonObject, status: { state: "Failed" } });
  next.requests.elected();
  await next.requests.close();
  assert.deepEqual(next.calls.map(callText), [`DELETE ${path}/UR`]);
});

Deno.test("the outcome for one existing trigger does not change the UpdateRequest of another one", async () => {
  const { calls, requests } = setUp();
  const about = (name: string): PolicyRequest =>
    existingRequest({ ...team, metadata: { name, uid: `u-${name}` } });
  requests.worked({ ...await outcome("failing", "no right"), request: about("red") });
  requests.worked({ ...await outcome("done"), request: about("blue") });
  await requests.close();
  assert.deepEqual(calls.map(({ method }) => method), ["POST", "PATCH"]);
});

Deno.test("no more than 1,000 UpdateRequests are kept at a time", async () => {
  const { calls, requests } = setUp();
  const failing = await outcome("failing", "no right");
  for (let index = 0; index < 1_001; index++) {
    requests.worked({ ...failing, request: { ...request, uid: `r-${index}` } });
  }
  await requests.close();
  const created = calls.filter(({ method }) => method === "POST").length;
  assert.equal(created, 1_000);
});

Deno.test("an UpdateRequest becomes Failed when its effects are given up, however many there are", async () => {
  const { calls, requests } = setUp();
  const failing = await outcome("failing", "no right");
  for (let index = 0; index < 1_000; index++) {
    requests.worked({ ...failing, request: { ...request, uid: `r-${index}` } });
  }
  requests.worked({ ...await outcome("given up", "still no right"), request: { ...request, uid: "r-7" } });
  await requests.close();
  const failed = calls.map(({ body }) => dig(body, "status")).filter((status) =>
    dig(status, "state") === "Failed"
  );
  assert.deepEqual(failed, [{ state: "Failed", message: "still no right", retryCount: 1 }]);
});

Deno.test("the worker carries out an UpdateRequest of another client and deletes it", async () => {
  const { calls, worked, requests, notice } = setUp({ reads: { "/api/v1/namespaces/team": team } });
  notice(requestNamed("team"));
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(worked.map(({ kind, name }) => `${kind} ${name}`), ["Namespace team"]);
  requests.worked({ ...await outcome("done"), request: worked[0]! });
  await requests.close();
  assert.deepEqual(calls.map(callText), [`DELETE ${path}/theirs`]);
});

Deno.test("an UpdateRequest that is Completed is deleted, and one to Skip stays", async () => {
  const rows = [["Completed", [`DELETE ${path}/theirs`]], ["Skip", []]] as const;
  for (const [state, expected] of rows) {
    for (const isElected of [true, false]) {
      for (const by of ["Postern", "another client"]) {
        const reads = { "/api/v1/namespaces/team": team };
        const { calls, worked, requests, stored, notice } = setUp({ reads });
        const made = { ...requestNamed("team"), ...(by === "Postern" && { metadata: ours }) };
        stored.push({ ...made, status: { state } });
        if (isElected) requests.elected();
        else notice(stored[0]!, made);
        await requests.close();
        assert.deepEqual([calls.map(callText), worked], [expected, []], `${state} ${isElected} ${by}`);
      }
    }
  }
});

Deno.test("an UpdateRequest that loses its room to other requests is carried out again", async () => {
  const { calls, worked, ends, requests, stored, notice } = setUp({
    reads: { "/api/v1/namespaces/team": team },
  });
  stored.push(requestNamed("team"));
  notice(stored[0]!);
  await new Promise((resolve) => setTimeout(resolve));
  ends[0]!("refused");
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(worked.map(({ kind, name }) => `${kind} ${name}`), ["Namespace team", "Namespace team"]);
  requests.worked({ ...await outcome("done"), request: worked[1]! });
  await requests.close();
  assert.deepEqual(calls.map(callText), [`DELETE ${path}/theirs`]);
});

Deno.test("an UpdateRequest for which the worker has no room stays Pending, and is carried out later", async () => {
  const { calls, worked, requests, stored, notice } = setUp({
    reads: { "/api/v1/namespaces/team": team },
    intakes: ["no room", "no room", "taken"],
  });
  stored.push(requestNamed("team"));
  notice(stored[0]!);
  while (worked.length < 3) await new Promise((resolve) => setTimeout(resolve));
  requests.worked({ ...await outcome("done"), request: worked[2]! });
  await requests.close();
  const states = calls.map(callText);
  assert.deepEqual(new Set(states.slice(0, -1)), new Set([`PATCH ${path}/theirs/status Pending`]));
  assert.equal(states.at(-1), `DELETE ${path}/theirs`);
});

Deno.test("an UpdateRequest stays while one of its effects waits for room", async () => {
  const { calls, worked, rules, requests, stored, notice } = setUp({
    reads: { "/api/v1/namespaces/team": team },
    intakes: ["taken", "no room", "taken"],
    wait: () => waited.promise,
  });
  const waited = Promise.withResolvers<boolean>();
  stored.push(requestOf(["quota", "other"]));
  notice(stored[0]!);
  while (worked.length < 2) await new Promise((resolve) => setTimeout(resolve));
  requests.worked({ ...await outcome("done"), request: worked[0]! });
  waited.resolve(true);
  while (worked.length < 3) await new Promise((resolve) => setTimeout(resolve));
  assert.equal(calls.map(callText).includes(`DELETE ${path}/theirs`), false);
  requests.worked({ ...await outcome("done"), request: worked[2]! });
  await requests.close();
  assert.deepEqual(rules, ["quota", "other", "other"]);
  assert.equal(calls.map(callText).filter((text) => text === `DELETE ${path}/theirs`).length, 1);
});

Deno.test("UpdateRequests that lose their room together are looked up together", async () => {
  const { worked, ends, requests, stored, listings, notice } = setUp({
    reads: { "/api/v1/namespaces/team": team },
  });
  for (let index = 0; index < 20; index++) {
    const request = requestNamed("team");
    stored.push({ ...request, metadata: { ...asObject(request["metadata"]), name: `theirs-${index}` } });
  }
  stored.forEach((object) => notice(object));
  while (worked.length < 20) await new Promise((resolve) => setTimeout(resolve));
  for (const ended of ends.slice(0, 20)) ended!("refused");
  while (worked.length < 40) await new Promise((resolve) => setTimeout(resolve));
  await requests.close();
  assert.deepEqual([worked.length, listings()], [40, 1]);
});

Deno.test("an UpdateRequest of another client whose target is missing is deleted", async () => {
  const { calls, worked, requests, notice } = setUp({ reads: { "/api/v1/namespaces/team": team } });
  notice(requestNamed("team"));
  await new Promise((resolve) => setTimeout(resolve));
  requests.worked({ ...await outcome("given up", "not found", "targetMissing"), request: worked[0]! });
  await requests.close();
  assert.deepEqual(calls.map(callText), [`DELETE ${path}/theirs`]);
});

const failing: readonly (readonly [what: string, name: string, intake: Intake, message: RegExp])[] = [
  ["whose trigger never came to be", "nobody", "taken", /^the trigger cannot be read: not found$/],
  ["of a rule that is not about its trigger", "team", "no work", /^no rule quota of policy quotas is about/],
];
for (const [what, name, intake, message] of failing) {
  Deno.test(`an UpdateRequest ${what} has failed`, async () => {
    const reads = { "/api/v1/namespaces/team": team };
    const { calls, requests, notice } = setUp({ reads, intakes: [intake] });
    notice(requestNamed(name));
    await new Promise((resolve) => setTimeout(resolve));
    await requests.close();
    assert.deepEqual(calls.map(callText), [`PATCH ${path}/theirs/status Failed`]);
    assert.match(String(dig(calls[0]?.body, "status", "message")), message);
  });
}

Deno.test("an UpdateRequest returns the effects that it was made from", () => {
  const made = updateRequest({
    name: "ur-1",
    namespace: "kyverno",
    policy: "quotas",
    isClassic: true,
    type: "generate",
    rules: ["a", "b"],
    request,
  });
  const trigger = { apiVersion: "v1", kind: "Namespace", name: "team", uid: "u-team" };
  assert.deepEqual(wantedEffects(made), [
    { policy: "quotas", rule: "a", trigger },
    { policy: "quotas", rule: "b", trigger },
  ]);
});

/** Waits until queued writes have begun. */
const turn = () => new Promise((resolve) => setTimeout(resolve));

const theirs = `${path}/theirs`;
const others: readonly (readonly [what: string, intakes: readonly Intake[]])[] = [
  ["is given up", ["taken", "taken"]],
  ["is not about its trigger", ["no work", "taken"]],
];
for (const [what, intakes] of others) {
  Deno.test(`an UpdateRequest stays Failed when one of its effects ${what} and a later one succeeds`, async () => {
    const { calls, worked, requests, notice } = setUp({
      reads: { "/api/v1/namespaces/team": team },
      intakes,
    });
    notice(requestOf(["quota", "other"]));
    while (worked.length < 2) await turn();
    if (intakes[0] === "taken") {
      requests.worked({ ...await outcome("failing", "no right"), request: worked[0]! });
      requests.worked({ ...await outcome("given up", "no right"), request: worked[0]! });
    }
    requests.worked({ ...await outcome("done"), request: worked[1]! });
    await requests.close();
    const last = calls.at(-1)!;
    assert.equal(callText(last), `PATCH ${theirs}/status Failed`);
    assert.match(String(dig(last.body, "status", "message")), /no right|no rule quota/);
  });
}

Deno.test("an UpdateRequest names every effect that has failed", async () => {
  const { calls, worked, requests, notice } = setUp({ reads: { "/api/v1/namespaces/team": team } });
  notice(requestOf(["quota", "other"]));
  while (worked.length < 2) await turn();
  requests.worked({ ...await outcome("given up", "no right"), request: worked[0]! });
  requests.worked({ ...await outcome("given up", "no source"), request: worked[1]! });
  await requests.close();
  assert.deepEqual(calls.map(callText), [`PATCH ${theirs}/status Failed`]);
  assert.equal(dig(calls[0]!.body, "status", "message"), "no right; no source");
});

Deno.test("the next election tries the failed effects of an UpdateRequest again, and no others", async () => {
  const { calls, worked, rules, requests, stored, notice } = setUp({
    reads: { "/api/v1/namespaces/team": team },
  });
  stored.push({ ...requestOf(["quota", "other"]), metadata: ours, status: { state: "Failed" } });
  notice(stored[0]!);
  while (worked.length < 2) await turn();
  requests.elected();
  await turn();
  requests.worked({ ...await outcome("done"), request: worked[0]! });
  requests.worked({ ...await outcome("given up", "no right"), request: worked[1]! });
  stored[0] = { ...stored[0]!, status: { state: "Failed" } };
  requests.elected();
  while (worked.length < 3) await turn();
  await turn();
  assert.deepEqual(rules, ["quota", "other", "other"]);
  requests.worked({ ...await outcome("done"), request: worked[2]! });
  await requests.close();
  assert.deepEqual(calls.map(callText), [`PATCH ${theirs}/status Failed`, `DELETE ${theirs}`]);
});

Deno.test("an UpdateRequest holds the rules that failed, and no others", async () => {
  const { calls, requests } = setUp();
  const failing = await outcome("failing", "no source");
  const [result] = failing.results;
  const results = [{ ...result!, rules: [{ ...result!.rules[0]!, rule: "early" }, ...result!.rules] }];
  requests.worked({ ...failing, results });
  requests.worked({
    ...failing,
    results,
    state: "given up",
    failures: failing.failures.map((each) => ({ ...each, by: { policy: "quotas", rule: "early" } })),
  });
  await requests.close();
  const contexts = calls.flatMap(({ body }) => {
    const rules = dig(body, "spec", "ruleContext");
    return rules === undefined ? [] : [(rules as Json[]).map((each) => dig(each, "rule"))];
  });
  assert.deepEqual(contexts, [["quota"], ["early"]]);
});

Deno.test("an UpdateRequest becomes Failed also when the last try ended before its rules", async () => {
  const { calls, requests } = setUp();
  requests.worked(await outcome("failing", "no source"));
  const failures = [{ message: "the API server does not answer", retryable: true }];
  requests.worked({ ...await outcome("given up"), results: [], failures });
  await requests.close();
  assert.deepEqual(calls.map(callText).at(-1), `PATCH ${path}/UR/status Failed`);
});

const ours: JsonObject = {
  name: "theirs",
  namespace: "kyverno",
  labels: { "app.kubernetes.io/managed-by": "postern" },
};

Deno.test("the leader leaves an UpdateRequest to the replica that works on it until that gives up", async () => {
  const { worked, requests, stored, notice } = setUp({
    reads: { "/api/v1/namespaces/team": team },
    wait: () => new Promise(() => {}),
  });
  const made = { ...requestOf(["quota"]), metadata: ours };
  stored.push(made);
  notice(made);
  const pending = { ...made, status: { state: "Pending" } };
  notice(pending, made);
  await turn();
  assert.deepEqual(worked, []);
  notice({ ...made, status: { state: "Failed" } }, pending);
  while (worked.length < 1) await turn();
  void requests.close();
});

Deno.test("the leader carries out an UpdateRequest after five minutes when the replica that made it is gone", async () => {
  let waits = 0;
  const { worked, requests, stored, notice } = setUp({
    reads: { "/api/v1/namespaces/team": team },
    wait: () => Promise.resolve(++waits > 0),
  });
  stored.push({ ...requestOf(["quota"]), metadata: ours });
  notice(stored[0]!);
  while (worked.length < 1) await turn();
  await requests.close();
  assert.equal(waits, 10);
});

Deno.test("an UpdateRequest that fails is tried again after longer and longer pauses, and deleted when it fails the fifth time", async () => {
  let rounds = 0;
  const pauses: number[] = [];
  const { calls, worked, requests, stored, notice } = setUp({
    reads: { "/api/v1/namespaces/team": team },
    wait: () => Promise.resolve(++rounds > 0),
  });
  requests.worked(await outcome("failing", "no right"));
  requests.worked(await outcome("given up", "no right"));
  await turn();
  const made = calls[0]!.body as JsonObject;
  const follow = (): void => {
    const status = calls.findLast(({ body }) => dig(body, "status") !== undefined)!.body!;
    const former = stored[0];
    stored[0] = { ...made, status: dig(status, "status")! };
    notice(stored[0], former);
  };
  follow();
  for (let index = 0; index < 4; index++) {
    while (worked.length <= index) await turn();
    pauses.push(rounds);
    rounds = 0;
    requests.worked({ ...await outcome("given up", "no right"), request: worked[index]! });
    await Promise.resolve();
    follow();
  }
  await turn();
  await requests.close();
  const failed = calls.flatMap(({ body }) =>
    dig(body, "status", "state") === "Failed" ? [dig(body, "status", "retryCount")] : []
  );
  assert.deepEqual(failed, [1, 2, 3, 4]);
  assert.deepEqual(pauses, [2, 4, 8, 16]);
  assert.equal(callText(calls.at(-1)!), `DELETE ${path}/UR`);
});

const counted: readonly (readonly [retries: number | undefined, last: string, count: number | undefined])[] =
  [
    [undefined, `PATCH ${theirs}/status Failed`, 1],
    [3, `PATCH ${theirs}/status Failed`, 4],
    [4, `DELETE ${theirs}`, undefined],
  ];
for (const by of ["Postern", "another client"]) {
  for (const [retries, last, count] of counted) {
    Deno.test(`a Failed UpdateRequest of ${by} with ${retries ?? "no"} retries that fails again`, async () => {
      const { calls, worked, requests, stored } = setUp({ reads: { "/api/v1/namespaces/team": team } });
      const status = { state: "Failed", ...(retries !== undefined && { retryCount: retries }) };
      const request = requestOf(["quota"]);
      stored.push({ ...request, ...(by === "Postern" && { metadata: ours }), status });
      requests.elected();
      while (worked.length < 1) await turn();
      stored.length = 0;
      requests.worked({ ...await outcome("given up", "no right"), request: worked[0]! });
      await requests.close();
      assert.equal(callText(calls.at(-1)!), last);
      assert.equal(dig(calls.at(-1)!.body, "status", "retryCount"), count);
    });
  }
}

function requestOf(rules: readonly string[]): JsonObject {
  const trigger = { apiVersion: "v1", kind: "Namespace", name: "team" };
  return {
    ...requestNamed("team"),
    spec: { policy: "quotas", ruleContext: rules.map((rule) => ({ rule, trigger })) },
  };
}

function requestNamed(name: string): JsonObject {
  const trigger = { apiVersion: "v1", kind: "Namespace", name };
  return {
    metadata: { name: "theirs", namespace: "kyverno" },
    spec: { requestType: "generate", policy: "quotas", rule: "quota", resource: trigger },
  };
}
