/** Which policies a path asks, what else is served, and what becomes of failures inside. */
import assert from "node:assert/strict";
import { compile, type Snapshot } from "../../lib/engine/mod.ts";
import { PolicySelections } from "../../lib/engine/plan/policy_selection.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import type { Cluster } from "../../lib/ports.ts";
import { answerTimeOf } from "../../lib/server/mod.ts";
import { admissionReview, pod } from "./review.ts";
import { denies, loadingPolicy, portsOf, serving, silentCluster, snapshotOf } from "./serving.ts";

const enforce = "validationFailureAction: Enforce";
const groups = denies("fails", enforce) + denies("ignores", `${enforce}\n  failurePolicy: Ignore`);

const routes: readonly [path: string, policies: readonly string[]][] = [
  ["/validate", ["fails", "ignores"]],
  ["/validate/fail", ["fails"]],
  ["/validate/ignore", ["ignores"]],
  ["/validate/fail/finegrained/fails", ["fails"]],
  ["/validate/fail/finegrained/ignores", []],
  ["/validate/ignore/finegrained/ignores", ["ignores"]],
  ["/mutate", []],
  ["/mutate/fail", []],
];
for (const [path, policies] of routes) {
  Deno.test(`${path} evaluates ${policies.join(" and ") || "none of them"}`, async () => {
    const { review } = serving(groups);
    const { allowed, status } = await review(path, admissionReview());
    assert.equal(allowed, policies.length === 0);
    for (const name of ["fails", "ignores"]) {
      assert.equal(status?.message.includes(`${name}:`) ?? false, policies.includes(name), name);
    }
  });
}

Deno.test("the path of a policy that is not loaded answers by its failurePolicy", async () => {
  const { review } = serving(groups);
  const refused = await review("/validate/fail/finegrained/unknown", admissionReview());
  assert.deepEqual([refused.uid, refused.allowed], ["review-1", false]);
  assert.match(refused.status?.message ?? "", /no policy unknown is loaded/);
  const admitted = await review("/validate/ignore/finegrained/team/unknown", admissionReview());
  assert.equal(admitted.allowed, true);
  assert.match(admitted.warnings?.join() ?? "", /no policy team\/unknown is loaded/);
});

Deno.test("a Policy is selected by its namespace and name", async () => {
  const text = denies("local", enforce).replace("kind: ClusterPolicy", "kind: Policy").replace(
    "{name: local}",
    "{name: local, namespace: default}",
  );
  const { review } = serving(text);
  assert.equal((await review("/validate/fail/finegrained/default/local", admissionReview())).allowed, false);
  assert.equal((await review("/validate/ignore/finegrained/other/local", admissionReview())).allowed, true);
});

Deno.test("a policy with match conditions is evaluated at its path and at the path of all policies", async () => {
  const spec = `${enforce}\n  webhookConfiguration: {matchConditions: [{name: a, expression: "true"}]}`;
  const { review } = serving(denies("own", spec));
  assert.equal((await review("/validate/fail", admissionReview())).allowed, true);
  assert.equal((await review("/validate/fail/finegrained/own", admissionReview())).allowed, false);
  assert.equal((await review("/validate", admissionReview())).allowed, false);
});

Deno.test("a mutation is a JSON patch in base64", async () => {
  const { review } = serving(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: label}
spec:
  rules:
  - name: add
    match: {any: [{resources: {kinds: [Pod]}}]}
    mutate: {patchStrategicMerge: {metadata: {labels: {team: "ä"}}}}
`);
  const { patch = "" } = await review("/mutate/fail", admissionReview());
  const text = new TextDecoder().decode(Uint8Array.fromBase64(patch));
  assert.deepEqual(JSON.parse(text), [{ op: "add", path: "/metadata/labels", value: { team: "ä" } }]);
});

Deno.test("the server admits resources that Kyverno's filters exclude, without evaluating a policy", async () => {
  const { review } = serving(groups);
  const unseen: [string, JsonObject][] = [
    ["kube-system", admissionReview({ namespace: "kube-system", object: pod({ namespace: "kube-system" }) })],
    ["an Event", admissionReview({ kind: "Event", resource: "events" })],
    [
      "a node's own Pod",
      admissionReview({ userInfo: { username: "system:node:a", groups: ["system:nodes"] } }),
    ],
  ];
  for (const [what, body] of unseen) assert.equal((await review("/validate/fail", body)).allowed, true, what);
});

Deno.test("the server is live at once, and ready once its policies are loaded", async () => {
  const loaded: { snapshot?: Snapshot } = {};
  const { app, review } = serving("", { snapshot: () => loaded.snapshot });
  const status = async (path: string) => {
    const answer = await app.request(path);
    await answer.text();
    return answer.status;
  };
  assert.deepEqual([await status("/health/liveness"), await status("/health/readiness")], [200, 503]);
  const early = await review("/validate/fail", admissionReview());
  assert.deepEqual([early.uid, early.allowed], ["review-1", false]);
  assert.equal((await review("/validate/ignore", admissionReview())).allowed, true);
  loaded.snapshot = compile([]);
  assert.equal(await status("/health/readiness"), 200);
  assert.equal((await review("/validate/fail", admissionReview())).allowed, true);
});

Deno.test("the server serves everything below its secret path and nothing elsewhere", async () => {
  const { app, post, review } = serving(groups, { secretPath: "/s3cret" });
  for (const path of ["/validate/fail", "/health/liveness", "/s3cre/validate/fail", "/"]) {
    const answer = await post(path, admissionReview());
    assert.equal(answer.status, 404, path);
    assert.doesNotMatch(await answer.text(), /s3cret/);
  }
  assert.equal((await review("/s3cret/validate/fail", admissionReview())).allowed, false);
  assert.equal((await app.request("/s3cret/health/liveness")).status, 200);
});

Deno.test("metrics are Prometheus text with few labels", async () => {
  const { metrics, review } = serving(groups);
  metrics.loaded(snapshotOf(groups));
  await review("/validate/fail", admissionReview());
  await review("/validate/fail", admissionReview({ kind: "Service", resource: "services" }));
  const text = await metrics.text();
  const has = (line: string) => assert.ok(text.includes(`${line}\n`), `${line}\nis missing in\n${text}`);
  has("# TYPE kyverno_admission_requests_total counter");
  has(
    'kyverno_admission_requests_total{resource_kind="Pod",resource_request_operation="create",request_allowed="false"} 1',
  );
  has(
    'kyverno_admission_review_duration_seconds_bucket{resource_request_operation="create",request_allowed="true",le="+Inf"} 1',
  );
  has(
    'kyverno_admission_review_duration_seconds_count{resource_request_operation="create",request_allowed="false"} 1',
  );
  has(
    'kyverno_policy_rule_info_total{policy_validation_mode="enforce",policy_background_mode="true",policy_namespace="-",' +
      'policy_name="ignores",policy_type="cluster",rule_name="never",rule_type="validate",status_ready="true"} 1',
  );
  assert.doesNotMatch(text, /default|review-1|alice/);
});

Deno.test("each kind in the policies has a metric series; all other kinds share one", async () => {
  const snapshot = snapshotOf(denies("named", enforce, "kinds: [example.com/v1/Named]"));
  const { metrics, review } = serving(snapshot);
  metrics.loaded(snapshot);
  for (let index = 0; index < 150; index++) {
    await review("/validate/fail", admissionReview({ kind: `Kind${index}`, resource: "kinds" }));
  }
  for (const kind of ["Named", "Pod"]) await review("/validate/fail", admissionReview({ kind }));
  const series = (await metrics.text()).match(/^kyverno_admission_requests_total\{resource_kind="\w+"/gm) ??
    [];
  assert.deepEqual(series.map((line) => line.split('"')[1]).sort(), ["Named", "Pod", "other"]);
});

Deno.test("when the API server hangs, the message names the slow look-up", async () => {
  const hanging: Cluster = {
    ...silentCluster,
    call: (call) =>
      new Promise((resolve) =>
        call.signal?.addEventListener(
          "abort",
          () => resolve({ ok: false, status: undefined, message: "the request's deadline passed" }),
        )
      ),
  };
  for (const cluster of [silentCluster, hanging]) {
    const started = Date.now();
    const ports = portsOf({ cluster, clock: { now: () => Date.now() - started } });
    const names = ["a", "b", "c", "d", "e", "f"];
    const { review } = serving(names.map((name) => loadingPolicy(name, enforce)).join(""), { ports });
    const { status } = await review("/validate/fail?timeout=1s", admissionReview());
    assert.equal(status?.message.match(/default\/settings/g)?.length, names.length, status?.message);
  }
});

const answerTimes: readonly (readonly [target: string, milliseconds: number])[] = [
  ["/validate", 9_500],
  ["/validate/fail?timeout=10s", 9_500],
  ["/validate/fail?timeout=1s", 500],
  ["/validate/fail?timeout=3600s", 29_500],
  ["/validate/fail?timeout=0s", 100],
  ["/validate/fail?timeout=soon", 9_500],
];
for (const [target, milliseconds] of answerTimes) {
  Deno.test(`a review is answered before the API server gives up: ${target} within ${milliseconds} ms`, () => {
    assert.equal(answerTimeOf(target), milliseconds);
  });
}

for (const [failurePolicy, allowed] of [["Fail", false], ["Ignore", true]] as const) {
  Deno.test(`a request whose look-up never ends is answered at the deadline by failurePolicy ${failurePolicy}`, async () => {
    const spec = `${enforce}\n  failurePolicy: ${failurePolicy}`;
    const { review } = serving(loadingPolicy("asks", spec), { ports: portsOf({ cluster: silentCluster }) });
    const answer = await review(`/validate/${failurePolicy.toLowerCase()}?timeout=1s`, admissionReview());
    assert.deepEqual([answer.uid, answer.allowed], ["review-1", allowed]);
    const text = JSON.stringify(answer);
    assert.match(text, /ConfigMap default\/settings/, "what was slow is named");
  });

  Deno.test(`an exception in the engine gives the answer of failurePolicy ${failurePolicy}, with the uid`, async () => {
    const snapshot = snapshotOf(groups);
    const failing = () => {
      throw new TypeError("a bug");
    };
    const broken = { ...snapshot, selections: new PolicySelections(failing, snapshot.prepared) };
    const { review, lines } = serving(broken);
    const answer = await review(`/validate/${failurePolicy.toLowerCase()}`, admissionReview());
    assert.deepEqual([answer.uid, answer.allowed], ["review-1", allowed]);
    assert.match(JSON.stringify(answer), /internal error: a bug/);
    assert.ok(lines.some(({ level }) => level === "error"));
  });
}

Deno.test("an exception after the decision gives an answer with the uid", async () => {
  const snapshot = snapshotOf(groups);
  let calls = 0;
  const failing = () => {
    if (++calls > 1) throw new Error("a later bug");
    return snapshot;
  };
  const { review } = serving(snapshot, { snapshot: failing });
  const answer = await review("/validate/fail", admissionReview());
  assert.deepEqual([answer.uid, answer.allowed], ["review-1", false]);
});

Deno.test("the log of a denial names the failed rules and contains no object", async () => {
  const { review, lines } = serving(groups);
  const object = { ...pod(), data: { password: "hunter2" } };
  await review("/validate/fail", admissionReview({ object, dryRun: true }));
  const [line] = lines.filter(({ message }) => message === "denied");
  assert.deepEqual(line?.fields["failing"], ["fails/never"]);
  assert.deepEqual([line?.fields["uid"], line?.fields["dryRun"]], ["review-1", true]);
  assert.doesNotMatch(JSON.stringify(lines), /hunter2/);
});
