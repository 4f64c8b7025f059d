/** The library decides reviews as the webhooks do, and says what is wrong with policies and reviews. */
import assert from "node:assert/strict";
import { decodeBase64 } from "../../lib/kube/mod.ts";
import type { Json, JsonObject } from "../../lib/json/mod.ts";
import { type AdmissionResponse, admissionResponse, evaluate, loadPolicies, type Ports } from "../../mod.ts";
import { admissionReview, pod, type ReviewParts } from "../server/review.ts";
import { policies as text } from "./policies.ts";

const { policies, diagnostics } = loadPolicies(text);

async function respond(review: Json, ports: Partial<Ports> = {}): Promise<AdmissionResponse> {
  return admissionResponse(await evaluate(policies, review, { ports }));
}

Deno.test("policies of all kinds load without an error", () => {
  assert.deepEqual(diagnostics.filter(({ severity }) => severity === "error"), []);
  assert.equal(policies.policies.length, 4);
});

Deno.test("an allowed response has the patch of the mutations", async () => {
  const response = await respond(admissionReview({ object: pod({ labels: { team: "a" } }) }));
  assert.equal(response.allowed, true);
  const patch = new TextDecoder().decode(decodeBase64(response.patch!) as Uint8Array);
  assert.deepEqual(JSON.parse(patch), [
    { op: "add", path: "/metadata/labels/digest", value: "2567a5ec9705eb7ac2c984033e06189d" },
  ]);
});

const configMap: ReviewParts = { kind: "ConfigMap", resource: "configmaps" };

const refused: readonly [what: string, review: Json, status: number, message: RegExp][] = [
  ["a Pod without the label", admissionReview(), 400, /require-team:[^]*team: .*the label team is required/],
  [
    "a Pod whose name a CEL policy denies",
    admissionReview({ object: pod({ name: "web-1", labels: { team: "a" } }) }),
    400,
    /names have letters only/,
  ],
  [
    "a look-up offline",
    admissionReview(configMap),
    400,
    /offline: the cluster cannot be reached; give evaluate\(\) the port "cluster"/,
  ],
  ["a value that is no review", { kind: "Pod" }, 400, /kind must be AdmissionReview, not "Pod"/],
  ["a review without an object", 1, 400, /the body must be an AdmissionReview object/],
];
for (const [what, review, status, message] of refused) {
  Deno.test(`the library refuses ${what}`, async () => {
    const response = await respond(review);
    assert.equal(response.allowed, false);
    assert.equal(response.patch, undefined);
    assert.equal(response.status?.code, status);
    assert.match(response.status.message, message);
  });
}

/** An AdmissionReview as client libraries declare it: without index signatures. */
interface ClientReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request?: { readonly uid: string; readonly object?: unknown };
}

Deno.test("evaluate() takes a review of any type", async () => {
  const { policies } = loadPolicies("");
  const review: ClientReview = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview" };
  assert.equal((await evaluate(policies, review)).kind, "unreadable");
});

Deno.test("evaluate() uses a given port, and the others are offline", async () => {
  const calls: string[] = [];
  const limits: JsonObject = { metadata: { name: "limits" }, data: { most: "5" } };
  const cluster: Ports["cluster"] = {
    call: ({ path }) => {
      calls.push(path);
      return Promise.resolve({ ok: true, status: 200, body: limits });
    },
    resource: () => Promise.resolve(undefined),
  };
  assert.equal((await respond(admissionReview(configMap), { cluster })).allowed, true);
  assert.deepEqual(calls, ["/api/v1/namespaces/default/configmaps/limits"]);
});

Deno.test("a look-up ends at the timeout", async () => {
  const cluster: Ports["cluster"] = {
    call: ({ signal }) =>
      new Promise((resolve) =>
        signal?.addEventListener(
          "abort",
          () => resolve({ ok: false, status: undefined, message: "took too long" }),
        )
      ),
    resource: () => Promise.resolve(undefined),
  };
  const decision = await evaluate(policies, admissionReview(configMap), { ports: { cluster }, timeout: 20 });
  assert.equal(decision.allowed, false);
});

Deno.test("a broken policy is a diagnostic with its file and line, and the others decide", async () => {
  const loaded = loadPolicies([
    { file: "good.yaml", text },
    { file: "bad.yaml", text: "a: [b" },
    { file: "rule.yaml", text: text.split("---")[1]!.replace("pattern:", "patern:") },
  ]);
  const errors = loaded.diagnostics.filter(({ severity }) => severity === "error");
  assert(errors.some(({ position }) => position?.file === "bad.yaml"));
  assert(errors.some(({ position }) => position?.file === "rule.yaml" && position.line > 1));
  const decision = await evaluate(loaded.policies, admissionReview());
  assert.deepEqual(
    decision.kind === "decided" &&
      decision.denying.map(({ policy }) => policy.name).includes("require-team"),
    true,
  );
});
