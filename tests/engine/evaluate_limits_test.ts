/** A request compiles nothing, and ends in its time. */
import assert from "node:assert/strict";
import { conditionCompilations } from "../../lib/condition/mod.ts";
import { compilations } from "../../lib/jmespath/mod.ts";
import { asObject, type JsonObject } from "../../lib/json/mod.ts";
import { patternCompilations } from "../../lib/pattern/mod.ts";
import { templateCompilations } from "../../lib/template/mod.ts";
import { pod, policies, ports, request } from "./ports.ts";
import { decideNow, noHostPid, policy } from "./decide_now.ts";

Deno.test("a request parses nothing and builds no regular expression", () => {
  const rules = `${noHostPid}
  - name: deny
    match: {any: [{resources: {kinds: [Pod], names: ["w*"], selector: {matchLabels: {"a*": "b*"}}}}]}
    preconditions: {all: [{key: "{{ request.operation || 'BACKGROUND' }}", operator: AnyIn, value: [CREATE]}]}
    validate:
      message: "{{ request.object.metadata.name }} is wrong"
      deny: {conditions: {any: [{key: "{{ regex_match('^w[a-z]+$', request.object.metadata.name) }}", operator: Equals, value: true}]}}
  - name: loop
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {foreach: [{list: "request.object.spec.containers", pattern: {image: "!*:latest | ?*:v{{ elementIndex }}"}}]}`;
  const snapshot = policies(policy("p", rules));
  const about = request(
    pod({ containers: [{ name: "a", image: "x:v0" }, { name: "b", image: "y" }] }, { labels: { ab: "bc" } }),
  );
  const count = () => JSON.stringify([compilations(), templateCompilations(), conditionCompilations()]);
  const before = count();
  const patterns = patternCompilations();
  decideNow(snapshot, about);
  assert.equal(count(), before);
  // A text that a variable puts into a pattern is read as one, and remembered.
  const grown = patternCompilations() - patterns;
  decideNow(snapshot, about);
  assert.equal(patternCompilations() - patterns, grown);
  assert.equal(asObject(JSON.parse(before)), undefined);
});

Deno.test("a request that matches no policy costs one look-up in the index", () => {
  const snapshot = policies(policy("p", noHostPid));
  const service: JsonObject = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "s", namespace: "default" },
  };
  const decision = decideNow(snapshot, request(service));
  assert.deepEqual([decision.allowed, decision.results, decision.patch], [true, [], []]);
});

Deno.test("rules that are not reached in the request's time are errors, and a long loop ends", () => {
  let now = 0;
  const slow = { ...ports(), clock: { now: () => (now += 10) } };
  const loop = `  - name: loop
    match: {any: [{resources: {kinds: [Pod]}}]}
    validate: {foreach: [{list: "request.object.spec.containers", deny: {conditions: {all: [{key: a, operator: Equals, value: b}]}}}]}`;
  const snapshot = policies(policy("p", `${loop}\n${noHostPid}`));
  const containers = Array.from({ length: 10_000 }, (_, index) => ({ name: `c${index}` }));
  const decision = decideNow(snapshot, request(pod({ containers })), { ports: slow, budget: 100 });
  const messages = decision.results[0]!.rules.map(({ message }) => message);
  assert.match(messages[0]!, /the request's deadline passed inside foreach/);
  assert.equal(messages[1], "the request's deadline passed before this rule");
  assert.equal(decision.allowed, false);
});

for (const jump of [3_600_000, -3_600_000]) {
  Deno.test(`a system clock that is set by ${jump} ms does not change how long a request may take`, () => {
    let reads = 0, elapsed = 0;
    const clock = { now: () => 10_000_000 + jump * reads++, elapsed: () => elapsed };
    const second = noHostPid.replace("no-host-pid", "second");
    const set = { ...ports(), clock }, snapshot = policies(policy("p", `${noHostPid}\n${second}`));
    const decide = () => decideNow(snapshot, request(pod()), { ports: set, budget: 100 });
    assert.deepEqual([decide().allowed, decide().allowed], [true, true]);
    clock.elapsed = () => elapsed += 60;
    assert.equal(decide().allowed, false, "time that passes ends it");
  });
}
