/**
 * Reviews that the API server never sends: a policy is never escaped by one. Kyverno 1.19 got the same bodies, with the
 * same policy and filters; it denies those that Postern denies, unless the row says that it admits them.
 */
import assert from "node:assert/strict";
import type { Json } from "../../lib/json/mod.ts";
import { admissionReview, pod } from "./review.ts";
import { denies, serving } from "./serving.ts";

type Fields = { [field: string]: Json };

/** The policy denies, the request is denied unevaluated, or the body is an error. */
type Answer = "by the policy" | "unevaluated" | "as an error" | "not at all";

interface Row {
  readonly what: string;
  readonly change: (request: Fields, review: Fields) => void;
  readonly denied: Answer;
  readonly kyverno?: "admits";
}

const { post } = serving(
  denies("seen", "validationFailureAction: Enforce", "kinds: [Pod, Pod/exec, Namespace, Deployment/scale]"),
);

/** Changes a field of an object of the request; `undefined` removes it. */
function change(path: string, value: Json | undefined): Row["change"] {
  return (request) => {
    const names = path.split("."), last = names.pop()!;
    const parent = names.reduce((each, name) => each[name] as Fields, request);
    if (value === undefined) delete parent[last];
    else parent[last] = value;
  };
}

function set(fields: Fields): Row["change"] {
  return (request) => void Object.assign(request, structuredClone(fields));
}

function both(...changes: readonly Row["change"][]): Row["change"] {
  return (request, review) => changes.forEach((each) => each(request, review));
}

const core = (kind: string): Fields => ({ group: "", version: "v1", kind });
const without = (field: string): Json => {
  const { [field]: _, ...rest } = pod();
  return rest as Json;
};
const exec = set({
  operation: "CONNECT",
  subResource: "exec",
  kind: core("PodExecOptions"),
  object: { apiVersion: "v1", kind: "PodExecOptions", command: ["sh"] },
});

const objects: readonly Row[] = [
  { what: "an object without a kind", change: change("object.kind", undefined), denied: "unevaluated" },
  { what: "an object with an empty kind", change: change("object.kind", ""), denied: "unevaluated" },
  { what: "an object whose kind is a number", change: change("object.kind", 7), denied: "unevaluated" },
  { what: "an object without a field", change: set({ object: {} }), denied: "unevaluated" },
  { what: "an object that is a list", change: set({ object: [] }), denied: "unevaluated" },
  { what: "an object that is a text", change: set({ object: "x" }), denied: "unevaluated" },
  { what: "an object that is false", change: set({ object: false }), denied: "unevaluated" },
  {
    what: "a former object without a kind",
    change: set({ operation: "UPDATE", oldObject: without("kind") }),
    denied: "unevaluated",
  },
  {
    what: "a deleted object without a kind",
    change: set({ operation: "DELETE", object: null, oldObject: without("kind") }),
    denied: "unevaluated",
  },
  {
    what: "an exec without a kind",
    change: both(exec, change("object.kind", undefined)),
    denied: "unevaluated",
  },
  {
    what: "an object without an apiVersion",
    change: change("object.apiVersion", undefined),
    denied: "by the policy",
  },
  { what: "an object of another kind", change: change("object.kind", "Secret"), denied: "by the policy" },
  { what: "an object of a filtered kind", change: change("object.kind", "Event"), denied: "by the policy" },
  {
    what: "an object that is a list of the API",
    change: set({ object: { apiVersion: "v1", kind: "PodList", items: [pod()] } }),
    denied: "by the policy",
  },
  {
    what: "an object whose metadata is a text",
    change: change("object.metadata", "x"),
    denied: "by the policy",
  },
  {
    what: "an object with another name",
    change: change("object.metadata.name", "x"),
    denied: "by the policy",
  },
  {
    what: "an object of a filtered namespace",
    change: change("object.metadata.namespace", "kube-system"),
    denied: "by the policy",
  },
  {
    what: "a Namespace that names another as its own",
    change: set({
      kind: core("Namespace"),
      resource: { group: "", version: "v1", resource: "namespaces" },
      object: { apiVersion: "v1", kind: "Namespace", metadata: { name: "web", namespace: "kube-system" } },
    }),
    denied: "by the policy",
  },
  { what: "a create of null", change: set({ object: null }), denied: "as an error", kyverno: "admits" },
  {
    what: "an update to null",
    change: set({ operation: "UPDATE", oldObject: pod(), object: null }),
    denied: "as an error",
    kyverno: "admits",
  },
  {
    what: "a delete of null",
    change: set({ operation: "DELETE", object: null }),
    denied: "as an error",
    kyverno: "admits",
  },
  { what: "a delete of an object", change: set({ operation: "DELETE" }), denied: "as an error" },
  {
    what: "a create with a former object",
    change: set({ oldObject: pod() }),
    denied: "by the policy",
    kyverno: "admits",
  },
];

const types: readonly Row[] = [
  {
    what: "another kind than the resource's",
    change: set({ kind: core("Secret") }),
    denied: "by the policy",
  },
  { what: "a filtered kind", change: set({ kind: core("Event") }), denied: "by the policy" },
  {
    what: "a kind that no policy sees",
    change: set({ kind: { group: "kyverno.io", version: "v2", kind: "UpdateRequest" } }),
    denied: "by the policy",
    kyverno: "admits",
  },
  { what: "a kind in lower case", change: set({ kind: core("pod") }), denied: "by the policy" },
  {
    what: "a kind of another group",
    change: set({ kind: { group: "example.com", version: "v1", kind: "Pod" } }),
    denied: "by the policy",
  },
  { what: "no kind", change: change("kind", undefined), denied: "as an error" },
  { what: "a kind that is a text", change: set({ kind: "Pod" }), denied: "as an error" },
  { what: "no resource", change: change("resource", undefined), denied: "as an error" },
  { what: "an unknown resource", change: change("resource.resource", "nothings"), denied: "by the policy" },
  { what: "another requestKind", change: set({ requestKind: core("Secret") }), denied: "by the policy" },
  {
    what: "another requestResource",
    change: set({ requestResource: { group: "", version: "v1", resource: "secrets" } }),
    denied: "by the policy",
  },
  { what: "an exec", change: exec, denied: "by the policy" },
  {
    what: "an exec that names its subresource as the requested one alone",
    change: both(exec, set({ subResource: null, requestSubResource: "exec" })),
    denied: "by the policy",
  },
  {
    what: "an exec of the kind Pod",
    change: both(exec, set({ kind: core("Pod") })),
    denied: "by the policy",
  },
  { what: "an exec without options", change: both(exec, set({ object: null })), denied: "not at all" },
  { what: "an unknown subresource", change: set({ subResource: "nope" }), denied: "not at all" },
  { what: "a filtered resource", change: change("resource.resource", "events"), denied: "not at all" },
  { what: "a filtered namespace", change: set({ namespace: "kube-system" }), denied: "not at all" },
];

const others: readonly Row[] = [
  { what: "the uid a number", change: set({ uid: 7 }), denied: "as an error" },
  { what: "no uid", change: change("uid", undefined), denied: "as an error" },
  { what: "no operation", change: change("operation", undefined), denied: "as an error" },
  { what: "an unknown operation", change: set({ operation: "PATCH" }), denied: "as an error" },
  { what: "an operation in lower case", change: set({ operation: "create" }), denied: "as an error" },
  {
    what: "a connection without a subresource",
    change: set({ operation: "CONNECT" }),
    denied: "by the policy",
  },
  { what: "no name", change: change("name", undefined), denied: "by the policy" },
  { what: "no namespace", change: change("namespace", undefined), denied: "by the policy" },
  { what: "a namespace that is a number", change: set({ namespace: 7 }), denied: "as an error" },
  { what: "no user", change: change("userInfo", undefined), denied: "by the policy" },
  { what: "a user of null", change: set({ userInfo: null }), denied: "by the policy" },
  { what: "groups of null", change: change("userInfo.groups", null), denied: "by the policy" },
  {
    what: "groups that are a text",
    change: change("userInfo.groups", "system:nodes"),
    denied: "as an error",
  },
  { what: "a filtered group", change: change("userInfo.groups", ["system:nodes"]), denied: "not at all" },
  { what: "extra without values", change: change("userInfo.extra", { a: null }), denied: "by the policy" },
  { what: "extra with a text", change: change("userInfo.extra", { a: "b" }), denied: "as an error" },
  { what: "extra with numbers", change: change("userInfo.extra", { a: [1] }), denied: "as an error" },
  { what: "dryRun as a text", change: set({ dryRun: "true" }), denied: "as an error" },
  { what: "dryRun of null", change: set({ dryRun: null }), denied: "by the policy" },
  { what: "options that are a text", change: set({ options: "x" }), denied: "by the policy" },
  { what: "unknown fields", change: set({ other: 1 }), denied: "by the policy" },
  { what: "a field in upper case", change: set({ Object: { kind: "Event" } }), denied: "as an error" },
  {
    what: "a response of its own",
    change: (_, review) => void (review["response"] = { uid: "review-1", allowed: true }),
    denied: "by the policy",
  },
  {
    what: "the version before",
    change: (_, review) => void (review["apiVersion"] = "admission.k8s.io/v1beta1"),
    denied: "as an error",
  },
  { what: "no kind of its own", change: (_, review) => void delete review["kind"], denied: "as an error" },
];

async function answered(body: Json): Promise<Answer> {
  const answer = await post("/validate/fail", body), { response } = await answer.json();
  if (answer.status !== 200) {
    assert(response?.allowed !== true);
    return "as an error";
  }
  if (response.allowed) return "not at all";
  return response.status.message.includes("seen") ? "by the policy" : "unevaluated";
}

for (const { what, change, denied } of [...objects, ...types, ...others]) {
  Deno.test(`a review with ${what} is denied ${denied}`, async () => {
    const review = structuredClone(admissionReview()) as Fields;
    change(review["request"] as Fields, review);
    assert.equal(await answered(review), denied);
  });
}

Deno.test("an object that is none is denied where the failurePolicy would admit it", async () => {
  const answer = await post("/validate/ignore", admissionReview({ object: { apiVersion: "v1" } }));
  const { response } = await answer.json();
  assert.deepEqual([answer.status, response.uid, response.allowed], [200, "review-1", false]);
  assert.match(response.status.message, /^request\.object has no kind/);
});

Deno.test("a connection without options is denied by policies in CEL alone", async () => {
  const policies = (resources: string): string => `
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: cel}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CONNECT], resources: [${resources}]}]
  validations: [{expression: "object != null", message: no options}]
${denies("seen", "validationFailureAction: Enforce", "kinds: [Pod/exec]")}`;
  const review = structuredClone(admissionReview()) as Fields;
  both(exec, set({ object: null }))(review["request"] as Fields, review);
  for (const [resources, allowed] of [["pods/exec", false], ["pods/attach", true]] as const) {
    const { response } = await (await serving(policies(resources)).post("/validate/fail", review)).json();
    assert.equal(response.allowed, allowed);
    assert.equal(response.status?.message.includes("no options") ?? false, !allowed);
  }
});
