import assert from "node:assert/strict";
import type { Effect } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { carryOut } from "../../lib/background/mod.ts";
import type { Answer, ApiCall, Cluster } from "../../lib/ports.ts";

const kinds: Readonly<Record<string, { plural: string; namespaced: boolean }>> = {
  "v1/ConfigMap": { plural: "configmaps", namespaced: true },
  "apps/v1/Deployment": { plural: "deployments", namespaced: true },
  "v1/Namespace": { plural: "namespaces", namespaced: false },
};

/** A cluster that answers every call alike, and keeps the calls. */
function cluster(answer: Answer): Cluster & { readonly calls: ApiCall[] } {
  const calls: ApiCall[] = [];
  return {
    calls,
    call: (call) => (calls.push(call), Promise.resolve(answer)),
    resource: (apiVersion, kind) => {
      const found = kinds[`${apiVersion}/${kind}`];
      const [version = "", group = ""] = apiVersion.split("/").reverse();
      return Promise.resolve(found && { group, version, kind, ...found });
    },
  };
}

const map: JsonObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "n", uid: "u" },
};
const deployment: JsonObject = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "d" } };
const scale: JsonObject = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "d" } };
const space: JsonObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: "s", namespace: "odd" } };

function effect(verb: Effect["verb"], object: JsonObject, rest: Partial<Effect> = {}): Effect {
  return { verb, object, policy: "p", rule: "r", reason: "because", ...rest };
}

const calls: [effect: Effect, method: string, path: string][] = [
  [effect("create", map), "POST", "/api/v1/namespaces/n/configmaps"],
  [effect("update", map), "PUT", "/api/v1/namespaces/n/configmaps/a"],
  [effect("delete", map), "DELETE", "/api/v1/namespaces/n/configmaps/a"],
  [
    effect("apply", map),
    "PATCH",
    "/api/v1/namespaces/n/configmaps/a?fieldManager=kyverno-generate&force=true",
  ],
  [effect("update", deployment), "PUT", "/apis/apps/v1/namespaces/default/deployments/d"],
  [
    effect("update", scale, { subresource: { apiVersion: "apps/v1", kind: "Deployment", name: "scale" } }),
    "PUT",
    "/apis/apps/v1/namespaces/default/deployments/d/scale",
  ],
  [
    effect("update", deployment, {
      subresource: { apiVersion: "apps/v1", kind: "Deployment", name: "scale?dryRun=All" },
    }),
    "PUT",
    "/apis/apps/v1/namespaces/default/deployments/d/scale%3FdryRun%3DAll",
  ],
  [effect("create", space), "POST", "/api/v1/namespaces"],
  [
    effect("delete", { ...map, metadata: { name: "../x", namespace: "a/b" } }),
    "DELETE",
    "/api/v1/namespaces/a%2Fb/configmaps/..%2Fx",
  ],
];

for (const [given, method, path] of calls) {
  Deno.test(`to ${given.verb} ${given.object["kind"]}${given.subresource ? "'s part" : ""} is ${method} ${path}`, async () => {
    const api = cluster({ ok: true, status: 200, body: {} });
    assert.deepEqual(await carryOut(given, api), { done: true, changed: true });
    assert.deepEqual([api.calls[0]?.method, api.calls[0]?.path], [method, path]);
  });
}

Deno.test("a deletion has the uid of its object as precondition", async () => {
  const api = cluster({ ok: true, status: 200, body: {} });
  await carryOut(effect("delete", map), api);
  assert.deepEqual((api.calls[0]?.body as JsonObject)["preconditions"], { uid: "u" });
});

Deno.test("a cluster-wide object has no namespace", async () => {
  const api = cluster({ ok: true, status: 201, body: {} });
  await carryOut(effect("create", space), api);
  assert.deepEqual((api.calls[0]?.body as JsonObject)["metadata"], { name: "s" });
});

const answers: [verb: Effect["verb"], status: number | undefined, carried: string][] = [
  ["create", 409, "done"],
  ["delete", 404, "done"],
  ["update", 404, "later"],
  ["update", 409, "later"],
  ["create", 403, "later"],
  ["create", 500, "later"],
  ["create", undefined, "later"],
  ["create", 422, "never"],
  ["apply", 400, "never"],
];

for (const [verb, status, expected] of answers) {
  Deno.test(`to ${verb}, answered with ${status ?? "nothing"}, is ${expected === "done" ? "done" : `tried ${expected}`}`, async () => {
    const carried = await carryOut(effect(verb, map), cluster({ ok: false, status, message: "no" }));
    const state = carried.done ? "done" : carried.retryable ? "later" : "never";
    assert.equal(state, expected);
  });
}

Deno.test("an effect on a kind that is not served is retried", async () => {
  const carried = await carryOut(
    effect("create", { ...map, kind: "Thing" }),
    cluster({ ok: true, status: 200, body: {} }),
  );
  assert.deepEqual(carried, { done: false, message: "the cluster does not serve v1/Thing", retryable: true });
});

Deno.test("an update whose object was as wanted, with the defaults of the API server, changes nothing", async () => {
  const versioned = (resourceVersion: string): JsonObject => ({
    ...map,
    metadata: { ...map["metadata"] as JsonObject, resourceVersion },
  });
  for (const [stored, changed] of [["7", false], ["8", true]] as const) {
    const api = cluster({ ok: true, status: 200, body: versioned(stored) });
    assert.deepEqual(await carryOut(effect("update", versioned("7")), api), { done: true, changed });
  }
});

Deno.test("an object with a whole number beyond 2^53 is not written, because its digits would change", async () => {
  const object = { ...map, data: [{ id: 9007199254740993 }] };
  for (const verb of ["create", "update", "apply"] as const) {
    const stored = cluster({ ok: true, status: 200, body: null });
    const carried = await carryOut(effect(verb, object), stored);
    assert(!carried.done && !carried.retryable);
    assert.match(
      carried.message,
      /^data\[0\]\.id is a whole number beyond 2\^53.* keep such numbers as texts$/,
    );
    assert.deepEqual(stored.calls, []);
  }
  assert((await carryOut(effect("delete", object), cluster({ ok: true, status: 200, body: null }))).done);
  const float = { ...map, data: [{ most: 1e300, least: -9007199254740991 }] };
  assert((await carryOut(effect("update", float), cluster({ ok: true, status: 200, body: null }))).done);
});
