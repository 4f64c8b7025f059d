/**
 * The dashboard's queries, as a real Prometheus that reads a real Postern answers them (`tests/e2e/prometheus_tool`).
 */
import assert from "node:assert/strict";
import { panels } from "../../lib/server/metrics/dashboard.ts";
import { freePort, type Started, startPostern } from "./kubectl.ts";
import { eventually } from "./waiting.ts";

const prometheus = Deno.env.get("PROMETHEUS") ?? "";
const kubeconfig = Deno.env.get("TEST_KUBECONFIG");
if (prometheus === "") {
  // deno-lint-ignore no-console
  console.warn("\n*** test of the dashboard skipped: PROMETHEUS names no program ***\n");
}

const policies = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: failing}
spec:
  rules:
  - name: never
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {failureAction: Enforce, message: never, deny: {}}
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: erring}
spec:
  rules:
  - name: broken
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate:
      failureAction: Enforce
      deny: {conditions: {any: [{key: "{{ parse_json(request.object.metadata.name) }}", operator: Equals, value: a}]}}
---
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: cel-failing}
spec:
  validationActions: [Deny]
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  validations: [{expression: "false", message: never}]
---
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: cel-erring}
spec:
  validationActions: [Deny]
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  validations: [{expression: "object.metadata.labels.none == 'a'", message: never}]
`;

/** Metrics that have no series before the cluster's policies are followed, and something was deleted or dropped. */
const unseen = [
  "kyverno_updaterequest_total",
  "kyverno_events_dropped_total",
  "kyverno_cleanup_controller_deletedobjects_total",
  "kyverno_ttl_controller_deletedobjects_total",
  ...(kubeconfig === undefined ? ["kyverno_client_queries_total"] : []),
];

function review(uid: string): string {
  return JSON.stringify({
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      uid,
      kind: { group: "", version: "v1", kind: "Pod" },
      resource: { group: "", version: "v1", resource: "pods" },
      namespace: "default",
      name: "web",
      operation: "CREATE",
      userInfo: { username: "jane" },
      object: {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "web", namespace: "default", labels: { app: "web" } },
        spec: { containers: [{ name: "web", image: "nginx" }] },
      },
    },
  });
}

interface Series {
  readonly metric: Readonly<Record<string, string>>;
}

/** A Prometheus that reads one Postern each second. */
async function startPrometheus(folder: string, { metrics }: Started) {
  const address = `127.0.0.1:${freePort()}`;
  await Deno.writeTextFile(
    `${folder}/prometheus.yml`,
    JSON.stringify({
      global: { scrape_interval: "1s" },
      scrape_configs: [{ job_name: "postern", static_configs: [{ targets: [metrics] }] }],
    }),
  );
  const child = new Deno.Command(prometheus, {
    args: [
      `--config.file=${folder}/prometheus.yml`,
      `--storage.tsdb.path=${folder}/series`,
      `--web.listen-address=${address}`,
    ],
    stdout: "null",
    stderr: "null",
  }).spawn();
  const get = async <Found>(path: string): Promise<Found> => {
    const response = await fetch(`http://${address}/api/v1/${path}`);
    const { status, error, data } = await response.json();
    assert.equal(status, "success", error);
    return data;
  };
  return {
    /** The names of metrics that were read. */
    metadata: () => get<Readonly<Record<string, unknown>>>("metadata"),
    query: async (text: string): Promise<readonly Series[]> => {
      const written = text.replaceAll("$__rate_interval", "30s");
      return (await get<{ readonly result: readonly Series[] }>(
        `query?${new URLSearchParams({ query: written })}`,
      ))
        .result;
    },
    stop: async () => {
      child.kill();
      await child.status;
    },
  };
}

Deno.test({
  name: "Prometheus answers each query of the dashboard from what a running Postern serves",
  ignore: prometheus === "",
  async fn(t) {
    const folder = await Deno.makeTempDir();
    await Deno.writeTextFile(`${folder}/policies.yaml`, policies);
    const cluster = kubeconfig === undefined ? [] : ["--kubeconfig", kubeconfig];
    const postern = await startPostern(["--policies", `${folder}/policies.yaml`, ...cluster]);
    using client = Deno.createHttpClient({ caCerts: [atob(postern.caBundle)] });
    const server = await startPrometheus(folder, postern);
    let requests = 0;
    /** Rates need figures that grow while they are read. */
    const send = async (): Promise<void> => {
      const headers = { "Content-Type": "application/json" };
      const init = { method: "POST", headers, body: review(`u-${requests++}`), client };
      const response = await fetch(`${postern.url}/validate`, init);
      assert.equal((await response.json()).response.allowed, false);
    };
    try {
      await send();
      await eventually(async () => assert.notEqual((await server.query("kyverno_info")).length, 0));
      for (const { title, queries } of panels) {
        await t.step(title, async () => {
          for (const [query, legend] of queries) {
            const metrics = query.match(/\b(?:kyverno|postern)_\w+/g) ?? [];
            const served = Object.keys(await server.metadata());
            for (const metric of metrics) {
              assert.ok(
                served.includes(metric.replace(/_(?:bucket|sum|count)$/, "")),
                `${metric} is not served`,
              );
            }
            const labels = [...legend.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label!);
            await eventually(async () => {
              await send();
              const found = await server.query(query);
              if (!metrics.every((metric) => unseen.includes(metric))) {
                assert.notEqual(found.length, 0, query);
              }
              for (const { metric } of found) {
                for (const label of labels) assert.ok(metric[label], `${query} has no ${label}`);
              }
            });
          }
        });
      }
    } finally {
      await server.stop();
      await postern.stop();
      await Deno.remove(folder, { recursive: true });
    }
  },
});
