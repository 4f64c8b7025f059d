/** The worker takes the UpdateRequests of other clients, and those that lost their room. */
import assert from "node:assert/strict";
import type { Intake } from "../../lib/background/mod.ts";
import { asObject, dig } from "../../lib/json/mod.ts";
import {
  callText,
  effectsResult,
  ours,
  path,
  requestNamed,
  requestOf,
  setUp,
  team,
  theirs,
  turn,
} from "./update_request_setting.ts";

Deno.test("the worker carries out an UpdateRequest of another client and deletes it", async () => {
  const { calls, worked, requests, notice } = setUp({ reads: { "/api/v1/namespaces/team": team } });
  notice(requestNamed("team"));
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(worked.map(({ kind, name }) => `${kind} ${name}`), ["Namespace team"]);
  requests.effectsTried({ ...await effectsResult("done"), request: worked[0]! });
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
  requests.effectsTried({ ...await effectsResult("done"), request: worked[1]! });
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
  requests.effectsTried({ ...await effectsResult("done"), request: worked[2]! });
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
  requests.effectsTried({ ...await effectsResult("done"), request: worked[0]! });
  waited.resolve(true);
  while (worked.length < 3) await new Promise((resolve) => setTimeout(resolve));
  assert.equal(calls.map(callText).includes(`DELETE ${path}/theirs`), false);
  requests.effectsTried({ ...await effectsResult("done"), request: worked[2]! });
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
  requests.effectsTried({
    ...await effectsResult("given up", "not found", "targetMissing"),
    request: worked[0]!,
  });
  await requests.close();
  assert.deepEqual(calls.map(callText), [`DELETE ${path}/theirs`]);
});

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
      requests.effectsTried({ ...await effectsResult("failing", "no right"), request: worked[0]! });
      requests.effectsTried({ ...await effectsResult("given up", "no right"), request: worked[0]! });
    }
    requests.effectsTried({ ...await effectsResult("done"), request: worked[1]! });
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
  requests.effectsTried({ ...await effectsResult("given up", "no right"), request: worked[0]! });
  requests.effectsTried({ ...await effectsResult("given up", "no source"), request: worked[1]! });
  await requests.close();
  assert.deepEqual(calls.map(callText), [`PATCH ${theirs}/status Failed`]);
  assert.equal(dig(calls[0]!.body, "status", "message"), "no right; no source");
});
