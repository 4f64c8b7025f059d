/** The policies prepared for requests take bounded memory: users choose types and namespaces. */
import assert from "node:assert/strict";
import { PolicyCompiler, type PolicyQuery } from "../../lib/engine/mod.ts";
import { PolicySelections } from "../../lib/engine/plan/policy_selection.ts";
import { PreparedPolicies } from "../../lib/engine/plan/prepared_policies.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { policies, request } from "./ports.ts";

function policyText(index: number, { kind = "Pod", namespace = "", spec = "" } = {}): string {
  return `---
apiVersion: kyverno.io/v1
kind: ${namespace === "" ? "ClusterPolicy" : "Policy"}
metadata: {name: p${index}${namespace && `, namespace: ${namespace}`}}
spec:
  validationFailureAction: Enforce
  ${spec}
  rules:
  - name: rule
    match: {any: [{resources: {kinds: ["${kind}"]}}]}
    validate: {message: refused, pattern: {metadata: {labels: {l${index}: "?*"}}}}
`;
}

const hundred = (options: Parameters<typeof policyText>[1] = {}): string =>
  Array.from({ length: 100 }, (_, index) => policyText(index, options)).join("");

const atAdmission: PolicyQuery = { phase: "validate", failurePolicy: "Fail", rules: "admission" };

function about(kind: string, namespace: string) {
  const object = { apiVersion: "v1", kind, metadata: { name: "one", namespace } };
  return request(object, { group: "", version: "v1", kind, operation: "CREATE", namespace });
}

Deno.test("a hundred policies are prepared once for all namespaces", () => {
  const { selections, prepared } = policies(hundred());
  const first = selections.select(about("Pod", "n"), atAdmission), { bytes } = prepared;
  for (let index = 0; index < 1_000; index++) {
    assert.equal(selections.select(about("Pod", `n${index}`), atAdmission), first);
  }
  assert.equal(first.policies.length, 100);
  assert.equal(prepared.bytes, bytes);
});

Deno.test("namespaces with policies share the joint patterns of the cluster's policies", () => {
  const ofNamespaces = Array.from(
    { length: 100 },
    (_, index) => policyText(index, { namespace: `n${index}` }),
  );
  const { selections, prepared } = policies([hundred(), ...ofNamespaces].join(""));
  selections.select(about("Pod", "n"), atAdmission);
  const { bytes } = prepared;
  for (let index = 0; index < 100; index++) {
    const { policies } = selections.select(about("Pod", `n${index}`), atAdmission);
    assert.equal(policies.length, 101);
  }
  assert.ok(prepared.bytes < 8 * bytes, `${prepared.bytes} bytes, for one namespace ${bytes}`);
});

Deno.test("a selection without a policy is made once, too", () => {
  const { selections, prepared } = policies(hundred({ spec: "failurePolicy: Ignore" }));
  assert.equal(selections.select(about("Pod", "n"), atAdmission).policies.length, 0);
  const { bytes } = prepared;
  selections.select(about("Pod", "n"), atAdmission);
  assert.equal(prepared.bytes, bytes);
  selections.select(about("Pod", "n"), { ...atAdmission, rules: "all" });
  assert.ok(prepared.bytes > bytes);
});

const many: Record<string, { readonly text: string; readonly typeOf: (index: number) => [string, string] }> =
  {
    "kinds": { text: hundred({ kind: "*" }), typeOf: (index) => [`Kind${index}`, "n"] },
    "namespaces that decide about the action": {
      text: hundred({ spec: "validationFailureActionOverrides: [{action: Audit, namespaces: [n1*]}]" }),
      typeOf: (index) => ["Pod", `n${index}`],
    },
  };
for (const [what, { text, typeOf }] of Object.entries(many)) {
  Deno.test(`selections for thousands of ${what} are dropped beyond a bound`, () => {
    const { candidates } = policies(text), most = 500_000;
    const prepared = new PreparedPolicies(most), selections = new PolicySelections(candidates, prepared);
    const all = new PreparedPolicies(), unbounded = new PolicySelections(candidates, all);
    for (let index = 0; index < 1_000; index++) {
      const each = about(...typeOf(index));
      const selected = selections.select(each, atAdmission).policies;
      assert.equal(selected.length, unbounded.select(each, atAdmission).policies.length);
      assert.ok(prepared.bytes <= most);
    }
    assert.ok(all.bytes > most, `${all.bytes} bytes without a bound`);
  });
}

Deno.test("a namespace that fills the memory leaves the policies of others prepared", () => {
  const { candidates } = policies(
    hundred({ spec: "validationFailureActionOverrides: [{action: Audit, namespaces: [n1*]}]" }),
  );
  const prepared = new PreparedPolicies(500_000), selections = new PolicySelections(candidates, prepared);
  const [found] = candidates("validate", about("Pod", "shop"));
  const used = (): unknown => {
    selections.select(about("Pod", "shop"), atAdmission);
    return prepared.rules.of(found!, about("Pod", "shop"));
  };
  const first = used();
  let drops = 0;
  for (let index = 0; index < 2_000; index++) {
    const { rules } = prepared;
    selections.select(about("Pod", `n${index}`), atAdmission);
    if (rules !== prepared.rules) drops++;
    if (index % 50 === 0) assert.equal(used(), first);
  }
  assert.ok(drops > 3, `${drops} drops`);
});

Deno.test("the change of one policy leaves the others prepared", () => {
  const compiler = new PolicyCompiler(), documents = parseDocuments(hundred(), "policies.yaml").documents;
  const before = compiler.compile(documents);
  before.selections.select(about("Pod", "n"), atAdmission);
  const { prepared } = before, { bytes } = prepared;
  const [changed] = parseDocuments(policyText(50, { spec: "background: false" }), "changed.yaml").documents;
  const after = compiler.compile(documents.with(50, changed!));
  assert.equal(after.selections.select(about("Pod", "n"), atAdmission).policies.length, 100);
  assert.ok(prepared.bytes < 2 * bytes, `${prepared.bytes} bytes after ${bytes}`);
  assert.equal(after.prepared, prepared);
});
