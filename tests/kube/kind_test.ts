import assert from "node:assert/strict";
import {
  builtinKind,
  builtinKinds,
  builtinResource,
  compileKindSelectors,
  compileResourceFilters,
  defaultResourceFilters,
  formatApiVersion,
  parseApiVersion,
  parseKindSelectors,
  parseServiceAccount,
  pluralOf,
  type ResourceType,
  serviceAccountVariables,
  typeOf,
} from "../../lib/kube/mod.ts";

function type(text: string): ResourceType {
  const [apiVersion = "", kind = "", subresource = ""] = text.split(" ");
  return { ...parseApiVersion(apiVersion), kind, subresource };
}

const kinds: [kinds: string[], type: string, selected: boolean][] = [
  [["Pod"], "v1 Pod", true],
  [["pod"], "v1 Pod", false],
  [["Pod"], "v1 Pod exec", false],
  [["Pod"], "v1 Pod ephemeralcontainers", true],
  [["P?d"], "v1 Pod", true],
  [["*"], "apps/v1 Deployment", true],
  [["*"], "apps/v1 Deployment scale", false],
  [["*/*"], "apps/v1 Deployment scale", true],
  [["*/scale"], "apps/v1 Deployment scale", true],
  [["*/Deployment"], "apps/v1 Deployment", true],
  [["v1/Pod"], "v1 Pod", true],
  [["v1/Pod"], "v2 Pod", false],
  [["v1beta1/Pod"], "policy/v1beta1 Pod", true],
  [["apps/v1/Deployment"], "apps/v1 Deployment", true],
  [["apps/*/Deployment"], "apps/v1beta2 Deployment", true],
  [["*/v1/Deployment"], "apps/v1 Deployment", false],
  [["apps/v1/Deployment/scale"], "apps/v1 Deployment scale", true],
  [["v1/Pod/exec"], "v1 Pod exec", true],
  [["Pod/exec"], "v1 Pod exec", true],
  [["Pod.exec"], "v1 Pod exec", true],
  [["Deployment", "StatefulSet"], "apps/v1 StatefulSet", true],
  [["Deployment, StatefulSet"], "apps/v1 StatefulSet", true],
  [["Deployment,StatefulSet"], "apps/v1 DaemonSet", false],
  [["a/b/c/d/e"], "v1 Pod", false],
  [[], "v1 Pod", false],
];
for (const [selector, resource, selected] of kinds) {
  Deno.test(`kinds ${JSON.stringify(selector)} ${selected ? "select" : "leave out"} ${resource}`, () => {
    assert.equal(compileKindSelectors(selector)(type(resource)), selected);
  });
}

Deno.test("*/v1/Deployment reads the star as a version and v1 as the kind", () => {
  assert.deepEqual(
    parseKindSelectors("*/v1/Deployment").map(({ kind, subresource }) => [kind, subresource]),
    [
      ["v1", "Deployment"],
    ],
  );
});

Deno.test("v10/Pod reads as a kind with a subresource", () => {
  assert.equal(compileKindSelectors(["v10/Pod"])(type("v10 Pod")), false);
  assert.equal(compileKindSelectors(["v10/Pod"])(type("v1 v10 Pod")), true);
});

Deno.test("the kind Pod can leave ephemeral containers out", () => {
  const selects = compileKindSelectors(["Pod"], { ephemeralContainers: false });
  assert.equal(selects(type("v1 Pod ephemeralcontainers")), false);
});

Deno.test("typeOf() and parseApiVersion() split apiVersion and kind", () => {
  assert.deepEqual(typeOf({ apiVersion: "apps/v1", kind: "Deployment" }), {
    group: "apps",
    version: "v1",
    kind: "Deployment",
  });
  assert.deepEqual(typeOf([]), { group: "", version: "", kind: "" });
  for (const apiVersion of ["v1", "apps/v1"]) {
    assert.equal(formatApiVersion(parseApiVersion(apiVersion)), apiVersion);
  }
});

Deno.test("built-in kinds: the stable and newest version first, each once", () => {
  assert.equal(builtinKind("HorizontalPodAutoscaler")?.version, "v2");
  assert.equal(builtinKind("Event")?.group, "");
  assert.equal(builtinKind("Event", "events.k8s.io/v1")?.group, "events.k8s.io");
  assert.equal(builtinKind("Namespace")?.namespaced, false);
  assert.equal(builtinKind("Pod")?.namespaced, true);
  assert.ok(builtinKind("Pod")?.subresources.includes("ephemeralcontainers"));
  assert.equal(builtinKind("Policy"), undefined);
  assert.equal(builtinKind("constructor"), undefined);
  assert.equal(builtinResource("ingresses")?.kind, "Ingress");
  assert.equal(builtinResource("ingresses", "extensions/v1beta1"), undefined);
  const names = builtinKinds.map(({ group, version, kind }) => `${group}/${version}/${kind}`);
  assert.equal(new Set(names).size, names.length);
});

Deno.test("plurals of unknown kinds follow the usual rules, which fit nearly all built-in kinds", () => {
  assert.deepEqual(["ClusterPolicy", "Gateway", "Kafka", "Mesh", "Box", "Gas"].map(pluralOf), [
    "clusterpolicies",
    "gateways",
    "kafkas",
    "meshes",
    "boxes",
    "gases",
  ]);
  assert.equal(pluralOf("Endpoints"), "endpoints");
});

const pod = { ...type("v1 Pod"), namespace: "default", name: "web" };

Deno.test("resource filters match kind, namespace and name", () => {
  const filtered = compileResourceFilters("[Pod,default,we*] [Secret,*,*],[ConfigMap,kube-*]");
  assert.equal(filtered(pod), true);
  assert.equal(filtered({ ...pod, name: "api" }), false);
  assert.equal(filtered({ ...pod, kind: "Secret", name: "" }), true);
  assert.equal(filtered({ ...pod, kind: "ConfigMap", namespace: "kube-system" }), false);
  assert.equal(filtered({ ...pod, kind: "ConfigMap", namespace: "kube-system", name: "" }), true);
  assert.equal(compileResourceFilters("")(pod), false);
  assert.equal(compileResourceFilters("[]")(pod), false);
});

Deno.test("a filter's namespace also names the Namespace", () => {
  const filtered = compileResourceFilters(defaultResourceFilters);
  assert.equal(filtered({ ...type("v1 Namespace"), namespace: "", name: "kube-system" }), true);
  assert.equal(filtered({ ...type("v1 Namespace"), namespace: "", name: "team" }), false);
  assert.equal(filtered({ ...type("apps/v1 ReplicaSet scale"), namespace: "team", name: "a" }), true);
  assert.equal(filtered(pod), false);
});

Deno.test("a filter for Pod leaves ephemeral containers in", () => {
  const filtered = compileResourceFilters("[Pod,*,*]");
  assert.equal(filtered({ ...pod, subresource: "ephemeralcontainers" }), false);
});

Deno.test("the user name of a service account names its namespace and name", () => {
  const account = { namespace: "ci", name: "bot" };
  assert.deepEqual(parseServiceAccount("system:serviceaccount:ci:bot"), account);
  for (const username of ["alice", "system:serviceaccount:ci", "system:serviceaccount:a:b:c"]) {
    assert.equal(parseServiceAccount(username), undefined);
  }
});

Deno.test("a long user name with colons has service account variables", () => {
  assert.deepEqual(serviceAccountVariables("kubernetes-admin-aaaaaaa:b:c"), { namespace: "aa", name: "b" });
  assert.deepEqual(serviceAccountVariables("kubernetes-admin-aaaaaaaaaaaa"), { namespace: "", name: "" });
  assert.deepEqual(serviceAccountVariables("system:serviceaccount:ci:bot"), { namespace: "ci", name: "bot" });
});
