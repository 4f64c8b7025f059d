/** Admission policies are stored beside their policies, and reports include their results. */
import assert from "node:assert/strict";
import { compile } from "../../lib/engine/mod.ts";
import { completed, dig, isObject, type JsonObject } from "../../lib/json/mod.ts";
import { ObjectDocuments } from "../../lib/live/object_document.ts";
import {
  concernsReports,
  reportedAdmissionPolicies,
} from "../../lib/live/admission_policies/reported_policies.ts";
import { GeneratedPolicies } from "../../lib/live/admission_policies/generated_policies.ts";
import { conversions } from "../../lib/live/admission_policies/conversions.ts";
import type { ApiCall, Cluster, Collections } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { onPods, silent } from "./setting.ts";
import { serving } from "./generated_admission_policies.ts";

Deno.test("reports include labelled admission policies, each with the bindings of its kind", () => {
  const objects = ["Validating", "Mutating"].flatMap((word): JsonObject[] => [
    {
      kind: `${word}AdmissionPolicy`,
      metadata: {
        name: "p",
        ...(word === "Mutating" && { labels: { "reports.kyverno.io/enabled": "true" } }),
      },
    },
    { kind: `${word}AdmissionPolicyBinding`, metadata: { name: "b" }, spec: { policyName: "p" } },
  ]);
  assert.deepEqual(
    reportedAdmissionPolicies(objects, new ObjectDocuments()).map(({ value }) =>
      isObject(value) ? value["kind"] : value
    ),
    ["MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding"],
  );
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

const reported: readonly (readonly [
  what: string,
  name: string,
  labels: JsonObject,
  spec: JsonObject,
  concerns: boolean,
])[] = [
  ["a policy with the label", "a", { "reports.kyverno.io/enabled": "true" }, {}, true],
  ["a policy without it", "a", {}, {}, false],
  ["somebody's binding", "a", {}, { policyName: "a" }, true],
  ["a policy that Postern made", "vpol-a", { "app.kubernetes.io/managed-by": "kyverno" }, {}, false],
  ["a binding that Postern made", "vpol-a-binding", { "app.kubernetes.io/managed-by": "kyverno" }, {
    policyName: "vpol-a",
  }, false],
];
for (const [what, name, labels, spec, concerns] of reported) {
  Deno.test(`a change of ${what} ${concerns ? "loads the policies that reports need again" : "loads nothing"}`, () => {
    assert.equal(concernsReports({ metadata: { name, labels }, spec }), concerns);
  });
}

for (const refusing of [false, true]) {
  const title = refusing ? "the API server refuses it" : "the API server has had time to enforce it";
  Deno.test(`an admission policy replaces a webhook when ${title}: ${!refusing}`, async () => {
    const { cluster, collections, calls } = storing(refusing);
    const later: (() => void)[] = [];
    let changes = 0;
    const keeper = new GeneratedPolicies({
      cluster,
      collections,
      log: silent,
      leads: () => true,
      after: (_, task) => void later.push(task),
      changed: () => void changes++,
    });
    await keeper.follow(serving());
    const wanted = completed(
      conversions(compile(parseDocuments(asAdmissionPolicy, "p.yaml").documents), serving()),
    );
    assert.equal(wanted[0]?.objects.length, 2);
    const made = await keeper.write(wanted);
    assert.deepEqual(calls, ["POST validatingadmissionpolicies", "POST validatingadmissionpolicybindings"]);
    assert.equal(keeper.isEnforced(wanted[0]!), false);
    for (const task of later) task();
    assert.equal(keeper.isEnforced(wanted[0]!), !refusing);
    assert.equal(changes, refusing ? 0 : 1);
    assert.equal(made[0]!.message, refusing ? "is invalid" : "");
    await keeper.write([]);
    assert.equal(keeper.isEnforced(wanted[0]!), false);
    await keeper.close();
  });
}
