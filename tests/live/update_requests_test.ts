/** Effects that fail have an UpdateRequest, until they are done or given up. */
import assert from "node:assert/strict";
import type { Intake } from "../../lib/background/mod.ts";
import { existingRequest } from "../../lib/background/mod.ts";
import type { PolicyRequest } from "../../lib/engine/mod.ts";
import { dig, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { updateRequest, wantedEffects } from "../../lib/live/mod.ts";
import type { ApiCall } from "../../lib/ports.ts";
import {
  callText,
  effectsResult,
  path,
  request,
  requestNamed,
  setUp,
  team,
} from "./update_request_setting.ts";

Deno.test("effects that fail have an UpdateRequest with the reason, until they are done", async () => {
  const { calls, requests } = setUp();
  requests.effectsTried(await effectsResult("failing", "no source"));
  requests.effectsTried(await effectsResult("given up", "no source"));
  requests.effectsTried(await effectsResult("done"));
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
  requests.effectsTried(await effectsResult("done"));
  await requests.close();
  assert.deepEqual(calls, []);
});

for (const nothingToDo of ["notStored", "targetMissing"] as const) {
  Deno.test(`effects without an object to change (${nothingToDo}) have no UpdateRequest`, async () => {
    const { calls, requests } = setUp();
    requests.effectsTried(await effectsResult("failing", "nothing there", nothingToDo));
    requests.effectsTried(await effectsResult("given up", "nothing there", nothingToDo));
    await requests.close();
    assert.deepEqual(calls, []);
  });
}

Deno.test("an UpdateRequest is deleted once its blocking target is missing", async () => {
  const { calls, requests } = setUp();
  requests.effectsTried(await effectsResult("failing", "no right"));
  requests.effectsTried(await effectsResult("given up", "not found", "targetMissing"));
  await requests.close();
  assert.deepEqual(calls.map(callText).at(-1), `DELETE ${path}/UR`);
});

Deno.test("an UpdateRequest is deleted when its trigger was deleted while the effects waited", async () => {
  const { calls, requests } = setUp();
  requests.effectsTried(await effectsResult("failing", "no source"));
  requests.effectsTried({
    ...await effectsResult("given up", "the CREATE cannot be seen", "notStored"),
    results: [],
  });
  await requests.close();
  assert.deepEqual(calls.map(callText).at(-1), `DELETE ${path}/UR`);
});

Deno.test("the deletion of a trigger deletes the UpdateRequests that failed for it, and no others", async () => {
  const { calls, requests, stored } = setUp();
  requests.effectsTried(await effectsResult("failing", "no source"));
  requests.effectsTried(await effectsResult("given up", "no source"));
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
  requests.effectsTried({ ...await effectsResult("done"), request: deletion });
  await requests.close();
  assert.deepEqual(calls.filter(({ method }) => method === "DELETE").map(callText), [`DELETE ${path}/UR`]);
});

Deno.test("an UpdateRequest of Postern whose trigger is gone is deleted by the next leader", async () => {
  const { calls, requests } = setUp();
  requests.effectsTried(await effectsResult("failing", "no source"));
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
  requests.effectsTried({ ...await effectsResult("failing", "no right"), request: about("red") });
  requests.effectsTried({ ...await effectsResult("done"), request: about("blue") });
  await requests.close();
  assert.deepEqual(calls.map(({ method }) => method), ["POST", "PATCH"]);
});

Deno.test("no more than 1,000 UpdateRequests are kept at a time", async () => {
  const { calls, requests } = setUp();
  const failing = await effectsResult("failing", "no right");
  for (let index = 0; index < 1_001; index++) {
    requests.effectsTried({ ...failing, request: { ...request, uid: `r-${index}` } });
  }
  await requests.close();
  const created = calls.filter(({ method }) => method === "POST").length;
  assert.equal(created, 1_000);
});

Deno.test("UpdateRequests that could not be created take no room of later ones", async () => {
  let refuses = true;
  const { calls, requests } = setUp({
    writes: ({ method }) =>
      refuses && method === "POST" ? { ok: false, status: 403, message: "no right" } : undefined,
  });
  const failing = await effectsResult("failing", "no right");
  for (let index = 0; index < 1_000; index++) {
    requests.effectsTried({ ...failing, request: { ...request, uid: `r-${index}` } });
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  refuses = false;
  const before = calls.length;
  requests.effectsTried({ ...failing, request: { ...request, uid: "later" } });
  await requests.close();
  assert.deepEqual(calls.slice(before).map(({ method }) => method), ["POST", "PATCH"]);
});

Deno.test("an UpdateRequest becomes Failed when its effects are given up, however many there are", async () => {
  const { calls, requests } = setUp();
  const failing = await effectsResult("failing", "no right");
  for (let index = 0; index < 1_000; index++) {
    requests.effectsTried({ ...failing, request: { ...request, uid: `r-${index}` } });
  }
  requests.effectsTried({
    ...await effectsResult("given up", "still no right"),
    request: { ...request, uid: "r-7" },
  });
  await requests.close();
  const failed = calls.map(({ body }) => dig(body, "status")).filter((status) =>
    dig(status, "state") === "Failed"
  );
  assert.deepEqual(failed, [{ state: "Failed", message: "still no right", retryCount: 1 }]);
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

Deno.test("an UpdateRequest holds the rules that failed, and no others", async () => {
  const { calls, requests } = setUp();
  const failing = await effectsResult("failing", "no source");
  const [result] = failing.results;
  const results = [{ ...result!, rules: [{ ...result!.rules[0]!, rule: "early" }, ...result!.rules] }];
  requests.effectsTried({ ...failing, results });
  requests.effectsTried({
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
  requests.effectsTried(await effectsResult("failing", "no source"));
  const failures = [{ message: "the API server does not answer", retryable: true }];
  requests.effectsTried({ ...await effectsResult("given up"), results: [], failures });
  await requests.close();
  assert.deepEqual(calls.map(callText).at(-1), `PATCH ${path}/UR/status Failed`);
});
