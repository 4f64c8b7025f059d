import assert from "node:assert/strict";
import { type DownstreamState, reconcile } from "../../lib/background/mod.ts";

type Rule = DownstreamState["rule"];
const data: Rule = { state: "present", synchronize: true, onPolicyDelete: "delete" };
const clone: Rule = { ...data, onPolicyDelete: "orphan" };

/** Rule, trigger, source, target: what is done. */
const cases: [DownstreamState["rule"], Omit<DownstreamState, "rule">, string][] = [
  // The target itself.
  [data, { trigger: "present", source: "none", target: "missing" }, "create"],
  [data, { trigger: "present", source: "none", target: "drifted" }, "update"],
  [data, { trigger: "present", source: "none", target: "in-step" }, "leave"],
  [clone, { trigger: "present", source: "present", target: "missing" }, "create"],
  [clone, { trigger: "present", source: "present", target: "drifted" }, "update"],
  // The trigger's end.
  [data, { trigger: "gone", source: "none", target: "in-step" }, "delete"],
  [data, { trigger: "gone", source: "none", target: "drifted" }, "delete"],
  [data, { trigger: "gone", source: "none", target: "missing" }, "leave"],
  [clone, { trigger: "gone", source: "present", target: "in-step" }, "delete"],
  // The source's end.
  [clone, { trigger: "present", source: "deleted", target: "in-step" }, "delete"],
  [clone, { trigger: "present", source: "deleted", target: "missing" }, "leave"],
  // The rule's end.
  [{ ...data, state: "deleted" }, { trigger: "present", source: "none", target: "in-step" }, "delete"],
  [
    { ...data, state: "deleted", onPolicyDelete: "orphan" },
    { trigger: "present", source: "none", target: "in-step" },
    "leave",
  ],
  [{ ...clone, state: "deleted" }, { trigger: "present", source: "present", target: "in-step" }, "leave"],
  [{ ...data, state: "deleted" }, { trigger: "gone", source: "none", target: "missing" }, "leave"],
  // Without synchronize nothing follows anything.
  [{ ...data, synchronize: false }, { trigger: "present", source: "none", target: "missing" }, "leave"],
  [{ ...data, synchronize: false }, { trigger: "gone", source: "none", target: "in-step" }, "leave"],
  [{ ...clone, synchronize: false }, { trigger: "present", source: "deleted", target: "in-step" }, "leave"],
  [
    { ...data, synchronize: false, state: "deleted" },
    { trigger: "present", source: "none", target: "in-step" },
    "leave",
  ],
];

for (const [rule, state, action] of cases) {
  const given = Object.entries({ ...rule, ...state, state: rule.state }).map(([name, value]) =>
    `${name} ${value}`
  );
  Deno.test(`reconcile() answers ${action} to: ${given.join(", ")}`, () => {
    const reconciliation = reconcile({ rule, ...state });
    assert.equal(reconciliation.action, action);
    assert.notEqual(reconciliation.why, "");
  });
}
