/** Traces through OpenTelemetry: what a process exports to a collector, which stands in this test. */
import assert from "node:assert/strict";
import { apiQuery } from "../../lib/host/api_query.ts";
import { tracedPorts } from "../../lib/host/tracing/traced_ports.ts";
import { served } from "../cli/served.ts";
import { admissionReview } from "../server/review.ts";
import { denies, loadingPolicy, portsOf } from "../server/serving.ts";

interface Span {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { readonly code?: number; readonly message?: string };
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
}

/** A collector that takes OTLP in JSON over HTTP, and keeps the spans. */
function collector(): AsyncDisposable & {
  readonly url: string;
  wait(count: number): Promise<readonly Span[]>;
} {
  const spans: Span[] = [];
  let arrived = Promise.withResolvers<void>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const body = await request.json();
    if (new URL(request.url).pathname === "/v1/traces") {
      for (const { scopeSpans } of body.resourceSpans) {
        for (const { scope, spans: some } of scopeSpans) if (scope.name === "postern") spans.push(...some);
      }
      arrived.resolve();
      arrived = Promise.withResolvers();
    }
    return Response.json({});
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    async wait(count) {
      while (spans.length < count) await arrived.promise;
      return spans;
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const main = new URL("../../main.ts", import.meta.url).pathname;

/** Its error quotes the Secret. */
const readsSecrets = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: secrets}
spec:
  validationFailureAction: Enforce
  rules:
  - name: password
    match: {any: [{resources: {kinds: [Secret]}}]}
    validate:
      message: weak
      deny: {conditions: {all: [{key: "{{ regex_match(request.object.data.password, 'a') }}", operator: Equals, value: true}]}}
`;

async function start(folder: string, env: Record<string, string>) {
  await Deno.writeTextFile(
    `${folder}/policy.yaml`,
    [loadingPolicy("asks"), denies("never-for-services", "", "kinds: [Service]"), readsSecrets].join(
      "\n---\n",
    ),
  );
  await Deno.mkdir(`${folder}/cluster`, { recursive: true });
  await Deno.writeTextFile(
    `${folder}/cluster/settings.yaml`,
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: default}\ndata: {allowed: "no"}\n',
  );
  const args = [
    "serve",
    "--no-tls",
    "--policies",
    `${folder}/policy.yaml`,
    "--cluster-objects",
    `${folder}/cluster`,
  ];
  const permissions = ["--no-prompt", "--allow-net=127.0.0.1", `--allow-read=${folder}`, "--allow-env"];
  return await served(["run", ...permissions, main, ...args, "--port", "0", "--metrics-port", "0"], { env });
}

async function review(address: string): Promise<boolean> {
  const answer = await fetch(`${address}/validate/fail`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(admissionReview()),
  });
  return (await answer.json()).response.allowed;
}

Deno.test("with OTEL_DENO a review has a span, with a child span for each rule and each look-up", async () => {
  const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
  await using collecting = collector();
  try {
    await using server = await start(folder, {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: collecting.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "100",
    });
    assert.equal(await review(server.address), false);
    const spans = await collecting.wait(3);
    const named = new Map(spans.map((span) => [span.name, span]));
    assert.deepEqual([...named.keys()].sort(), [
      "api get configmaps",
      "review validate",
      "rule asks/asks",
    ]);
    const root = named.get("review validate")!;
    for (const span of spans) {
      assert.equal(span.traceId, root.traceId);
      assert.ok(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano), span.name);
      if (span !== root) assert.equal(span.parentSpanId, root.spanId, span.name);
    }
    assert.deepEqual(attributesOf(root), {
      "admission.uid": "review-1",
      "admission.operation": "CREATE",
      "admission.kind": "Pod",
      "admission.namespace": "default",
      "admission.name": "web",
      "admission.allowed": false,
    });
    assert.deepEqual(attributesOf(named.get("rule asks/asks")!), {
      "policy.kind": "ClusterPolicy",
      "policy.name": "asks",
      "rule.name": "asks",
      "rule.type": "validate",
      "rule.result": "fail",
    });
    assert.equal(
      attributesOf(named.get("api get configmaps")!)["url.path"],
      "/api/v1/namespaces/default/configmaps/settings",
    );
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("the span of a rule that fails for a Secret has the failure, and nothing of the Secret", async () => {
  const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
  await using collecting = collector();
  try {
    await using server = await start(folder, {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: collecting.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "100",
    });
    const object = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s" },
      data: { password: "(hunter2" },
    };
    const body = JSON.stringify(admissionReview({ kind: "Secret", resource: "secrets", object }));
    const headers = { "content-type": "application/json" };
    const answer = await (await fetch(`${server.address}/validate/fail`, { method: "POST", headers, body }))
      .json();
    assert.match(answer.response.status.message, /hunter2/, "the user is shown what is wrong");
    const spans = await collecting.wait(2);
    assert.equal(spans.find(({ name }) => name === "rule secrets/password")?.status?.code, 2);
    assert.doesNotMatch(JSON.stringify(spans), /hunter2/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("pending spans are exported when the server stops", async () => {
  const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
  await using collecting = collector();
  try {
    await using server = await start(folder, {
      OTEL_DENO: "true",
      OTEL_EXPORTER_OTLP_ENDPOINT: collecting.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      // Nothing leaves by itself while the test runs.
      OTEL_BSP_SCHEDULE_DELAY: "600000",
    });
    assert.equal(await review(server.address), false);
    assert.deepEqual(await collecting.wait(0), []);
    server.process.kill("SIGTERM");
    assert.equal((await server.process.status).code, 0);
    const names = (await collecting.wait(0)).map(({ name }) => name);
    assert.deepEqual(names.sort(), ["api get configmaps", "review validate", "rule asks/asks"]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("without OTEL_DENO nothing is exported", async () => {
  const folder = await Deno.makeTempDir({ prefix: "postern-test-" });
  await using collecting = collector();
  try {
    await using server = await start(folder, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collecting.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      OTEL_BSP_SCHEDULE_DELAY: "10",
    });
    assert.equal(await review(server.address), false);
    server.process.kill("SIGTERM");
    await server.process.status;
    assert.deepEqual(await collecting.wait(0), []);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

function attributesOf({ attributes }: Span): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}

const calls: readonly [
  name: string,
  about: Record<string, string>,
  call: (ports: ReturnType<typeof portsOf>) => Promise<unknown>,
][] = [
  [
    "api list pods",
    { "http.request.method": "GET", "url.path": "/api/v1/pods" },
    ({ cluster }) => cluster.call({ method: "GET", path: "/api/v1/pods?limit=1" }),
  ],
  // A request to a service may hold text that a resource's author wrote.
  [
    "service POST",
    { "http.request.method": "POST", "server.address": "a.example:8080" },
    ({ http }) => http.call({ method: "POST", url: "http://a.example:8080/secret/path?token=1" }),
  ],
  [
    "registry image",
    { "container.image.name": "ghcr.io/a/b:1" },
    ({ registry }) => registry.image("ghcr.io/a/b:1"),
  ],
  [
    "registry digest",
    { "container.image.name": "ghcr.io/a/b:1" },
    ({ signatures }) => signatures!.digest("ghcr.io/a/b:1", {}),
  ],
];

for (const [name, attributes, call] of calls) {
  Deno.test(`a call has the span "${name}"`, async () => {
    const nothing = () => Promise.resolve({ ok: false, why: "refused", message: "not here" } as const);
    const failing = () => Promise.resolve({ ok: false, status: undefined, message: "not here" } as const);
    const signatures = { verify: nothing, verifyText: nothing, digest: nothing, referrer: failing };
    const seen: unknown[] = [];
    const ports = portsOf({ signatures: signatures as never });
    await call(tracedPorts(ports, (about, run) => {
      seen.push(about);
      return run();
    }));
    assert.deepEqual(seen, [{ name, attributes }]);
  });
}

const queries: readonly [method: string, path: string, operation: string, resource: string][] = [
  ["GET", "/api/v1/namespaces", "list", "namespaces"],
  ["GET", "/api/v1/namespaces/default", "get", "namespaces"],
  ["GET", "/api/v1/namespaces/default/pods?limit=500", "list", "pods"],
  ["GET", "/api/v1/namespaces/default/pods/web/status", "get", "pods"],
  ["PATCH", "/apis/apps/v1/namespaces/default/deployments/web", "patch", "deployments"],
  ["POST", "/apis/wgpolicyk8s.io/v1alpha2/clusterpolicyreports", "create", "clusterpolicyreports"],
  ["DELETE", "/apis/a.io/v1/things/one", "delete", "things"],
  ["PUT", "/apis/a.io/v1/things/one/status", "update", "things"],
  ["GET", "/apis/apps/v1", "get", ""],
  ["GET", "/version", "get", ""],
];

for (const [method, path, operation, resource] of queries) {
  Deno.test(`${method} ${path} is ${operation} of ${resource || "no resource"}`, () => {
    assert.deepEqual(apiQuery(method, path), { operation, resource });
  });
}
