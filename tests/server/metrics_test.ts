/** Metrics have Kyverno's names and labels, and a bound. */
import assert from "node:assert/strict";
import {
  type CompiledRule,
  type Decision,
  evaluate,
  type PolicyRequest,
  type RuleResult,
  type Snapshot,
} from "../../lib/engine/mod.ts";
import type { Policy } from "../../lib/policy/mod.ts";
import { ClusterMetrics, Metrics } from "../../lib/server/mod.ts";
import { metricRecords } from "../../lib/server/metrics/metric_records.ts";
import { admissionReview } from "./review.ts";
import { denies, portsOf, serving, snapshotOf } from "./serving.ts";
import { request } from "./metrics_request.ts";

const enforce = "validationFailureAction: Enforce";

/** Names of Kyverno's metrics, with `_total` where its exporter adds it; what Postern does not serve has the reason. */
const ofKyverno: readonly (readonly [name: string, absent?: string])[] = [
  ["kyverno_policy_results_total"],
  ["kyverno_policy_rule_info_total"],
  ["kyverno_admission_requests_total"],
  ["kyverno_admission_review_duration_seconds"],
  ["kyverno_policy_execution_duration_seconds"],
  ["kyverno_policy_changes_total"],
  ...["validating", "mutating", "generating", "image_validating"].flatMap((family) => [
    [`kyverno_${family}_policy_results_total`] as const,
    [`kyverno_${family}_policy_execution_duration_seconds`] as const,
  ]),
  ["kyverno_updaterequest_total"],
  ["kyverno_events_dropped_total"],
  ["kyverno_info"],
  ["kyverno_client_queries_total"],
  ["kyverno_cleanup_controller_deletedobjects_total"],
  ["kyverno_ttl_controller_deletedobjects_total"],
  ["kyverno_http_requests_total", "every request is a review, which kyverno_admission_requests_total counts"],
  ["kyverno_http_requests_duration_seconds", "kyverno_admission_review_duration_seconds has them"],
  ["kyverno_controller_reconcile_total", "there are no controllers with queues of that kind"],
];

/** Labels whose values anybody who may create objects can make up. */
const unbounded = ["resource_namespace", "resource_name", "http_url"];

Deno.test("metrics have Kyverno's names, and labels with bounded values", () => {
  const served = new Set(metricRecords.map(({ name }) => name));
  assert.equal(served.size, metricRecords.length, "a name is served twice");
  for (const [name, absent] of ofKyverno) assert.equal(served.has(name), absent === undefined, name);
  for (const name of served) {
    assert.ok(name.startsWith("postern_") || ofKyverno.some(([each]) => each === name), name);
  }
  for (const { name, type, labels } of metricRecords) {
    assert.deepEqual(labels.filter((label) => unbounded.includes(label)), [], name);
    assert.equal(new Set(labels).size, labels.length, name);
    if (type === "histogram") assert.match(name, /_seconds$/);
  }
});

Deno.test("the metrics page has every metric of the table, with its type", async () => {
  const metrics = new Metrics();
  metrics.add(new ClusterMetrics());
  const text = await metrics.text();
  const types = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
  assert.deepEqual(types.sort(), metricRecords.map(({ name, type }) => `${name} ${type}`).sort());
});

const cel = (kind: string, name: string, body: string) => `
apiVersion: policies.kyverno.io/v1
kind: ${kind}
metadata: {name: ${name}}
spec:
  matchConstraints:
    resourceRules:
    - {apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}
  ${body}
`;

const families: readonly [what: string, policies: string, path: string, line: string][] = [
  [
    "a ClusterPolicy",
    denies("classic", enforce),
    "/validate/fail",
    'kyverno_policy_results_total{policy_validation_mode="enforce",policy_background_mode="true",policy_namespace="-",' +
    'policy_name="classic",policy_type="cluster",resource_kind="Pod",resource_request_operation="create",' +
    'rule_name="never",rule_type="validate",rule_result="fail",rule_execution_cause="admission_request"} 1',
  ],
  [
    "a ValidatingPolicy",
    cel("ValidatingPolicy", "in-cel", "validations: [{expression: 'false', message: refused}]"),
    "/validate/fail",
    'kyverno_validating_policy_results_total{policy_validation_mode="enforce",policy_background_mode="true",' +
    'policy_namespace="-",policy_name="in-cel",resource_kind="Pod",resource_request_operation="create",' +
    'execution_cause="admission_request",result="fail"} 1',
  ],
  [
    "a MutatingPolicy",
    cel(
      "MutatingPolicy",
      "changes",
      `mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: {"a": "b"}}}'}`,
    ),
    "/mutate/fail",
    'kyverno_mutating_policy_results_total{policy_validation_mode="enforce",policy_background_mode="true",' +
    'policy_namespace="-",policy_name="changes",resource_kind="Pod",resource_request_operation="create",' +
    'execution_cause="admission_request",result="pass"} 1',
  ],
];
for (const [what, policies, path, line] of families) {
  Deno.test(`a result of ${what} increments the metric of its kind`, async () => {
    const { metrics, review } = serving(policies);
    await review(path, admissionReview());
    const text = await metrics.text();
    assert.ok(text.includes(`${line}\n`), `${line}\nis missing in\n${text}`);
  });
}

Deno.test("metrics label the results of background scans with their cause", async () => {
  const snapshot = snapshotOf(denies("scanned", enforce));
  const metrics = new Metrics();
  const decision = await evaluate(snapshot, request(), { phase: "validate", ports: portsOf() });
  metrics.decided(decision, request());
  metrics.decided(decision, request(), "background_scan");
  metrics.decided(decision, request(), "background_scan");
  const text = await metrics.text();
  assert.match(text, /rule_execution_cause="admission_request"\} 1\n/);
  assert.match(text, /rule_execution_cause="background_scan"\} 2\n/);
});

Deno.test("metrics count added, changed and removed policies, and not those that stay", async () => {
  const metrics = new Metrics();
  const load = (...policies: string[]): Snapshot => snapshotOf(policies.join("\n"));
  metrics.loaded(load(denies("stays"), denies("changes"), denies("goes")));
  metrics.loaded(load(denies("stays"), denies("changes", enforce, "kinds: [Service]")));
  const lines = (await metrics.text()).split("\n").filter((line) =>
    line.startsWith("kyverno_policy_changes_total{")
  );
  const changes = lines.map((line) =>
    /policy_name="(\w+)".*policy_change_type="(\w+)"\} (\d)/.exec(line)!.slice(1).join(" ")
  );
  assert.deepEqual(changes.sort(), [
    "changes created 1",
    "changes updated 1",
    "goes created 1",
    "goes deleted 1",
    "stays created 1",
  ]);
});

Deno.test("the metrics page reads the counts of other parts at each request", async () => {
  const metrics = new Metrics("1.2.3");
  let dropped = 0;
  const cluster = new ClusterMetrics();
  cluster.follow({ droppedEvents: () => dropped, updateRequests: () => 4 });
  metrics.add(cluster);
  dropped = 3;
  metrics.called("list", "pods");
  cluster.cleanedUp({ name: "old", namespace: "a" });
  cluster.expired("batch", "jobs");
  const text = await metrics.text();
  for (
    const line of [
      'kyverno_info{version="1.2.3"} 1',
      "kyverno_events_dropped_total 3",
      "kyverno_updaterequest_total 4",
      'kyverno_client_queries_total{operation="list",resource_kind="pods"} 1',
      'kyverno_cleanup_controller_deletedobjects_total{policy_type="namespaced",policy_namespace="a",policy_name="old"} 1',
      'kyverno_ttl_controller_deletedobjects_total{resource_group="batch",resource_resource="jobs"} 1',
    ]
  ) {
    assert.ok(text.includes(`${line}\n`), line);
  }
});

Deno.test("label values beyond the limit share one series", async () => {
  const metrics = new Metrics();
  for (let index = 0; index < 25_000; index++) metrics.called("get", `r${index}`);
  const series = (await metrics.text()).match(/^kyverno_client_queries_total\{.*$/gm) ?? [];
  assert.equal(series.length, 20_001);
  assert.equal(series.at(-1), 'kyverno_client_queries_total{operation="other",resource_kind="other"} 5000');
});

let watches = 0;

/** Counts results of rules with long names, and times them. */
function churn(metrics: Metrics, kind: string, count: number): void {
  for (let index = 0; index < count; index++) {
    const policy = {
      kind,
      key: `a/p${index}`,
      namespace: "a",
      name: `p${index}`.padEnd(200, "x"),
      background: true,
    } as Policy;
    const rule = { rule: `r${index}`.padEnd(63, "r"), type: "validate", result: "pass", action: "Enforce" };
    const decision = { results: [{ policy, rules: [rule] }] } as unknown as Decision;
    metrics.decided(decision, { kind: "Pod", operation: "CREATE" } as PolicyRequest);
    const watch = metrics.times.watch(1e9 * (1 + watches++))!;
    watch.begin(
      policy as unknown as Parameters<typeof watch.begin>[0],
      { rule: { name: rule.rule }, type: "validate" } as unknown as CompiledRule,
    );
    watch.finish([rule as RuleResult], undefined);
  }
}

Deno.test("the metrics page has a bound, whatever policies come and go", async () => {
  const metrics = new Metrics();
  for (const kind of ["Policy", "ValidatingPolicy", "MutatingPolicy", "GeneratingPolicy"]) {
    churn(metrics, kind, 5_000);
  }
  for (let index = 0; index < 100; index++) {
    metrics.loaded(snapshotOf(denies(`${"long".repeat(50)}-${index}`)));
  }
  const text = await metrics.text();
  assert.ok(text.length < 10_500_000, `${text.length} characters`);
});

Deno.test("the series of a policy's results go with the policy, and count again when it comes back", async () => {
  const { metrics, review } = serving(denies("one"));
  const counted = async (): Promise<string[]> =>
    (await metrics.text()).match(
      /^kyverno_policy_(?:results_total|execution_duration_seconds_count)\{.*"one".*$/gm,
    ) ??
      [];
  await review("/validate/fail", admissionReview());
  assert.equal((await counted()).length, 2);
  metrics.loaded(snapshotOf(denies("two")));
  assert.deepEqual(await counted(), []);
  await review("/validate/fail", admissionReview());
  assert.match((await counted())[0] ?? "", / 1$/);
});

const seriesOfResults = /^kyverno_policy_results_total\{.*$/gm;

Deno.test("the series of a rule's results go with the rule, although its policy stays", async () => {
  let snapshot = snapshotOf(denies("one"));
  const { metrics, review } = serving(snapshot, { snapshot: () => snapshot });
  for (let round = 0; round < 5; round++) {
    snapshot = snapshotOf(denies("one").replace("name: never", `name: round-${round}`));
    metrics.loaded(snapshot);
    await review("/validate/fail", admissionReview());
  }
  const series = (await metrics.text()).match(seriesOfResults) ?? [];
  assert.equal(series.length, 1, series.join("\n"));
});

Deno.test("the policies of one namespace leave room for the series of others", async () => {
  const metrics = new Metrics();
  for (const kind of ["Policy", "NamespacedValidatingPolicy"]) churn(metrics, kind, 25_000);
  const count = (namespace: string | undefined): void => {
    const policy = { kind: "Policy", name: "mine", background: true, namespace };
    const rule = { rule: "r", type: "validate", result: "pass", action: "Enforce" };
    metrics.decided({ results: [{ policy, rules: [rule] }] } as unknown as Decision, request());
  };
  for (const namespace of ["b", undefined]) count(namespace);
  const series = (await metrics.text()).match(seriesOfResults) ?? [];
  assert.deepEqual(
    series.filter((line) => line.includes('"mine"')).map((line) => /policy_namespace="(.*?)"/.exec(line)![1]),
    ["b", "-"],
  );
});

const page = new URL("../../docs/metrics.md", import.meta.url).pathname;

function metricsPage(): string {
  const labels = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(" ");
  const rows = metricRecords.map(({ name, type, help, labels: names }) =>
    `| \`${name}\` | ${type} | ${labels(names)} | ${help} |`
  );
  const absent = ofKyverno.flatMap(([name, reason]) =>
    reason === undefined ? [] : [`| \`${name}\` | ${reason} |`]
  );
  return `# Metrics

At \`/metrics\` of the metrics port (8000), in Prometheus' text format. Names and labels are Kyverno's, so its dashboards read
them, without the labels whose values anybody who creates objects can make up: names and namespaces of resources.
\`postern manifests --dashboard\` prints a dashboard for Grafana. A metric has at most 20,000 series, and all metrics together 10 MB. Of the room
for results one namespace has a quarter for its policies. What comes after is counted under the label value \`other\`.

| metric | type | labels | what it is |
| --- | --- | --- | --- |
${rows.join("\n")}

Kyverno serves these, and Postern does not:

| metric | why |
| --- | --- |
${absent.join("\n")}
`;
}

Deno.test("docs/metrics.md contains the table of metrics", () => {
  if (Deno.env.get("UPDATE_GOLDEN") !== undefined) Deno.writeTextFileSync(page, metricsPage());
  assert.equal(Deno.readTextFileSync(page), metricsPage());
});
