import assert from "node:assert/strict";
import { readGroupList, readResourceList } from "../../lib/kube/mod.ts";

Deno.test("a resource list has the resources with their subresources, and nothing without a kind", () => {
  const list = {
    resources: [
      { name: "pods", kind: "Pod", namespaced: true, verbs: ["get", "list"] },
      { name: "pods/log", kind: "Pod", namespaced: true, verbs: ["get"] },
      { name: "nodes", kind: "Node", verbs: ["list"] },
      { name: "nameless" },
      { kind: "Unnamed" },
    ],
  };
  const core = { group: "", version: "v1" };
  assert.deepEqual(readResourceList(list, core), [
    { ...core, kind: "Pod", plural: "pods", namespaced: true, verbs: ["get", "list"], subresources: ["log"] },
    { ...core, kind: "Node", plural: "nodes", namespaced: false, verbs: ["list"], subresources: [] },
  ]);
  assert.deepEqual(readResourceList("no list", core), []);
});

Deno.test("a group list has the core group first, and the preferred version of each group first", () => {
  const versions = [{ version: "v1" }, { version: "v2" }];
  assert.deepEqual(
    readGroupList({ groups: [{ name: "autoscaling", versions, preferredVersion: { version: "v2" } }] }),
    [{ group: "", versions: ["v1"] }, { group: "autoscaling", versions: ["v2", "v1"] }],
  );
});
