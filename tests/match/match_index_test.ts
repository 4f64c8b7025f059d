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
