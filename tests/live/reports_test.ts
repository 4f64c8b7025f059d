/** Reports list rows of scans, of admission, and of effects on other objects. */
import assert from "node:assert/strict";
import type { EffectsResult } from "../../lib/background/mod.ts";
import { compile, type Effect, evaluate, type PolicyRequest, type Snapshot } from "../../lib/engine/mod.ts";
import { asList, dig, type JsonObject } from "../../lib/json/mod.ts";
import { policyReports } from "../../lib/live/reports/report_kind.ts";
import { reportOf } from "../../lib/live/reports/report.ts";
import { isScanned } from "../../lib/live/reports/scan_targets.ts";
import { effectRows, isLasting, rowsOf, unscannedResults } from "../../lib/live/mod.ts";
import { existingRequest } from "../../lib/background/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { clusterPorts } from "../conformance/ports.ts";

const policiesText = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: teams, annotations: {pod-policies.kyverno.io/autogen-controllers: none}}
spec:
  background: BACKGROUND
  rules:
  - name: team
    match: {any: [{resources: {kinds: [ConfigMap]}}]}
    validate: {message: "a team is needed", pattern: {metadata: {labels: {team: "?*"}}}}
  - name: label
    match: {any: [{resources: {kinds: [ConfigMap]}}]}
    mutate: {patchStrategicMerge: {metadata: {labels: {seen: "yes"}}}}
  - name: quota
    match: {any: [{resources: {kinds: [ConfigMap]}}]}
    generate: {apiVersion: v1, kind: Secret, name: s, namespace: shop, data: {data: {}}}
---
apiVersion: policies.kyverno.io/v1
kind: MutatingPolicy
metadata: {name: marks}
spec:
  evaluation: {mutateExisting: {enabled: true}}
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  mutations:
  - patchType: ApplyConfiguration
    applyConfiguration: {expression: 'Object{metadata: Object.metadata{labels: Object.metadata.labels{mark: "x"}}}'}
---
apiVersion: policies.kyverno.io/v1
kind: GeneratingPolicy
metadata: {name: makes}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  variables: [{name: made, expression: '[{"kind": dyn("Secret"), "apiVersion": dyn("v1"), "metadata": dyn({"name": "s"})}]'}]
  generate: [{expression: 'generator.apply("shop", variables.made)'}]
---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: unreported, labels: {reports.kyverno.io/disabled: "true"}}
spec:
  background: true
  rules:
  - name: team
    match: {any: [{resources: {kinds: [ConfigMap]}}]}
    validate: {message: "a team is needed", pattern: {metadata: {labels: {team: "?*"}}}}
`;

function snapshotWith(background: boolean): Snapshot {
  return compile(parseDocuments(policiesText.replace("BACKGROUND", String(background)), "p.yaml").documents, {
    dialect: "current",
  });
}

const object: JsonObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "c", namespace: "shop", uid: "u-1" },
};
const admitted: PolicyRequest = {
  ...existingRequest(object),
  uid: "r",
  requester: { username: "jane", groups: [] },
};

const admissions:
  readonly (readonly [what: string, phase: "validate" | "mutate", background: boolean, rows: string[]])[] = [
    ["validations of a background policy are left to the scan", "validate", true, []],
    ["validations without background are reported", "validate", false, ["teams/team fail"]],
    ["mutations of a ClusterPolicy are reported, those in CEL are scanned", "mutate", true, [
      "teams/label pass",
    ]],
  ];
for (const [what, phase, background, expected] of admissions) {
  Deno.test(`reports of admission: ${what}`, async () => {
    const snapshot = snapshotWith(background);
    const decision = await evaluate(snapshot, admitted, { phase, rules: "all", ports: clusterPorts([]) });
    const rows = rowsOf(unscannedResults(decision, snapshot), object, 0);
    assert.deepEqual(rows.map((row) => `${row["policy"]}/${row["rule"]} ${row["result"]}`), expected);
  });
}

const rows: readonly (readonly [what: string, row: JsonObject, background: boolean, lasts: boolean])[] = [
  ["a result that a scan finds again", { source: "kyverno", policy: "teams", rule: "team" }, true, false],
  ["a result that no scan finds", { source: "kyverno", policy: "teams", rule: "team" }, false, true],
  ["a mutation", { source: "kyverno", policy: "teams", rule: "label" }, true, true],
  ["a generated object", { source: "kyverno", policy: "teams", rule: "quota" }, true, true],
  ["a rule that is gone", { source: "kyverno", policy: "teams", rule: "former" }, false, false],
  ["a policy that is gone", { source: "kyverno", policy: "former", rule: "team" }, false, false],
  ["another kind's policy of that name", { source: "KyvernoMutatingPolicy", policy: "teams" }, true, false],
  ["targets of a policy in CEL", { source: "KyvernoMutatingPolicy", policy: "marks" }, true, true],
];
for (const [what, row, background, lasts] of rows) {
  Deno.test(`a scan ${lasts ? "keeps" : "drops"} the row of ${what}`, () => {
    assert.equal(isLasting(row, snapshotWith(background)), lasts);
  });
}

Deno.test("a row names the rule of a classic policy, and exceptions without their namespaces", async () => {
  const exception = `---
apiVersion: kyverno.io/v2
kind: PolicyException
metadata: {name: e, namespace: ops}
spec:
  match: {any: [{resources: {kinds: [ConfigMap]}}]}
  exceptions: [{policyName: teams, ruleNames: [team]}]
---
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: named}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [configmaps]}]
  validations: [{expression: "true"}]
`;
  const text = policiesText.replace("BACKGROUND", "true") + exception;
  const snapshot = compile(parseDocuments(text, "p.yaml").documents, { dialect: "current" });
  const { results } = await evaluate(snapshot, admitted, {
    phase: "validate",
    rules: "all",
    ports: clusterPorts([]),
  });
  const found = rowsOf(results, object, 0).map((row) => [
    row["policy"],
    row["rule"],
    dig(row, "properties", "exceptions"),
  ]);
  assert.deepEqual(found.sort(), [
    ["named", undefined, undefined],
    ["teams", "team", "e"],
    ["unreported", "team", undefined],
  ]);
});

Deno.test("a report is named by the uid of its object, which owns it; its rows are sorted and counted", () => {
  const row = (policy: string, result: string): JsonObject => ({ policy, rule: "r", result });
  const report = reportOf(object, [row("b", "fail"), row("a", "pass")], policyReports);
  const { name, uid } = { name: "c", uid: "u-1" };
  assert.deepEqual(dig(report, "metadata", "name"), uid);
  assert.deepEqual(dig(report, "metadata", "ownerReferences"), [{
    apiVersion: "v1",
    kind: "ConfigMap",
    name,
    uid,
  }]);
  assert.deepEqual(asList(report["results"]).map((each) => dig(each, "policy")), ["a", "b"]);
  assert.deepEqual([dig(report, "summary", "pass"), dig(report, "summary", "fail")], [1, 1]);
});

/** Policies whose objects a scan looks at; an object that a mutation in CEL would change violates it. */
const scans: readonly (readonly [what: string, name: string, background: boolean, scanned: boolean])[] = [
  ["with a validation", "teams", true, true],
  ["without background", "teams", false, false],
  ["whose label turns its reports off", "unreported", true, false],
  ["with a mutation in CEL", "marks", true, true],
  ["with classic mutations alone", "labels", true, false],
];

for (const [what, name, background, scanned] of scans) {
  Deno.test(`a policy ${what} is ${scanned ? "" : "not "}scanned`, () => {
    const labels = `---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: labels}
spec:
  rules: [{name: r, match: {any: [{resources: {kinds: [ConfigMap]}}]}, mutate: {patchStrategicMerge: {metadata: {labels: {a: b}}}}}]
`;
    const text = (policiesText + labels).replace("BACKGROUND", String(background));
    const { policies } = compile(parseDocuments(text, "p.yaml").documents, { dialect: "current" });
    assert.equal(isScanned(policies.find(({ policy }) => policy.name === name)!), scanned);
  });
}

const made: Effect = {
  verb: "create",
  object: { apiVersion: "v1", kind: "Secret", metadata: { name: "s", namespace: "shop" } },
  policy: "teams",
  rule: "quota",
  reason: "",
};

async function effectsResult(policy: string, change: Partial<EffectsResult>): Promise<EffectsResult> {
  const snapshot = snapshotWith(true);
  const ports = clusterPorts([]);
  const decision = await evaluate(snapshot, admitted, { phase: "generate", policy, ports, background: {} });
  return {
    state: "done",
    request: admitted,
    results: decision.results,
    carried: [],
    failures: [],
    ...change,
  };
}

Deno.test("reports of effects: the trigger's report names the downstream objects", async () => {
  const [found] = effectRows(await effectsResult("teams", { carried: [made] }), 0);
  assert.equal(found?.object, object);
  assert.equal(dig(found?.rows[0], "result"), "pass");
  assert.deepEqual(
    dig(found?.rows[0], "properties", "generated-resources"),
    "/v1, Kind=Secret Name=s Namespace=shop",
  );
});

Deno.test("reports of effects: a failed generation is an error", async () => {
  const failures = [{ message: "no room", retryable: true, by: { policy: "teams", rule: "quota" } }];
  const [found] = effectRows(await effectsResult("teams", { state: "given up", failures }), 0);
  assert.deepEqual([dig(found?.rows[0], "result"), dig(found?.rows[0], "message")], ["error", "no room"]);
});

Deno.test("reports of effects: a row of a GeneratingPolicy counts as admission and has the policy's name", async () => {
  const [found] = effectRows(await effectsResult("makes", {}), 0);
  const [row] = found?.rows ?? [];
  assert.deepEqual(
    [row?.["source"], row?.["rule"], dig(row, "properties", "process")],
    ["KyvernoGeneratingPolicy", "makes", "admission review"],
  );
});
