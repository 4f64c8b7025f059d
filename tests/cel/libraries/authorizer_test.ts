/** Questions about access in CEL become SubjectAccessReviews. */
import assert from "node:assert/strict";
import {
  accessUserOf,
  Authorizer,
  authorizerType,
  celToJson,
  createEnvironment,
  isCelFault,
  kubernetesLibraries,
  resourceCheckType,
  type Value,
} from "../../../lib/cel/mod.ts";
import type { Json } from "../../../lib/json/mod.ts";
import { found, missing, RecordedCalls } from "./evaluate.ts";

const subject = accessUserOf({ username: "alice", groups: ["dev"], uid: "7", extra: { scope: ["a"] } });
const authorizer = new Authorizer(subject);
const variables = { authorizer: authorizerType, "authorizer.requestResource": resourceCheckType };
const values: Record<string, Value> = {
  authorizer,
  "authorizer.requestResource": authorizer.requestResource({
    group: "apps",
    resource: "deployments",
    namespace: "web",
  }),
};

function check(expression: string, external: RecordedCalls): Json | string {
  const compiled = createEnvironment({ variables, libraries: kubernetesLibraries }).compile(expression);
  assert(compiled.ok, expression);
  const value = compiled.program.evaluate((name) => values[name], { external });
  if (isCelFault(value)) return `${value.kind}: ${value.message}`;
  const json = celToJson(value);
  return isCelFault(json) ? json.message : json;
}

const alice = { user: "alice", groups: ["dev"], uid: "7", extra: { scope: ["a"] } };
const resource = { version: "*", group: "apps", resource: "deployments" };

const cases: readonly (readonly [expression: string, spec: { readonly [name: string]: Json }])[] = [
  ["authorizer.group('apps').resource('deployments').check('create')", {
    ...alice,
    resourceAttributes: { ...resource, verb: "create" },
  }],
  [
    "authorizer.group('apps').resource('deployments').subresource('scale').namespace('test').name('x').check('get')",
    {
      ...alice,
      resourceAttributes: { ...resource, subresource: "scale", namespace: "test", name: "x", verb: "get" },
    },
  ],
  ["authorizer.path('/healthz').check('get')", {
    ...alice,
    nonResourceAttributes: { path: "/healthz", verb: "get" },
  }],
  ["authorizer.serviceAccount('ci', 'bot').group('').resource('pods').check('list')", {
    user: "system:serviceaccount:ci:bot",
    groups: ["system:serviceaccounts", "system:serviceaccounts:ci"],
    resourceAttributes: { version: "*", group: "", resource: "pods", verb: "list" },
  }],
  ["authorizer.requestResource.check('custom')", {
    ...alice,
    resourceAttributes: { ...resource, namespace: "web", verb: "custom" },
  }],
  [
    "authorizer.group('').resource('pods').fieldSelector('spec.nodeName=a').labelSelector('x=y').check('list')",
    {
      ...alice,
      resourceAttributes: {
        version: "*",
        group: "",
        resource: "pods",
        fieldSelector: { rawSelector: "spec.nodeName=a" },
        labelSelector: { rawSelector: "x=y" },
        verb: "list",
      },
    },
  ],
];

for (const [expression, spec] of cases) {
  Deno.test(`${expression} checks the access and returns the decision`, () => {
    const waiting = new RecordedCalls();
    assert.match(String(check(`${expression}.allowed()`, waiting)), /^pending/);
    assert.deepEqual(waiting.calls, [{ kind: "access", spec }]);
    const status = { allowed: true, reason: "because" };
    const external = new RecordedCalls([[{ kind: "access", spec }, found({ status }, 201)]]);
    assert.equal(check(`${expression}.allowed()`, external), true);
    assert.equal(check(`${expression}.reason()`, external), "because");
    assert.equal(check(`${expression}.errored()`, external), false);
  });
}

Deno.test("a review that fails is a decision with an error, and allows nothing", () => {
  const spec = { ...alice, nonResourceAttributes: { path: "/x", verb: "get" } };
  const external = new RecordedCalls([[{ kind: "access", spec }, missing(500, "down")]]);
  assert.equal(check("authorizer.path('/x').check('get').allowed()", external), false);
  assert.equal(check("authorizer.path('/x').check('get').errored()", external), true);
  assert.equal(check("authorizer.path('/x').check('get').error()", external), "down");
});

const mistakes: readonly (readonly [expression: string, message: RegExp])[] = [
  ["authorizer.path('  ')", /path must not be empty/],
  ["authorizer.group('apps').resource('')", /resource must not be empty/],
  ["authorizer.serviceAccount('not@a#valid!namespace', 'validname')", /Invalid service account namespace/],
  ["authorizer.serviceAccount('valid', 'invalid@*name')", /Invalid service account name/],
];
for (const [expression, message] of mistakes) {
  Deno.test(`${expression} is an error`, () =>
    assert.match(String(check(expression, new RecordedCalls())), message));
}

Deno.test("an expression may check access twice, and not three times", () => {
  const spec = { ...alice, nonResourceAttributes: { path: "/x", verb: "get" } };
  const external = new RecordedCalls([[{ kind: "access", spec }, found({ status: { allowed: true } })]]);
  const once = "authorizer.path('/x').check('get').allowed()";
  assert.equal(check(`${once} && ${once}`, external), true);
  assert.match(String(check(`${once} && ${once} && ${once}`, external)), /^cost/);
});
