/** Policies of a source that come into force. */
import assert from "node:assert/strict";
import { FollowedPolicies } from "../../lib/sources/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";

const policy = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: no-pods}
spec:
  validationFailureAction: Enforce
  rules:
  - name: none
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {message: no pods today, deny: {}}
`;

Deno.test("policies without problems come into force without positions, for which their text is parsed again", async () => {
  const text = `${policy}---${policy.replace("no-pods", "none-at-all")}`;
  const files = [{ file: "policies.yaml", text }];
  const documents = parseDocuments(text, "policies.yaml").documents.map((document) => ({
    ...document,
    positionOf: () => assert.fail("a position was computed"),
  }));
  const names: string[] = [];
  const policies = new FollowedPolicies({
    source: {
      load: () => Promise.resolve({ documents, files, diagnostics: [] }),
      watch: () => ({ [Symbol.dispose]() {} }),
    },
    compiling: {},
    loaded: ({ snapshot }) => names.push(...snapshot.policies.map(({ policy }) => policy.key)),
  });
  await policies.load();
  assert.deepEqual(names, ["no-pods", "none-at-all"]);
});

Deno.test("requests have turns between the policies of files that changed together", async () => {
  let turns = 0;
  const many = (count: number) =>
    parseDocuments(
      Array.from({ length: count }, (_, index) => policy.replace("no-pods", `p${index}`)).join("---"),
      "p.yaml",
    ).documents;
  let documents = many(1);
  const policies = new FollowedPolicies({
    source: {
      load: () => Promise.resolve({ documents, files: [], diagnostics: [] }),
      watch: () => ({ [Symbol.dispose]() {} }),
    },
    compiling: {},
    scheduler: { sliceMilliseconds: 0, pause: () => Promise.resolve(void turns++) },
    loaded: () => {},
  });
  await policies.load();
  assert.equal(turns, 0, "before the first load there are no requests");
  documents = many(30);
  await policies.load();
  assert.equal(policies.snapshot?.policies.length, 30);
  assert.ok(turns >= 30, `${turns} turns`);
});
