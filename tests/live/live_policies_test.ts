/** Policies from files and from the cluster, in one snapshot. */
import assert from "node:assert/strict";
import { EmbeddedCluster } from "../../lib/embedded/mod.ts";
import { LiveCollections, systemClock } from "../../lib/adapters/mod.ts";
import type { Snapshot } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { LivePolicies } from "../../lib/live/mod.ts";
import type { ApiCall } from "../../lib/ports.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { countingEntropy } from "../adapters/fakes.ts";

function policy(name: string, message: string): string {
  return `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: ${name}}
spec:
  rules:
  - name: team
    match: {any: [{resources: {kinds: [ConfigMap]}}]}
    validate: {message: ${message}, pattern: {metadata: {labels: {team: "?*"}}}}
`;
}

function parsed(...texts: readonly string[]) {
  return parseDocuments(texts.join("---"), "policies.yaml").documents;
}

/** Policies of a cluster whose objects the texts are; `written` are those of files. */
async function started(objects: readonly string[], written: readonly string[]) {
  const definition: JsonObject = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "clusterpolicies.kyverno.io" },
    spec: {
      group: "kyverno.io",
      scope: "Cluster",
      names: { kind: "ClusterPolicy", plural: "clusterpolicies" },
      versions: [{ name: "v1", served: true }],
    },
  };
  const clock = systemClock(), entropy = countingEntropy();
  const inner = new EmbeddedCluster({
    objects: [definition, ...parsed(...objects).map(({ value }) => value)],
    clock,
    entropy,
  });
  const cluster = {
    call: (call: ApiCall) => inner.call(call),
    resource: (...type: [string, string]) => inner.resource(...type),
    follow: () => Promise.resolve({ ok: false, status: 403, message: "no watches here" } as const),
  };
  const snapshots: Snapshot[] = [], lines: string[] = [];
  const collections = new LiveCollections({ cluster, clock, entropy });
  const files = parsed(...written);
  const account = "system:serviceaccount:postern:postern";
  const policies = new LivePolicies({
    cluster,
    collections,
    clock,
    discovery: { resources: () => Promise.resolve({ ok: true, resources: [] }) },
    log: {
      write: (level, message, fields = {}) =>
        void lines.push(`${level} ${message} ${String(fields["name"] ?? "")}`),
    },
    installation: {
      namespace: "postern",
      service: "postern",
      servicePort: 443,
      prefix: "postern",
      path: "",
      caBundle: () => undefined,
      configMap: "postern",
      accounts: { background: account, reports: account, cleanup: account },
    },
    compiling: { dialect: "current" },
    files: () => files,
    loaded: (snapshot) => void snapshots.push(snapshot),
    leads: () => false,
    leaves: () => Promise.resolve(false),
    exceptionNamespace: "*",
  });
  await policies.start();
  await policies.close();
  return { snapshots, lines };
}

function origins(snapshot: Snapshot): Readonly<Record<string, string>> {
  return Object.fromEntries(
    snapshot.policies.map(({ policy }) =>
      [policy.key, JSON.stringify(policy.document).match(/from an? \w+/)![0]] as const
    ),
  );
}

Deno.test("of a file and an object of one name the file's policy is in force, and the log says so", async () => {
  const { snapshots, lines } = await started(
    [policy("same", "from an object"), policy("other", "from an object")],
    [policy("same", "from a file")],
  );
  assert.deepEqual(snapshots.map(origins), [{ same: "from a file", other: "from an object" }]);
  const said = "warn a file has a policy of the same name: the object has no effect same";
  assert.deepEqual(lines.filter((line) => line.includes("same name")), [said]);
});
