import assert from "node:assert/strict";
import { isFault, type JsonObject } from "../../../lib/json/mod.ts";
import { compilePodSecurity, type Standard, type Violation } from "../../../lib/rules/pod_security/mod.ts";

interface At {
  readonly level: string;
  readonly version?: string;
  readonly standard?: Standard;
}

function violations(spec: JsonObject, at: At, annotations: JsonObject = {}): readonly Violation[] {
  const { level, version = "latest", standard = "kubernetes" } = at;
  const compiled = compilePodSecurity({ level, version }, standard);
  assert.ok(!isFault(compiled));
  const verdict = compiled.check({ kind: "Pod", metadata: { annotations }, spec });
  assert.ok(!isFault(verdict), isFault(verdict) ? verdict.message : "");
  return verdict.violations;
}

const container = (securityContext: JsonObject, rest: JsonObject = {}) => ({
  containers: [{ name: "a", image: "x", securityContext, ...rest }],
});
const hardened = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};

const baseline: [name: string, spec: JsonObject, detail: string][] = [
  ["host namespaces", { hostNetwork: true, hostIPC: true }, "hostNetwork=true, hostIPC=true"],
  ["hostPath volumes", { volumes: [{ name: "v", hostPath: { path: "/" } }] }, 'volume "v"'],
  [
    "host ports",
    container({}, { ports: [{ hostPort: 80 }, { hostPort: 0 }, { hostPort: 443 }] }),
    'container "a" uses hostPorts 443, 80',
  ],
  [
    "probe hosts",
    container({}, { livenessProbe: { httpGet: { host: "10.0.0.1" } } }),
    'container "a" uses probe or lifecycle host "10.0.0.1"',
  ],
  [
    "privileged",
    container({ privileged: true }),
    'container "a" must not set securityContext.privileged=true',
  ],
  [
    "capabilities",
    container({ capabilities: { add: ["NET_RAW", "CHOWN"] } }),
    'container "a" must not include "NET_RAW" in securityContext.capabilities.add',
  ],
  [
    "host process",
    { securityContext: { windowsOptions: { hostProcess: true } } },
    "pod must not set securityContext.windowsOptions.hostProcess=true",
  ],
  [
    "proc mount",
    container({ procMount: "Unmasked" }),
    'container "a" must not set securityContext.procMount to "Unmasked"',
  ],
  [
    "SELinux type, user and role",
    container({ seLinuxOptions: { type: "spc_t", user: "u", role: "r" } }),
    'container "a" set forbidden securityContext.seLinuxOptions: type "spc_t"; user may not be set; role may not be set',
  ],
  [
    "seccomp of pod and container",
    {
      securityContext: { seccompProfile: { type: "Unconfined" } },
      ...container({ seccompProfile: { type: "X" } }),
    },
    'pod and container "a" must not set securityContext.seccompProfile.type to "Unconfined", "X"',
  ],
  ["sysctls", { securityContext: { sysctls: [{ name: "kernel.msgmax", value: "1" }] } }, "kernel.msgmax"],
  [
    "AppArmor",
    container({ appArmorProfile: { type: "Unconfined" } }),
    'container "a" must not set AppArmor profile type to "Unconfined"',
  ],
];
for (const [name, spec, detail] of baseline) {
  Deno.test(`baseline forbids ${name}`, () => {
    assert.deepEqual(violations(spec, { level: "baseline" }).map((violation) => violation.detail), [detail]);
    assert.deepEqual(violations(spec, { level: "privileged" }), []);
  });
}

const restricted: [name: string, securityContext: JsonObject, detail: string][] = [
  [
    "privilege escalation",
    { ...hardened, allowPrivilegeEscalation: true },
    'container "a" must set securityContext.allowPrivilegeEscalation=false',
  ],
  [
    "kept capabilities",
    { ...hardened, capabilities: { add: ["CHOWN"] } },
    'container "a" must set securityContext.capabilities.drop=["ALL"]; container "a" must not include "CHOWN" in securityContext.capabilities.add',
  ],
  [
    "root",
    { ...hardened, runAsNonRoot: null },
    'pod or container "a" must set securityContext.runAsNonRoot=true',
  ],
  ["user 0", { ...hardened, runAsUser: 0 }, 'container "a" must not set runAsUser=0'],
  [
    "no seccomp profile",
    { ...hardened, seccompProfile: null },
    'pod or container "a" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"',
  ],
];
for (const [name, security, detail] of restricted) {
  Deno.test(`restricted forbids ${name}, baseline does not`, () => {
    const spec = container(security);
    assert.deepEqual(violations(spec, { level: "restricted" }).map((violation) => violation.detail), [
      detail,
    ]);
    assert.deepEqual(violations(spec, { level: "baseline" }), []);
  });
}

Deno.test("restricted allows a hardened pod with emptyDir and secret volumes", () => {
  const volumes = [{ name: "v", emptyDir: {} }, { name: "w", secret: { secretName: "s" } }];
  assert.deepEqual(violations({ ...container(hardened), volumes }, { level: "restricted" }), []);
});

Deno.test("restricted volumes replace hostPath volumes in Kubernetes and stand beside them in Kyverno", () => {
  const spec = { ...container(hardened), volumes: [{ name: "v", hostPath: { path: "/" } }] };
  const ids = (standard: Standard) =>
    violations(spec, { level: "restricted", standard }).map(({ control }) => control);
  assert.deepEqual(ids("kubernetes"), ["restrictedVolumes"]);
  assert.deepEqual(ids("kyverno"), ["hostPathVolumes", "restrictedVolumes"]);
});

const versioned: [
  name: string,
  spec: JsonObject,
  level: string,
  allowedIn: string[],
  forbiddenIn: string[],
][] = [
  [
    "probe hosts",
    container({}, { startupProbe: { tcpSocket: { host: "h" } } }),
    "baseline",
    ["v1.0", "v1.33"],
    ["v1.34", "v1.36", "latest"],
  ],
  [
    "net.ipv4.tcp_rmem",
    { securityContext: { sysctls: [{ name: "net.ipv4.tcp_rmem" }] } },
    "baseline",
    ["v1.32", "latest"],
    ["v1.0", "v1.31"],
  ],
  [
    "container_engine_t",
    container({ seLinuxOptions: { type: "container_engine_t" } }),
    "baseline",
    ["v1.31"],
    ["v1.30"],
  ],
  ["user 0", container({ ...hardened, runAsUser: 0 }), "restricted", ["v1.22"], ["v1.23"]],
  [
    "privilege escalation",
    container({ runAsNonRoot: true }),
    "restricted",
    ["v1.7"],
    ["v1.8"],
  ],
  [
    "a Windows pod without Linux settings",
    { os: { name: "windows" }, ...container({ runAsNonRoot: true }) },
    "restricted",
    ["v1.25", "latest"],
    ["v1.24"],
  ],
  [
    "root in a user namespace",
    { hostUsers: false, ...container({ ...hardened, runAsNonRoot: false, runAsUser: 0 }) },
    "restricted",
    ["v1.35", "latest"],
    ["v1.34"],
  ],
];
for (const [name, spec, level, allowedIn, forbiddenIn] of versioned) {
  Deno.test(`${level} checks ${name} by version`, () => {
    for (const version of allowedIn) assert.deepEqual(violations(spec, { level, version }), [], version);
    for (const version of forbiddenIn) assert.notDeepEqual(violations(spec, { level, version }), [], version);
  });
}

Deno.test("restricted masks /proc even in a user namespace, baseline does not", () => {
  const spec = { hostUsers: false, ...container({ ...hardened, procMount: "Unmasked" }) };
  assert.deepEqual(violations(spec, { level: "baseline" }), []);
  assert.deepEqual(violations(spec, { level: "restricted" }).map(({ control }) => control), [
    "procMount_restricted",
  ]);
});

Deno.test("seccomp is checked by annotations before 1.19", () => {
  const annotations = { "seccomp.security.alpha.kubernetes.io/pod": "unconfined" };
  const found = (version: string) => violations(container({}), { level: "baseline", version }, annotations);
  assert.deepEqual(found("v1.18").map(({ detail }) => detail), [
    'forbidden annotation seccomp.security.alpha.kubernetes.io/pod="unconfined"',
  ]);
  assert.deepEqual(found("v1.19"), []);
});

Deno.test("kyverno runs early controls and reports both ways to run as root", () => {
  const spec = {
    securityContext: { runAsNonRoot: false },
    ...container({ ...hardened, runAsNonRoot: null, allowPrivilegeEscalation: true }),
  };
  const found = violations(spec, { level: "restricted", version: "v1.0", standard: "kyverno" });
  assert.deepEqual(found.map(({ control }) => control), ["allowPrivilegeEscalation", "runAsNonRoot"]);
  assert.equal(
    found[1]!.detail,
    'pod must not set securityContext.runAsNonRoot=false\npod or container "a" must set securityContext.runAsNonRoot=true',
  );
});

Deno.test("ephemeral containers must meet the controls as well", () => {
  const spec = {
    containers: [],
    ephemeralContainers: [{ name: "e", securityContext: { privileged: true } }],
  };
  const [found] = violations(spec, { level: "baseline" });
  assert.equal(found!.fields[0]!.path, "spec.ephemeralContainers[0].securityContext.privileged");
});

for (
  const [level, version] of [["strict", "latest"], ["baseline", "1.20"], ["baseline", "v1.x"], [
    "baseline",
    "v1.01",
  ]]
) {
  Deno.test(`the level ${level} with the version ${version} is a fault`, () => {
    assert.ok(isFault(compilePodSecurity({ level: level!, version: version! }, "kyverno")));
  });
}
