/** The compiled conditions that rules share. */
import assert from "node:assert/strict";
import { conditionCompilations } from "../../lib/condition/mod.ts";
import { CompiledConditions } from "../../lib/rules/mod.ts";

const conditions = (value: unknown) => ({
  all: [{ key: "{{ request.operation }}", operator: "NotEquals", value: value as string }],
});

Deno.test("equal conditions of one dialect are compiled once", () => {
  const compiled = new CompiledConditions(), before = conditionCompilations();
  const first = compiled.of(conditions("DELETE"), "classic");
  assert.equal(compiled.of(conditions("DELETE"), "classic"), first);
  assert.equal(conditionCompilations() - before, 1);
  assert.notEqual(compiled.of(conditions("DELETE"), "current"), first);
  assert.notEqual(compiled.of(conditions("CREATE"), "classic"), first);
  assert.notEqual(compiled.of(conditions(1), "classic"), compiled.of(conditions("1"), "classic"));
});
