/** What statuses say of policies, and when admission policies stand in for webhooks. */
import assert from "node:assert/strict";
import { fixedClock } from "../adapters/fakes.ts";
import { compile } from "../../lib/engine/mod.ts";
import { dig, isObject, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { GeneratedPolicies } from "../../lib/live/admission_policies/generated_policies.ts";
import { generations } from "../../lib/live/admission_policies/wanted.ts";
import { celStatus } from "../../lib/live/cel_status.ts";
import { classicStatus } from "../../lib/live/classic_status.ts";
import { policyObjectKinds } from "../../lib/live/policy_kinds.ts";
import { missingRights } from "../../lib/live/reporting_rights.ts";
import { StatusWriter } from "../../lib/live/status.ts";
import type { ApiCall, Cluster, Collections, Log } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

function compiled(text: string) {
  const { policies } = compile(parseDocuments(text, "p.yaml").documents, { dialect: "current" });
  return policies[0]!;
}

const silent: Log = { write: () => {} };

const onPods = `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: p, uid: u}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  validations: [{expression: "object.spec.hostNetwork != true"}]
`;

const enforcement = { configured: true, generated: false, missingRights: [] };

Deno.test("status: the specs for controllers are there whole, under Kyverno's names", () => {
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
    { configured: true, admissionPolicy: { generated: false, message: "" } },
  );
  const rules = dig(status, "autogen", "rules") as readonly Json[];
  assert.deepEqual(dig(rules[0]!, "match", "resources"), {});
});

Deno.test("status: what the account that reports may not read is named in Kyverno's words", async () => {
  const asked: string[] = [];
  const missing = await missingRights(
    compiled(onPods.replace("resources: [pods]", "resources: [pods, pods/exec]")),
    ({ verb, resource, subresource = "" }) => {
      asked.push(`${verb} ${resource}/${subresource}`);
      return Promise.resolve({ allowed: subresource === "", reason: "" });
    },
  );
  assert.equal(asked.length, 6);
  assert.deepEqual(missing, [
    "get /v1, Resource=pods/exec: ",
    "list /v1, Resource=pods/exec: ",
    "watch /v1, Resource=pods/exec: ",
  ]);
  const status = celStatus(compiled(onPods), { ...enforcement, missingRights: missing.slice(0, 2) });
  assert.equal(dig(status, "conditionStatus", "ready"), false);
  assert.match(
    JSON.stringify(status),
    /missing permissions: get \/v1, Resource=pods\/exec: ; list \/v1, Resource=pods\/exec: \./,
  );
});

Deno.test("status: nothing of a field's former value stays, and other fields are left alone", async () => {
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

/** An API server that stores objects, or refuses them. */
function storing(refusing: boolean): { cluster: Cluster; collections: Collections; calls: string[] } {
  const stored = new Map<string, JsonObject>();
  const calls: string[] = [];
  return {
    calls,
    cluster: {
      call: ({ method, path, body }: ApiCall) => {
        if (method === "GET") {
          const found = stored.get(path);
          return Promise.resolve(
            found === undefined
              ? { ok: false, status: 404, message: "not found" }
              : { ok: true, status: 200, body: found },
          );
        }
        calls.push(`${method} ${path.split("/").at(-1)}`);
        if (refusing) return Promise.resolve({ ok: false, status: 422, message: "is invalid" });
        if (method === "DELETE") stored.delete(path);
        if (!isObject(body)) return Promise.resolve({ ok: true, status: 200, body: {} });
        stored.set(`${path}/${dig(body, "metadata", "name")}`, body);
        return Promise.resolve({ ok: true, status: 201, body });
      },
      resource: () => Promise.resolve(undefined),
    },
    collections: {
      watch: () => ({
        objects: () => [...stored.values()],
        synced: Promise.resolve(),
        close: () => Promise.resolve(),
      }),
    },
  };
}

const asAdmissionPolicy = onPods.replace(
  "spec:\n",
  "spec:\n  autogen: {podControllers: {controllers: []}, validatingAdmissionPolicy: {enabled: true}}\n",
);

for (const refusing of [false, true]) {
  const title = refusing ? "the API server refuses it" : "the API server has had time to enforce it";
  Deno.test(`an admission policy takes the place of a webhook when ${title}: ${!refusing}`, async () => {
    const { cluster, collections, calls } = storing(refusing);
    const later: (() => void)[] = [];
    let changes = 0;
    const generated = new GeneratedPolicies({
      cluster,
      collections,
      log: silent,
      leads: () => true,
      after: (_, task) => void later.push(task),
      changed: () => void changes++,
    });
    const { policies } = compile(parseDocuments(asAdmissionPolicy, "p.yaml").documents);
    const wanted = generations({ ...compile([]), policies }, []);
    assert.equal(wanted[0]?.objects.length, 2);
    const made = await generated.write(wanted);
    assert.deepEqual(calls, ["POST validatingadmissionpolicies", "POST validatingadmissionpolicybindings"]);
    assert.equal(generated.isEnforced(wanted[0]!), false);
    for (const task of later) task();
    assert.equal(generated.isEnforced(wanted[0]!), !refusing);
    assert.equal(changes, refusing ? 0 : 1);
    assert.equal(made[0]!.message, refusing ? "is invalid" : "");
    await generated.write([]);
    assert.equal(generated.isEnforced(wanted[0]!), false);
    await generated.close();
  });
}

Deno.test("a policy that is also about controllers is not made into an admission policy, which would forget them", () => {
  const text = onPods.replace(
    "spec:\n",
    "spec:\n  autogen: {validatingAdmissionPolicy: {enabled: true}}\n",
  );
  const { policies } = compile(parseDocuments(text, "p.yaml").documents);
  assert.deepEqual(generations({ ...compile([]), policies }, []), []);
});
