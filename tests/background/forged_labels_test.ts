/** Anyone who may write an object may give it the labels of generated ones: what a comparison makes of them is bounded. */
import assert from "node:assert/strict";
import { MadeObjects } from "../../lib/background/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { copy, source, synchronized } from "./setting.ts";
import { bluePath, setUp } from "./upkeep_setting.ts";

const labels = "generate.kyverno.io/";

/** The rules generate in a namespace that outlives their trigger. */
const elsewhere = synchronized.replaceAll(
  'namespace: "{{ request.object.metadata.name }}"',
  "namespace: old",
);
const kept = copy.replace("blue", "old");

/** Stores Secrets in a namespace of a tenant, with the labels of the generated one but for these. */
async function forge(
  { cluster }: ReturnType<typeof setUp>,
  count: number,
  changed: (index: number) => Readonly<Record<string, string>>,
): Promise<void> {
  const { metadata, ...rest } = await cluster.read(kept) as JsonObject & { metadata: JsonObject };
  await cluster.inner.call({
    method: "POST",
    path: "/api/v1/namespaces",
    body: { apiVersion: "v1", kind: "Namespace", metadata: { name: "tenant" } },
  });
  for (let index = 0; index < count; index++) {
    const forged = Object.entries(changed(index)).map(([name, value]) => [labels + name, value]);
    const body = {
      ...rest,
      metadata: {
        name: `forged-${index}`,
        namespace: "tenant",
        labels: { ...metadata["labels"] as JsonObject, ...Object.fromEntries(forged) },
      },
    };
    const made = await cluster.inner.call({
      method: "POST",
      path: "/api/v1/namespaces/tenant/secrets",
      body,
    });
    assert.ok(made.ok);
  }
}

for (
  const [what, name, forged] of [
    ["sources of unknown kinds", "source", (index: number) => ({ "source-kind": `Nope${index}` })],
    ["sources in many namespaces", "source", (index: number) => ({ "source-namespace": `n${index}` })],
    ["triggers of unknown kinds", "trigger", (index: number) => ({
      "trigger-kind": `Nope${index}`,
      "trigger-uid": `u-${index}`,
    })],
    ["triggers in many namespaces", "trigger", (index: number) => ({
      "trigger-namespace": `n${index}`,
      "trigger-uid": `u-${index}`,
    })],
  ] as const
) {
  Deno.test(`forged ${what} hide no object that lost its ${name}, and cost few lists`, async () => {
    const setting = setUp(elsewhere), { cluster, ran, restarted, remove } = setting;
    await ran().catch(() => {});
    cluster.writes.length = 0;
    await forge(setting, 60, forged);
    await remove(name === "source" ? source : bluePath);
    let calls = 0;
    cluster.interfere = () => void calls++;
    const writes = await restarted();
    assert.ok(writes.includes(`DELETE ${kept}`), `${writes}`);
    assert.ok(calls - writes.length < 60, `${calls} calls`);
  });
}

Deno.test("of too many objects with a rule's labels those of the namespace with the most are left out", () => {
  const made = new MadeObjects(100);
  const add = (namespace: string, count: number): void => {
    for (let index = 0; index < count; index++) {
      made.add({
        object: { metadata: { namespace, name: `${namespace}-${index}` } },
        trigger: { apiVersion: "v1", kind: "Pod", namespace, uid: `${namespace}-${index}` },
        source: undefined,
      });
    }
  };
  for (let index = 0; index < 10; index++) add(`before-${index}`, 3);
  add("tenant", 5_000);
  for (let index = 0; index < 10; index++) add(`later-${index}`, 3);
  const left = [...made.byTrigger().keys()];
  assert.ok(left.length <= 100, `${left.length}`);
  for (let index = 0; index < 10; index++) {
    for (const name of ["before", "later"]) {
      assert.ok(left.includes(`${name}-${index}-2`), `${name}-${index}`);
    }
  }
  assert.deepEqual([...made.leftOut], ["tenant"]);
});
