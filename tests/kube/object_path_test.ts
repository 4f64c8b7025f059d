/** Paths of objects whose names come from requests. */
import assert from "node:assert/strict";
import { collectionPath, objectPath } from "../../lib/kube/mod.ts";

const maps = { group: "", version: "v1", plural: "configmaps", namespaced: true };
const nodes = { group: "metrics.k8s.io", version: "v1beta1", plural: "nodes", namespaced: false };

const cases: readonly (readonly [
  kind: typeof maps,
  name: { readonly namespace: string; readonly name: string; readonly subresource?: string },
  path: string,
])[] = [
  [maps, { namespace: "team", name: "a" }, "/api/v1/namespaces/team/configmaps/a"],
  [maps, { namespace: "", name: "a" }, "/api/v1/namespaces/default/configmaps/a"],
  [nodes, { namespace: "team", name: "a" }, "/apis/metrics.k8s.io/v1beta1/nodes/a"],
  [maps, { namespace: "a/b", name: "../x?y#z" }, "/api/v1/namespaces/a%2Fb/configmaps/..%2Fx%3Fy%23z"],
  [maps, { namespace: "team", name: "a\ud83d" }, "/api/v1/namespaces/team/configmaps/a%EF%BF%BD"],
  [
    maps,
    { namespace: "\udc00", name: "a", subresource: "\ud83d" },
    "/api/v1/namespaces/%EF%BF%BD/configmaps/a/%EF%BF%BD",
  ],
];
for (const [kind, name, path] of cases) {
  Deno.test(`the path of ${kind.plural} ${JSON.stringify(name)}`, () => {
    assert.equal(objectPath(kind, name), path);
  });
}

Deno.test("a path without a namespace is that of all namespaces", () => {
  assert.equal(collectionPath(maps, ""), "/api/v1/configmaps");
  assert.equal(collectionPath(maps, "\ud83d"), "/api/v1/namespaces/%EF%BF%BD/configmaps");
});
