/**
 * Thousands of policies hold the event loop nowhere for long: work about all of them has a stage for each, and work
 * about one of them finds it by its name. The tests count stages and reads, because times differ between machines.
 */
import assert from "node:assert/strict";
import { compile, type Snapshot } from "../../lib/engine/mod.ts";
import { completed, type Stages } from "../../lib/json/mod.ts";
import { isLasting, unscannedResults } from "../../lib/live/mod.ts";
import { PolicyVersions } from "../../lib/live/reports/policy_versions.ts";
import { namespaceVersions, scannedResources } from "../../lib/live/reports/scan_targets.ts";
import { Metrics } from "../../lib/server/mod.ts";
import { parseDocuments } from "../../lib/yaml/mod.ts";
import { denies } from "../server/serving.ts";
import { pods } from "./scan_setting.ts";

const count = 50;

function policies(message = "no"): Snapshot {
  const texts = Array.from(
    { length: count },
    (_, index) => denies(`p${index}`).replace("message: ", `message: ${message} `),
  );
  return compile(parseDocuments(texts.join("\n---\n"), "p.yaml").documents);
}

const snapshot = policies();

/** The number of stages, and the result. */
function counted<T>(stages: Stages<T>): readonly [stages: number, result: T] {
  for (let count = 0;; count++) {
    const stage = stages.next();
    if (stage.done === true) return [count, stage.value];
  }
}

const works: Readonly<Record<string, () => Stages<unknown>>> = {
  "metrics of policies": () => new Metrics().loading(snapshot),
  "resources of scans": () => scannedResources(snapshot, [pods], new PolicyVersions()),
  "namespaces of scans": () => namespaceVersions(snapshot, new PolicyVersions()),
};

for (const [what, work] of Object.entries(works)) {
  Deno.test(`many policies: ${what} have a stage for each`, () => {
    const [stages] = counted(work());
    assert.ok(stages >= count, `${stages} stages`);
  });
}

Deno.test("many policies: the version of a resource's policies is short, and changes with one of them", () => {
  const version = (snapshot: Snapshot): string =>
    completed(scannedResources(snapshot, [pods], new PolicyVersions()))[0]!.version;
  assert.ok(version(snapshot).length < 20, version(snapshot));
  assert.equal(version(policies()), version(snapshot));
  assert.notEqual(version(policies("never")), version(snapshot));
});

Deno.test("many policies: rows and results of reports are about the policies of one name", () => {
  const { named } = snapshot;
  const looked: string[] = [];
  const watched = { named: (key: string) => (looked.push(key), named(key)) };
  assert.equal(isLasting({ source: "kyverno", policy: "p7", rule: "no" }, watched), false);
  const { policy } = snapshot.policies[0]!;
  assert.deepEqual(unscannedResults({ results: [{ policy, rules: [] }] } as never, watched), []);
  assert.deepEqual(looked, ["p7"]);
  assert.deepEqual(named("p7").map(({ policy }) => policy.key), ["p7"]);
  assert.deepEqual(named("absent"), []);
});
