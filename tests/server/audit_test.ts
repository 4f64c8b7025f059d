/** The server evaluates audit rules after it has answered. */
import assert from "node:assert/strict";
import type { PolicyRequest } from "../../lib/engine/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import { AuditQueue, Metrics } from "../../lib/server/mod.ts";
import type { AuditOptions } from "../../lib/server/audit.ts";
import { ReviewHeap } from "../../lib/server/review_heap.ts";
import { admissionReview } from "./review.ts";
import { denies, loadingPolicy, portsOf, serving, silentCluster, snapshotOf } from "./serving.ts";

Deno.test("the server evaluates an audit rule once, after the answer of its webhook", async () => {
  const audited = denies("audited", "validationFailureAction: Audit");
  const { review, audit, lines, metrics } = serving(audited);
  const { allowed, warnings } = await review("/validate/fail", admissionReview());
  assert.deepEqual([allowed, warnings], [true, undefined]);
  assert.equal(lines.filter(({ message }) => message === "audit").length, 0);
  await review("/validate/ignore", admissionReview());
  await audit.drain();
  const [line, ...more] = lines.filter(({ message }) => message === "audit");
  assert.equal(more.length, 0);
  assert.deepEqual(line?.fields["rules"], [
    { policy: "audited", rule: "never", result: "fail", message: "never" },
  ]);
  assert.match(await metrics.text(), /policy_name="audited".*rule_result="fail"/);
});

Deno.test("the audit queue is bounded and counts dropped requests", async () => {
  const audited = denies("audited", "validationFailureAction: Audit");
  const { review, audit, lines } = serving(audited);
  for (let index = 0; index < 300; index++) {
    // Answers and audits take turns; a burst is many requests at once.
    void review("/validate/fail", admissionReview());
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  await audit.drain();
  const done = lines.filter(({ message }) => message === "audit").length;
  const dropped = lines.filter(({ message }) => message === "audit results dropped").map(({ fields }) =>
    Number(fields["requests"])
  );
  assert.equal(done + dropped.reduce((sum, each) => sum + each, 0), 300);
});

Deno.test("an audit line names the request once, even when many rules fail", async () => {
  const audited = denies("one", "validationFailureAction: Audit") +
    denies("two", "validationFailureAction: Audit");
  const { review, audit, lines } = serving(audited);
  await review("/validate/fail", admissionReview({ dryRun: true }));
  await audit.drain();
  const found = lines.filter(({ message }) => message === "audit").map(({ fields }) => {
    const { operation, kind, namespace, name, dryRun, rules } = fields;
    return { operation, kind, namespace, name, dryRun, rules: (rules as JsonObject[]).length };
  });
  assert.deepEqual(found, [
    { operation: "CREATE", kind: "Pod", namespace: "default", name: "web", dryRun: true, rules: 2 },
  ]);
});

Deno.test("an audit line about a Secret contains no value of it", async () => {
  const audited = denies("audited", "validationFailureAction: Audit", "kinds: [Secret]")
    .replace("message: never", 'message: "{{ request.object.data.password }} is too short"');
  const { review, audit, lines } = serving(audited);
  const object = {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "web" },
    data: { password: "aHVudGVyMg==" },
  };
  await review("/validate/fail", admissionReview({ object, kind: "Secret", resource: "secrets" }));
  await audit.drain();
  assert.equal(lines.filter(({ message }) => message === "audit").length, 1);
  assert.doesNotMatch(JSON.stringify(lines), /aHVudGVyMg/);
});

Deno.test("audits whose look-ups hang delay no others, and the server drops those beyond its limit", async () => {
  const audited = loadingPolicy("asking", "validationFailureAction: Audit") +
    denies("failing", "validationFailureAction: Audit", "kinds: [Service]");
  const snapshot = snapshotOf(audited);
  const lines: JsonObject[] = [];
  const log = {
    write: (_level: string, _message: string, fields: JsonObject = {}) => void lines.push(fields),
  };
  const queue = new AuditQueue({
    snapshot: () => snapshot,
    ports: portsOf({ cluster: silentCluster }),
    log,
    metrics: new Metrics(),
    maxLoading: 2,
    maxBytes: 1000,
  });
  for (const name of ["pod-1", "pod-2", "pod-3"]) {
    queue.add(request("Pod", name), {}, ReviewHeap.ofBytes(100));
  }
  queue.add(request("Service", "service"), {}, ReviewHeap.ofBytes(100));
  await until(() => lines.length === 2);
  assert.deepEqual(lines.map(({ name }) => name).sort(), ["pod-1", "service"]);
  // The queue drops waiting requests when a new one needs their room.
  queue.add(request("Service", "large"), {}, ReviewHeap.ofBytes(1000));
  await until(() => lines.length === 5);
  assert.deepEqual(lines.slice(2).map(({ name }) => name).sort(), ["large", "pod-2", "pod-3"]);
  await queue.drain();
});

const counts: readonly [what: string, count: number, audited: readonly string[]][] = [
  ["fit by their estimates, though not by their upper bounds, are all audited", 4, ["0", "1", "2", "3"]],
  ["do not fit by their estimates are audited without the oldest", 6, ["2", "3", "4", "5"]],
];
for (const [what, count, audited] of counts) {
  Deno.test(`reviews that ${what}`, async () => {
    const { queue, names } = auditing({ maxBytes: 4_500 });
    // Its upper bound is 24,000 bytes, and its estimate some 1,000.
    const text = JSON.stringify("x".repeat(998));
    for (let index = 0; index < count; index++) {
      queue.add(request("Service", String(index)), {}, ReviewHeap.ofText(text));
    }
    await queue.drain();
    assert.deepEqual(names, audited);
  });
}

const atOnce: readonly [what: string, milliseconds: number | undefined, audited: readonly string[]][] = [
  ["while a round of the event loop has time for it", 60_000, ["0", "1", "2"]],
  ["until that time is used up", 1e-9, ["0"]],
  ["never unless the server says so", undefined, []],
];
for (const [what, milliseconds, audited] of atOnce) {
  Deno.test(`a request is audited as soon as it is added ${what}`, async () => {
    const { queue, names } = auditing(milliseconds === undefined ? {} : { atOnce: milliseconds });
    for (const name of ["0", "1", "2"]) queue.add(request("Service", name), {}, ReviewHeap.ofBytes(100));
    assert.deepEqual(names, audited);
    await queue.drain();
    assert.deepEqual(names, ["0", "1", "2"]);
    queue.add(request("Service", "3"), {}, ReviewHeap.ofBytes(100));
    assert.deepEqual(names.slice(3), milliseconds === undefined ? [] : ["3"]);
    await queue.drain();
  });
}

/** A queue with a policy that fails for each Service, and the names of the objects that the log shows as audited. */
function auditing(bounds: Pick<AuditOptions, "maxBytes" | "atOnce">): {
  readonly queue: AuditQueue;
  readonly names: unknown[];
} {
  const snapshot = snapshotOf(denies("failing", "validationFailureAction: Audit", "kinds: [Service]"));
  const names: unknown[] = [];
  const queue = new AuditQueue({
    snapshot: () => snapshot,
    ports: portsOf({}),
    log: { write: (_level, message, fields) => void (message === "audit" && names.push(fields?.["name"])) },
    metrics: new Metrics(),
    ...bounds,
  });
  return { queue, names };
}

function request(kind: string, name: string): PolicyRequest {
  return {
    uid: name,
    operation: "CREATE",
    group: "",
    version: "v1",
    kind,
    subresource: "",
    namespace: "default",
    name,
    object: { apiVersion: "v1", kind, metadata: { name } },
    oldObject: undefined,
    requester: undefined,
    dryRun: false,
    variable: { name },
  };
}

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1000 && !isSo(); tries++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
