/** A plan of a merge shares what it leaves, bounds what it makes, and modifies nothing. */
import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { isFault, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { patternCompilations } from "../../lib/pattern/mod.ts";
import { Draft, type PatchNodes, planJsonPatch, planStrategicMerge } from "../../lib/patch/mod.ts";
import { anything, change, loose, patch, pod, resource } from "./merge_inputs.ts";
import { log, patched, web } from "./merge_cases.ts";

Deno.test("apply() shares unchanged parts", () => {
  const resource = pod({ containers: [web, log], volumes: [{ name: "v" }] });
  const result = patched(resource, { spec: { containers: [{ name: "web", tty: true }] } }) as JsonObject;
  const before = resource.spec as JsonObject, after = result.spec as JsonObject;
  assert.equal(result.metadata, resource.metadata);
  assert.equal(after.volumes, before.volumes);
  assert.equal((after.containers as Json[])[1], log);
});

Deno.test("apply() normalizes lists that an earlier patch left", () => {
  const twice = [{ name: "A", value: "1" }, { name: "A", value: "2" }];
  const resource = pod({ containers: [web, { ...web, env: twice }] });
  const first = patched(resource, { metadata: { labels: { a: "1" } } });
  assert.deepEqual(
    first,
    pod({ containers: [{ ...web, env: twice }] }, { name: "p", labels: { a: "1" } }),
    "of containers that repeat a name the last stays, as it is",
  );
  assert.deepEqual(
    patched(first, { metadata: { labels: { a: "2" } } }),
    pod({ containers: [{ ...web, env: [twice[1]!] }] }, { name: "p", labels: { a: "2" } }),
  );
});

Deno.test("apply() compiles only conditions that contain values of the resource", () => {
  const plan = planStrategicMerge({
    metadata: { "(name)": "p*", "+(labels)": { a: "1" } },
    spec: { containers: [{ "(name)": "*", "<(image)": "*", "+(tty)": true }] },
  });
  assert.ok(!isFault(plan));
  const before = patternCompilations();
  plan.apply(pod({ containers: [web, log] }));
  assert.equal(patternCompilations(), before);
});

Deno.test("planStrategicMerge() reads parts that it has seen before only once", () => {
  const shared = { containers: [{ "(name)": "w*", tty: true }] };
  const nodes: PatchNodes = new WeakMap();
  planStrategicMerge({ spec: shared }, nodes);
  const before = patternCompilations();
  planStrategicMerge({ metadata: { labels: { rendered: "now" } }, spec: shared }, nodes);
  assert.equal(patternCompilations(), before);
});

Deno.test("planStrategicMerge() refuses a patch that is no map", () => {
  assert.match(
    String(patched(pod({}), [1])),
    /^error: failed to preProcess rule: wrong node kind: expected Mapping/,
  );
  assert.match(String(patched(pod({}), "x")), /^error: failed to preProcess rule: wrong node kind/);
});

Deno.test("planStrategicMerge() refuses a patch that is nested too deeply", () => {
  let patch: Json = 1;
  for (let depth = 0; depth < 1000; depth++) patch = { a: patch };
  assert.match(String(patched(pod({}), patch)), /^error: patch is nested deeper than/);
});

Deno.test("apply() refuses a list where a map of elements is expected", () => {
  const result = patched(pod({ containers: { a: 1 } }), { spec: { containers: [{ "(name)": "*" }] } });
  assert.match(String(result), /^error: failed to preProcess rule: wrong node kind: expected SequenceNode/);
});

Deno.test("apply() bounds the growth of nested lists", () => {
  const containers = Array.from({ length: 300 }, (_, index) => ({
    name: `c${index}`,
    env: [{ name: `a${index}` }, { name: `b${index}` }],
  }));
  const result = patched(pod({ containers }), {
    spec: { containers: [{ "(name)": "*", env: [{ "(name)": "*", value: "x" }] }] },
  });
  assert.match(String(result), /^error: .*the patch grows beyond/);
});

Deno.test("apply() refuses a long list whose elements lack their key", () => {
  const env = Array.from({ length: 5000 }, (_, index) => ({ value: String(index) }));
  const resource = pod({ containers: [{ name: "web", env }] });
  assert.match(
    String(patched(resource, { metadata: { labels: { a: "b" } } })),
    /^error: a list of more than/,
  );
});

// Without `+()` in a list: what it decides for the first element depends on the order, which the first time may change.
Deno.test("applying a patch twice changes nothing more", () => {
  fc.assert(fc.property(resource, patch, (resource, patch) => {
    const once = patched(resource, patch as Json);
    assert.equal(patched(once, patch as Json), once);
  }));
});

Deno.test("patching a result equals patching its copy", () => {
  fc.assert(fc.property(loose, change, change, (spec, first, second) => {
    const once = patched(pod(spec as Json), first as Json);
    const copy = JSON.parse(JSON.stringify(once)) as Json;
    const texts = [once, copy].map((resource) => JSON.stringify(patched(resource, second as Json)));
    assert.equal(texts[0], texts[1]);
  }));
});

Deno.test("no patch modifies the resource, and each gives a resource or a fault", () => {
  fc.assert(
    fc.property(anything, anything, (patch, spec) => {
      const result = patched(pod(spec), patch);
      assert.ok(typeof result === "object" || String(result).startsWith("error: "));
      assert.equal(({} as Record<string, unknown>).name, undefined);
    }),
    { numRuns: 1000 },
  );
});

Deno.test("a merged object, which may be a Secret, is not kept after its request", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const plan = planStrategicMerge({ metadata: { labels: { team: "a" } } });
  assert.ok(!isFault(plan));
  const merged = new WeakRef(plan.apply({ apiVersion: "v1", kind: "Secret", stringData: { key: "value" } }));
  await new Promise((resolve) => setTimeout(resolve, 0));
  collectGarbage();
  assert.equal(merged.deref(), undefined);
});

Deno.test("a merge into a draft sees elements that a JSON patch repeated since the last merge", () => {
  const draft = new Draft(pod({ containers: [web] }));
  const merge = planStrategicMerge({ spec: { containers: [{ name: "log", tty: true }] } });
  assert.ok(!isFault(merge));
  assert.equal(merge.applyTo(draft), true);
  const repeated = planJsonPatch([{
    op: "add",
    path: "/spec/containers/-",
    value: { name: "web", stdin: true },
  }]);
  assert.equal(repeated.change(draft as unknown as Draft<Json>), undefined);
  const label = planStrategicMerge({ metadata: { labels: { a: "b" } } });
  assert.ok(!isFault(label));
  const alone = label.apply(structuredClone(draft.resource));
  label.applyTo(draft);
  assert.deepEqual(draft.resource, alone);
});
