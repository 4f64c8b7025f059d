/** Requests for subresources of custom resources, whose kind only the cluster knows. */
import assert from "node:assert/strict";
import type { Snapshot } from "../../lib/engine/mod.ts";
import { asObject, type JsonObject } from "../../lib/json/mod.ts";
import type { Cluster } from "../../lib/ports.ts";
import { ParentKinds } from "../../lib/server/mod.ts";
import { admissionReview } from "./review.ts";
import { portsOf, serving, snapshotOf } from "./serving.ts";

const denying = (kind: string, failurePolicy = "Fail") =>
  snapshotOf(`
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  failurePolicy: ${failurePolicy}
  rules:
  - name: r
    match: {any: [{resources: {kinds: ["${kind}"]}}]}
    validate: {failureAction: Enforce, message: no, deny: {}}
`);

const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "w", namespace: "default" } };
/** The review of a change of the scale of a resource. */
const scaling = (resource: string, group = "example.com"): JsonObject => {
  const review = admissionReview({ operation: "UPDATE", object: scale, oldObject: scale });
  return {
    ...review,
    request: {
      ...asObject(review["request"]),
      kind: { group: "autoscaling", version: "v1", kind: "Scale" },
      resource: { group, version: "v1", resource },
      subResource: "scale",
    },
  };
};

const discovered: Readonly<Record<string, readonly (readonly [plural: string, kind: string])[]>> = {
  "/apis/example.com/v1": [["mice", "Mouse"], ["mice/scale", "Scale"]],
  "/apis/serving.example/v1": [["services", "Service"]],
};
/** A cluster that serves mice of the kind Mouse, and services of the kind Service in a group of their own. */
function clusterWith(paths: string[] = []): Cluster {
  return {
    ...portsOf().cluster,
    call: ({ path }) => {
      paths.push(path);
      const found = discovered[path];
      return Promise.resolve(
        found === undefined
          ? { ok: false, status: 404, message: "not found" }
          : { ok: true, status: 200, body: { resources: found.map(([name, kind]) => ({ name, kind })) } },
      );
    },
  };
}

/** A server with policies and a cluster. */
function server(snapshot: Snapshot, cluster: Cluster = clusterWith()) {
  const ports = portsOf({ cluster });
  return serving(snapshot, { ports, parents: new ParentKinds(ports) });
}

const allowed: readonly (readonly [kind: string, allowed: boolean])[] = [
  ["Mouse/scale", false],
  ["example.com/v1/Mouse/scale", false],
  ["M*/scale", false],
  ["*/scale", false],
  ["Mouse/*", false],
  ["other.com/v1/Mouse/scale", true],
  ["R*/scale", true],
  ["Scale/scale", true],
  ["Mouse/status", true],
];
for (const [kind, expected] of allowed) {
  Deno.test(`a rule about ${kind} ${expected ? "does not see" : "sees"} the scale of a Mouse, whose plural is mice`, async () => {
    const { review } = server(denying(kind));
    assert.equal((await review("/validate/fail", scaling("mice"))).allowed, expected);
  });
}

Deno.test("a custom kind with the plural of a built-in one is found in its group", async () => {
  const snapshot = denying("serving.example/v1/Service/scale");
  const { review } = server(snapshot);
  assert.equal((await review("/validate/fail", scaling("services", "serving.example"))).allowed, false);
});

Deno.test("where the cluster does not tell the kind of a parent, the failurePolicy answers", async () => {
  for (const call of [portsOf().cluster.call, () => new Promise<never>(() => {})]) {
    for (const failurePolicy of ["Fail", "Ignore"]) {
      const { review } = server(denying("Mouse/scale", failurePolicy), { ...clusterWith(), call });
      const path = `/validate/${failurePolicy.toLowerCase()}?timeout=1s`;
      const answer = await review(path, scaling("mice"));
      assert.equal(answer.allowed, failurePolicy === "Ignore");
      assert.match(
        JSON.stringify(answer),
        /the kind of mice.example.com, which policies may be about, is unknown/,
      );
    }
  }
});

Deno.test("a resource that the cluster does not serve has the kind that a policy names, by the usual plural", async () => {
  const { review } = server(denying("Rollout/scale"));
  assert.equal((await review("/validate/fail", scaling("rollouts", "argo.example"))).allowed, false);
});

Deno.test("the kinds of a group are read once, and again for a resource that is missing", async () => {
  const paths: string[] = [], { review } = server(denying("Mouse/scale"), clusterWith(paths));
  for (const resource of ["mice", "mice", "rats", "mice"]) await review("/validate/fail", scaling(resource));
  assert.equal(paths.length, 2);
});

Deno.test("no kind is looked up for policies that name no subresource", async () => {
  const paths: string[] = [], { review } = server(denying("Mouse"), clusterWith(paths));
  assert.equal((await review("/validate/fail", scaling("mice"))).allowed, true);
  assert.deepEqual(paths, []);
});
