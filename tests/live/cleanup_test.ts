/** Cleanups delete what they evaluated, and nothing that their policies leave out. */
import assert from "node:assert/strict";
import { compile } from "../../lib/engine/mod.ts";
import type { Json, JsonObject } from "../../lib/json/mod.ts";
import type { Cleaner } from "../../lib/live/mod.ts";
import { policyObjectKinds } from "../../lib/policy/mod.ts";
import type { Discovery, ServedResource } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import {
  almostDue,
  clusterWith,
  configMap,
  configMaps,
  configMapsPath,
  deleting,
  idle,
  namesIn,
} from "./cleanup_setting.ts";
import { cleanerIn, cleanup } from "./cleaner_setting.ts";

const interruptions: readonly (readonly [
  what: string,
  interrupt: (cleaner: Cleaner, lose: () => void) => void,
])[] = [
  ["its policy is deleted", (cleaner) => cleaner.policies([])],
  ["its policy changes", (cleaner) => cleaner.policies([cleanup({ schedule: "0 0 1 1 *" })])],
  ["another replica leads", (_cleaner, lose) => lose()],
  ["Postern stops", (cleaner) => cleaner.close()],
];
for (const [what, interrupt] of interruptions) {
  Deno.test(`a cleanup deletes nothing more when ${what}`, async () => {
    let leads = true;
    const begun = Promise.withResolvers<void>();
    const cluster = clusterWith([configMap("a"), configMap("b")], {
      clock: almostDue,
      deleting() {
        interrupt(cleaner, () => leads = false);
        begun.resolve();
      },
    });
    const { cleaner } = cleanerIn(cluster, { leads: () => leads });
    cleaner.policies([cleanup()]);
    await begun.promise;
    await idle();
    cleaner.close();
    assert.deepEqual(await namesIn(cluster), ["b"]);
  });
}

Deno.test("a cleanup of Leases deletes them, and one of everything leaves them alone", async () => {
  const leases: ServedResource = {
    ...configMaps,
    group: "coordination.k8s.io",
    kind: "Lease",
    plural: "leases",
    verbs: ["list", "delete"],
  };
  const rule = (resources: string[]): JsonObject => ({
    matchConstraints: { resourceRules: [{ apiGroups: ["*"], apiVersions: ["v1"], resources }] },
  });
  const rows = [[rule(["leases"]), ["leases"]], [rule(["*"]), ["configmaps"]]] as const;
  for (const [spec, deleted] of rows) {
    const paths: string[] = [];
    const lease = { ...configMap("l"), apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
    const cluster = clusterWith([configMap("a"), lease], {
      clock: almostDue,
      deleting: ({ path }) => void paths.push(path.split("/").at(-2)!),
    });
    const discovery: Discovery = {
      resources: () => Promise.resolve({ ok: true, resources: [configMaps, leases] }),
    };
    const { cleaner } = cleanerIn(cluster, { discovery });
    const { kind, object } = deleting();
    cleaner.policies([{ kind, object: { ...object, spec: { schedule: "* * * * *", ...spec } } }]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await idle();
    cleaner.close();
    assert.deepEqual(paths, deleted);
  }
});

const ofNamespace: readonly (readonly [kind: string, spec: JsonObject])[] = [
  ["CleanupPolicy", { match: { any: [{ resources: { kinds: ["ConfigMap", "Namespace"] } }] } }],
  ["NamespacedDeletingPolicy", {
    matchConstraints: {
      resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps", "namespaces"] }],
    },
  }],
];
for (const [name, spec] of ofNamespace) {
  Deno.test(`a ${name} deletes neither its Namespace nor objects of others`, async () => {
    const deleted: string[] = [];
    const namespace = (name: string): JsonObject => ({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, uid: name },
    });
    const elsewhere = { ...configMap("b"), metadata: { name: "b", namespace: "victim", uid: "b" } };
    const objects = [namespace("default"), namespace("victim"), configMap("a"), elsewhere];
    const cluster = clusterWith(objects, {
      clock: almostDue,
      deleting: ({ path }) => void deleted.push(path),
    });
    const served = [
      { ...configMaps, kind: "Namespace", plural: "namespaces", namespaced: false },
      configMaps,
    ];
    const { cleaner } = cleanerIn(cluster, {
      discovery: { resources: () => Promise.resolve({ ok: true, resources: served }) },
    });
    const kind = policyObjectKinds.find((each) => each.kind === name)!;
    cleaner.policies([{
      kind,
      object: {
        apiVersion: `${kind.group}/${kind.version}`,
        kind: name,
        metadata: { name: "p", namespace: "default", uid: "u" },
        spec: { schedule: "* * * * *", ...spec },
      },
    }]);
    while (deleted.length === 0) await idle();
    await idle();
    cleaner.close();
    assert.deepEqual(deleted, [`${configMapsPath}/a`]);
  });
}

Deno.test("a cleanup deletes the object that it evaluated, and none that took its name", async () => {
  const bodies: Json[] = [];
  const begun = Promise.withResolvers<void>();
  const cluster = clusterWith([configMap("a")], {
    clock: almostDue,
    deleting({ body = null }) {
      bodies.push(body);
      cleaner.close();
      begun.resolve();
    },
  });
  const { cleaner } = cleanerIn(cluster);
  cleaner.policies([cleanup({ deletionPropagationPolicy: "Orphan" })]);
  await begun.promise;
  assert.deepEqual(bodies, [{
    apiVersion: "v1",
    kind: "DeleteOptions",
    preconditions: { uid: "a" },
    propagationPolicy: "Orphan",
  }]);
});

const filters: readonly (readonly [what: string, filters: string | undefined, left: readonly string[]])[] = [
  ["the namespaces that run the cluster", undefined, ["kube-system"]],
  ["nothing where there are no filters", "", []],
  ["objects of the installation's filters", "[ConfigMap,default,a]", ["default"]],
];
for (const [what, resourceFilters, left] of filters) {
  Deno.test(`a cleanup leaves alone ${what}`, async () => {
    const deleted: string[] = [];
    const objects = [configMap("a"), configMap("a", {}, "kube-system"), configMap("a", {}, "other")];
    const cluster = clusterWith(objects, {
      clock: almostDue,
      deleting: ({ path }) => void deleted.push(path.split("/")[4]!),
    });
    const { cleaner } = cleanerIn(cluster, { resourceFilters: () => resourceFilters });
    cleaner.policies([cleanup()]);
    while (deleted.length === 0) await idle();
    await idle();
    cleaner.close();
    const all = ["default", "kube-system", "other"];
    assert.deepEqual([...new Set(deleted)].sort(), all.filter((name) => !left.includes(name)));
  });
}

for (const reportResult of ["skip", "pass"]) {
  Deno.test(`a deleting policy leaves alone what an exception with result ${reportResult} exempts`, async () => {
    const exceptions = compile([
      ...parseDocuments(
        `apiVersion: policies.kyverno.io/v1
kind: PolicyException
metadata: {name: e, namespace: default}
spec:
  policyRefs: [{name: p, kind: DeletingPolicy}]
  reportResult: ${reportResult}
  matchConditions: [{name: kept, expression: "object.metadata.name == 'kept'"}]`,
        "exception.yaml",
      ).documents,
    ], { dialect: "current" }).others;
    const cluster = clusterWith([configMap("a"), configMap("kept")], { clock: almostDue });
    const { cleaner, events } = cleanerIn(cluster);
    cleaner.policies([deleting()], exceptions);
    while (events.length === 0) await idle();
    await idle();
    cleaner.close();
    assert.deepEqual(await namesIn(cluster), ["kept"]);
    assert.equal(events[0]!.message, "successfully deleted the target resource ConfigMap/default/a");
  });
}

Deno.test("a run that lacks rights says so in one event of its policy", async () => {
  const cluster = clusterWith([configMap("a")], { clock: almostDue });
  const { cleaner, events } = cleanerIn({
    ...cluster,
    call: (call) =>
      call.path.endsWith("/subjectaccessreviews") && JSON.stringify(call.body).includes('"delete"')
        ? Promise.resolve({ ok: true, status: 201, body: { status: { allowed: false } } })
        : cluster.call(call),
  });
  cleaner.policies([deleting()]);
  while (events.length === 0) await idle();
  cleaner.close();
  assert.equal(events[0]!.reason, "PolicyError");
  assert.match(
    events[0]!.message,
    /^failed to delete resources: system:serviceaccount:kyverno:cleanup has no permission to delete configmaps; grant/,
  );
});

Deno.test("a cleanup for which the API server does not list its resources is logged", async () => {
  const failed = Promise.withResolvers<void>();
  const { cleaner, lines } = cleanerIn(clusterWith([], { clock: almostDue }), {
    discovery: {
      resources() {
        failed.resolve();
        return Promise.resolve({ ok: false, message: "busy" });
      },
    },
  });
  cleaner.policies([cleanup()]);
  await failed.promise;
  await Promise.resolve();
  cleaner.close();
  assert.deepEqual(lines, ["a cleanup was put off: the cluster's resources were not read"]);
});
