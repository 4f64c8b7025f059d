import assert from "node:assert/strict";
import { MatchIndex } from "../../lib/match/mod.ts";

function filled(): MatchIndex<string> {
  const index = new MatchIndex<string>();
  const any = { operations: [], namespace: undefined };
  index.add("pods", [{ kinds: ["Pod"], ...any }]);
  index.add("deployments", [{ kinds: ["apps/v1/Deployment"], ...any }]);
  index.add("everything", [{ kinds: ["*"], ...any }]);
  index.add("deletions", [{ kinds: ["Pod"], operations: ["DELETE"], namespace: undefined }]);
  index.add("of team-a", [{ kinds: ["Pod"], operations: [], namespace: "team-a" }]);
  index.add("exec", [{ kinds: ["Pod/exec"], ...any }]);
  return index;
}

const lookups: [kind: string, operation: string, namespace: string, found: string[]][] = [
  ["Pod", "CREATE", "default", ["pods", "everything", "exec"]],
  ["Pod", "DELETE", "default", ["pods", "everything", "deletions", "exec"]],
  ["Pod", "CREATE", "team-a", ["pods", "everything", "of team-a", "exec"]],
  ["Deployment", "CREATE", "default", ["deployments", "everything"]],
  ["Service", "CREATE", "default", ["everything"]],
];
for (const [kind, operation, namespace, found] of lookups) {
  Deno.test(`the index finds ${found.join(", ")} for ${operation} ${kind} in ${namespace}`, () => {
    assert.deepEqual(filled().find(kind, operation, namespace), found);
  });
}

Deno.test("the index caches look-ups, so that values that cannot match are not compared again", () => {
  const index = filled();
  assert.equal(index.find("Pod", "CREATE", "default"), index.find("Pod", "CREATE", "default"));
});

Deno.test("namespaces that no value names share their look-ups, of which there may be thousands", () => {
  const index = filled();
  const found = index.find("Pod", "CREATE", "default");
  assert.equal(index.find("Pod", "CREATE", "shop"), found);
  assert.equal(index.find("Pod", "CREATE", ""), found);
  assert.notEqual(index.find("Pod", "CREATE", "team-a"), found);
});

Deno.test("cached look-ups have a bound for the values of all together", () => {
  const index = new MatchIndex<number>();
  for (let value = 0; value < 1_000; value++) {
    index.add(value, [{ kinds: ["*"], operations: [], namespace: undefined }]);
  }
  const first = index.find("Kind0", "CREATE", "");
  for (let kind = 1; kind < 40; kind++) index.find(`Kind${kind}`, "CREATE", "");
  assert.equal(index.find("Kind0", "CREATE", ""), first);
  for (let kind = 1; kind < 200; kind++) index.find(`Kind${kind}`, "CREATE", "");
  assert.notEqual(index.find("Kind0", "CREATE", ""), first);
});
