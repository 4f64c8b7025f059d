/** A request that policies of the cluster and of its namespace are about evaluates the latter once. */
import assert from "node:assert/strict";
import { admissionRequestType, createEnvironment, kubernetesLibraries } from "../../lib/cel/mod.ts";
import { asList, field, textField } from "../../lib/json/mod.ts";
import { configurations, policy } from "./webhook_configurations.ts";

/** Requests by operation, resource with subresource, and group; those that the Policy's webhook gets, and others. */
const shared: readonly {
  readonly what: string;
  readonly ofCluster: string;
  readonly ofTeam: string;
  readonly called: readonly string[];
  readonly spared?: readonly string[];
}[] = [
  {
    what: "every kind beside Pods",
    ofCluster: "Pod",
    ofTeam: '"*"',
    called: ["CREATE configmaps", "CREATE pods/exec", "CREATE deployments.apps", "CREATE pods.other.example"],
    spared: ["CREATE pods", "UPDATE pods", "UPDATE pods/ephemeralcontainers"],
  },
  {
    what: "every kind beside Pods, ConfigMaps and a subresource",
    ofCluster: "Pod, ConfigMap, Deployment/scale",
    ofTeam: '"*", "*/*"',
    called: ["UPDATE deployments.apps", "CONNECT pods/exec", "CREATE secrets"],
    spared: ["CREATE pods", "CREATE configmaps", "UPDATE deployments/scale.apps"],
  },
  {
    what: "another version",
    ofCluster: "autoscaling/v2/Scaler",
    ofTeam: '"autoscaling/v1/Scaler"',
    called: ["CREATE scalers.autoscaling"],
  },
  {
    what: "every kind, and another version",
    ofCluster: "autoscaling/v2/Scaler",
    ofTeam: '"*", "autoscaling/v1/Scaler"',
    called: ["CREATE scalers.autoscaling"],
  },
  { what: "other kinds", ofCluster: "Pod", ofTeam: "ConfigMap", called: ["CREATE configmaps"] },
];

for (const { what, ofCluster, ofTeam, called, spared = [] } of shared) {
  Deno.test(`webhooks: a Policy is evaluated once where ClusterPolicies are about a request, too: ${what}`, () => {
    const about = (kinds: string) => `match: {any: [{resources: {kinds: [${kinds}]}}]}`;
    const body = "mutate: {patchStrategicMerge: {metadata: {labels: {team: red}}}}";
    for (const phase of ["validate", "mutate"] as const) {
      const more = phase === "mutate" ? { body } : {};
      const text = [
        policy({ name: "of-cluster", match: about(ofCluster), ...more }),
        policy({ kind: "Policy", name: "of-team", match: about(ofTeam), ...more }),
      ].join("---");
      const webhook = asList(field(configurations(text)[phase], "webhooks")).find((each) =>
        textField(each, "name") === `${phase}.kyverno.svc-fail-namespaces`
      );
      assert.ok(webhook !== undefined);
      const conditions = asList(field(webhook, "matchConditions")).map((each) =>
        textField(each, "expression")
      );
      assert.deepEqual(called.filter((request) => isCalled(conditions, request)), called);
      assert.deepEqual(spared.filter((request) => isCalled(conditions, request)), []);
    }
  });
}

/** Whether conditions let the API server call a webhook for a request: "UPDATE deployments/scale.apps". */
function isCalled(conditions: readonly string[], text: string): boolean {
  const [, operation = "", resource = "", subResource, group = ""] =
    /^(\w+) (\w+)(?:\/(\w+))?(?:\.(.+))?$/.exec(text) ?? [];
  const request = {
    operation,
    resource: { group, version: "v1", resource },
    ...(subResource !== undefined && { subResource }),
    userInfo: { username: "anna", groups: ["people"] },
  };
  const environment = createEnvironment({
    variables: { request: admissionRequestType },
    libraries: kubernetesLibraries,
  });
  return conditions.every((expression) => {
    const compiled = environment.compile(expression);
    assert.ok(compiled.ok, expression);
    const result = compiled.program.evaluate((name) => name === "request" ? request : undefined);
    assert.equal(typeof result, "boolean", expression);
    return result;
  });
}
