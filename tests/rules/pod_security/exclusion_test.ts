import assert from "node:assert/strict";
import { isFault, type JsonObject } from "../../../lib/json/mod.ts";
import {
  compileExclusions,
  compilePodSecurity,
  failureMessage,
  type PodSecurityVerdict,
  reportProperties,
} from "../../../lib/rules/pod_security/mod.ts";

function verdict(
  resource: JsonObject,
  exclude: readonly JsonObject[],
  exceptions: readonly JsonObject[] = [],
): PodSecurityVerdict {
  const compiled = compilePodSecurity({ level: "baseline", version: "latest", exclude }, "kyverno");
  assert.ok(!isFault(compiled));
  const result = compiled.check(resource, compileExclusions(exceptions));
  assert.ok(!isFault(result));
  return result;
}

function pod(spec: JsonObject, metadata: JsonObject = {}): JsonObject {
  return { apiVersion: "v1", kind: "Pod", metadata, spec };
}

const twoPrivileged = pod({
  containers: [
    { name: "a", image: "ghcr.io/org/a:1", securityContext: { privileged: true } },
    { name: "b", image: "docker.io/b", securityContext: { privileged: true } },
  ],
});
const hostPaths = pod({
  containers: [],
  volumes: [{ name: "x", hostPath: { path: "/var/lib1" } }, { name: "y", hostPath: { path: "/etc" } }],
});

const cases: [name: string, resource: JsonObject, exclude: JsonObject, left: string[]][] = [
  [
    "by image leaves the other containers",
    twoPrivileged,
    { controlName: "Privileged Containers", images: ["ghcr.io/*"] },
    ["spec.containers[1].securityContext.privileged"],
  ],
  ["by any image", twoPrivileged, { controlName: "Privileged Containers", images: ["*"] }, []],
  [
    "without images does not reach set fields of containers",
    twoPrivileged,
    { controlName: "Privileged Containers" },
    ["spec.containers[0].securityContext.privileged", "spec.containers[1].securityContext.privileged"],
  ],
  [
    "of another control does nothing",
    twoPrivileged,
    { controlName: "Host Ports", images: ["*"] },
    ["spec.containers[0].securityContext.privileged", "spec.containers[1].securityContext.privileged"],
  ],
  [
    "of another field does nothing",
    twoPrivileged,
    {
      controlName: "Privileged Containers",
      images: ["*"],
      restrictedField: "spec.initContainers[*].securityContext.privileged",
    },
    ["spec.containers[0].securityContext.privileged", "spec.containers[1].securityContext.privileged"],
  ],
  ["by the pod's control", hostPaths, { controlName: "HostPath Volumes" }, []],
  [
    "by value removes one violation of the field, whichever it is",
    hostPaths,
    { controlName: "HostPath Volumes", restrictedField: "spec.volumes[*].hostPath", values: ["/var/*"] },
    ["spec.volumes[1].hostPath"],
  ],
];
for (const [name, resource, exclude, left] of cases) {
  Deno.test(`an exclusion ${name}`, () => {
    const { allowed, violations } = verdict(resource, [exclude]);
    assert.deepEqual(violations.flatMap(({ fields }) => fields.map(({ path }) => path)), left);
    assert.equal(allowed, left.length === 0);
  });
}

Deno.test("exceptions exempt objects that the rule would deny", () => {
  const exclude = { controlName: "Privileged Containers", images: ["*"] };
  const allowed = { allowed: true, isLarge: false, violations: [] };
  assert.deepEqual(verdict(twoPrivileged, [], [exclude]), { ...allowed, exempted: true });
  assert.deepEqual(verdict(twoPrivileged, [exclude]), { ...allowed, exempted: false });
});

const template = {
  metadata: { annotations: { "container.apparmor.security.beta.kubernetes.io/a": "unconfined" } },
  spec: { hostPID: true, containers: [] },
};
const located: [kind: string, resource: JsonObject, hostPid: string][] = [
  ["Pod", { kind: "Pod", ...template }, "spec.hostPID"],
  ["Deployment", { kind: "Deployment", spec: { template } }, "spec.template.spec.hostPID"],
  ["Job", { kind: "Job", spec: { template } }, "spec.template.spec.hostPID"],
  [
    "CronJob",
    { kind: "CronJob", spec: { jobTemplate: { spec: { template } } } },
    "spec.jobTemplate.spec.template.spec.hostPID",
  ],
];
for (const [kind, resource, hostPid] of located) {
  Deno.test(`check() of a ${kind} reports fields with their paths in the resource`, () => {
    const paths = verdict(resource, []).violations.flatMap(({ fields }) => fields.map(({ path }) => path));
    assert.deepEqual(paths, [
      "spec.template.metadata.annotations[container.apparmor.security.beta.kubernetes.io/a]",
      hostPid,
    ]);
  });
}

Deno.test("failureMessage() has found values, missing ones and forbidden ones without a value, reasons in the order of the violations", () => {
  const text = failureMessage({
    rule: "r",
    level: "restricted",
    version: "v1.29",
    violations: [{
      control: "c",
      name: "C",
      reason: "why",
      detail: "",
      fields: [
        { path: "spec.a", kind: "forbidden", found: ["X", "Y"] },
        { path: "spec.b", kind: "required" },
        { path: "spec.c", kind: "forbidden", found: "" },
      ],
    }, { control: "d", name: "", reason: "hosts", detail: "", fields: [] }],
  });
  assert.equal(
    text,
    `Validation rule 'r' failed. It violates PodSecurity "restricted:v1.29": (Forbidden reason: why, field error list: ` +
      "[spec.a is forbidden, forbidden values found: [X Y], spec.b: Required value, spec.c: Forbidden])" +
      "(Forbidden reason: hosts, field error list: [])",
  );
});

Deno.test("violations come in the order of Kyverno's controls, whatever their reasons", () => {
  const compiled = compilePodSecurity({ level: "restricted", version: "latest", exclude: [] }, "kyverno");
  assert.ok(!isFault(compiled));
  const result = compiled.check(
    pod({ hostPID: true, containers: [{ name: "a", securityContext: { privileged: true } }] }),
    compileExclusions([]),
  );
  assert.ok(!isFault(result));
  const { violations } = result;
  assert.deepEqual(violations.map(({ control }) => control), [
    "allowPrivilegeEscalation",
    "capabilities_restricted",
    "hostNamespaces",
    "privileged",
    "runAsNonRoot",
    "seccompProfile_restricted",
  ]);
});

Deno.test("reportProperties() names controls and the images of blamed containers", () => {
  const { violations } = verdict(twoPrivileged, []);
  const properties = reportProperties({
    level: "baseline",
    version: "latest",
    violations,
    imageOf: (name) => name === "a" ? "ghcr.io/org/a:1" : undefined,
  });
  assert.deepEqual(properties, {
    standard: "baseline",
    version: "latest",
    controls: "privileged",
    controlsJSON: '[{"ID":"privileged","Name":"Privileged Containers","Images":["ghcr.io/org/a:1","b"]}]',
  });
});
