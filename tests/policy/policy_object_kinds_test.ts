/** The tables that name the kinds of policies. */
import assert from "node:assert/strict";
import { bundleParts } from "../../lib/bundled/mod.ts";
import { celGroup, celKinds, clusterWideKind, policyObjectKinds } from "../../lib/policy/mod.ts";
import { policyKindNames } from "../../lib/rules/mod.ts";

Deno.test("every kind of CEL policy is watched and compiled, and bundles can leave it out", () => {
  const kinds: readonly string[] = celKinds.map(({ kind }) => kind).toSorted();
  const watched = policyObjectKinds.filter(({ group, role }) =>
    group === celGroup && role !== "cel-exception"
  )
    .map(({ kind }) => kind);
  assert.deepEqual(watched.toSorted(), policyKindNames(celGroup).toSorted());
  assert.deepEqual([...new Set(watched.map(clusterWideKind))].toSorted(), kinds);
  const parts = bundleParts.map(({ name }) => name);
  assert.deepEqual(kinds.filter((kind) => !parts.includes(kind)), []);
});

Deno.test("the names of policy kinds are unique within a group", () => {
  for (const name of ["kind", "plural", "shortName"] as const) {
    const names = policyObjectKinds.filter((each) => each[name] !== undefined)
      .map((each) => `${each.group}/${each[name]}`);
    assert.equal(new Set(names).size, names.length);
  }
});
