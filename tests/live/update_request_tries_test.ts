/** UpdateRequests are tried again by leaders, after longer and longer pauses. */
import assert from "node:assert/strict";
import { dig, type JsonObject } from "../../lib/json/mod.ts";
import {
  callText,
  effectsResult,
  ours,
  path,
  requestOf,
  setUp,
  team,
  theirs,
  turn,
} from "./update_request_setting.ts";

Deno.test("the next election tries the failed effects of an UpdateRequest again, and no others", async () => {
  const { calls, worked, rules, requests, stored, notice } = setUp({
    reads: { "/api/v1/namespaces/team": team },
  });
  stored.push({ ...requestOf(["quota", "other"]), metadata: ours, status: { state: "Failed" } });
  notice(stored[0]!);
  while (worked.length < 2) await turn();
  requests.elected();
  await turn();
  requests.effectsTried({ ...await effectsResult("done"), request: worked[0]! });
  requests.effectsTried({ ...await effectsResult("given up", "no right"), request: worked[1]! });
  stored[0] = { ...stored[0]!, status: { state: "Failed" } };
  requests.elected();
  while (worked.length < 3) await turn();
  await turn();
  assert.deepEqual(rules, ["quota", "other", "other"]);
  requests.effectsTried({ ...await effectsResult("done"), request: worked[2]! });
  await requests.close();
  assert.deepEqual(calls.map(callText), [`PATCH ${theirs}/status Failed`, `DELETE ${theirs}`]);
});

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
  requests.effectsTried(await effectsResult("failing", "no right"));
  requests.effectsTried(await effectsResult("given up", "no right"));
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
    requests.effectsTried({ ...await effectsResult("given up", "no right"), request: worked[index]! });
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
      requests.effectsTried({ ...await effectsResult("given up", "no right"), request: worked[0]! });
      await requests.close();
      assert.equal(callText(calls.at(-1)!), last);
      assert.equal(dig(calls.at(-1)!.body, "status", "retryCount"), count);
    });
  }
}
