import assert from "node:assert/strict";
import { isFault, type JsonObject } from "../../../lib/json/mod.ts";
import { compilePodSecurity, podKinds } from "../../../lib/rules/pod_security/mod.ts";

function problem(resource: JsonObject): string {
  const compiled = compilePodSecurity({ level: "baseline" }, "kyverno");
  assert.ok(!isFault(compiled));
  const verdict = compiled.check(resource);
  return isFault(verdict) ? verdict.message : "";
}

const born = (creationTimestamp: string) => ({ kind: "Pod", metadata: { creationTimestamp }, spec: {} });
const rfc3339 = `"2006-01-02T15:04:05Z07:00"`;
const timestamps: [text: string, problem: string][] = [
  ["2026-01-02T03:04:05Z", ""],
  ["2026-01-02T03:04:05.123+01:00", ""],
  ["2024-02-29T03:04:05Z", ""],
  ["2026-01-02T03:04:05Z-x", `parsing time "2026-01-02T03:04:05Z-x": extra text: "-x"`],
  ["null", `parsing time "null" as ${rfc3339}: cannot parse "null" as "2006"`],
  ["2026-01-02", `parsing time "2026-01-02" as ${rfc3339}: cannot parse "" as "T"`],
  ["2026-13-02T03:04:05Z", `parsing time "2026-13-02T03:04:05Z": month out of range`],
  ["2026-02-30T03:04:05Z", `parsing time "2026-02-30T03:04:05Z": day out of range`],
  ["2026-01-02T25:04:05Z", `parsing time "2026-01-02T25:04:05Z": hour out of range`],
  [
    "2026-01-02T03:04:05+25:00",
    `parsing time "2026-01-02T03:04:05+25:00": time zone offset hour out of range`,
  ],
  [
    "2026-01-02T03:04:05+0a:00",
    `parsing time "2026-01-02T03:04:05+0a:00" as ${rfc3339}: cannot parse "+0a:00" as "Z07:00"`,
  ],
];
for (const [text, expected] of timestamps) {
  Deno.test(`the timestamp ${text} is ${expected === "" ? "read" : "refused"}`, () => {
    assert.equal(problem(born(text)), expected);
  });
}

const container = (rest: JsonObject) => ({ kind: "Pod", spec: { containers: [{ name: "a", ...rest }] } });
const shapes: [name: string, resource: JsonObject, problem: string][] = [
  [
    "a text for a flag",
    { kind: "Pod", spec: { hostNetwork: "true" } },
    "json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool",
  ],
  [
    "a text for a port",
    container({ ports: [{ hostPort: "80" }] }),
    "json: cannot unmarshal string into Go struct field ContainerPort.spec.containers.ports.hostPort of type int32",
  ],
  [
    "a fraction for a port",
    container({ ports: [{ hostPort: 80.5 }] }),
    "json: cannot unmarshal number 80.5 into Go struct field ContainerPort.spec.containers.ports.hostPort of type int32",
  ],
  [
    "an object for the containers",
    { kind: "Pod", spec: { containers: {} } },
    "json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container",
  ],
  [
    "a bad quantity",
    container({ resources: { limits: { memory: "" } } }),
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
  ["a kind without pods", { kind: "Service" }, "could not find correct resource type"],
];
for (const [name, resource, expected] of shapes) {
  Deno.test(`check() refuses ${name} instead of reading it as unset`, () => {
    assert.equal(problem(resource), expected);
  });
}

Deno.test("null fields are unset, and an object without a spec passes", () => {
  for (const kind of podKinds) {
    assert.equal(problem({ kind, metadata: { creationTimestamp: null }, spec: null }), "");
  }
  assert.equal(problem(container({ securityContext: null, ports: null })), "");
});
