/** Authors are warned of fields that the kinds of their CEL rules do not have. */
import assert from "node:assert/strict";
import { reviewer } from "./reviewer.ts";
import { calls, document, on, path, pattern, policy, review, reviews } from "./author_reviews.ts";

function cel(
  expressions: string,
  kinds: readonly string[] = ["Deployment", "Deployment/scale"],
  more = "",
): string {
  return policy(`${on(...kinds)}\nvalidate: {cel: {expressions: [${expressions}]${more}}}`);
}

const typed: readonly (readonly [what: string, policy: string, ...warnings: string[]])[] = [
  ["that fits", cel('{expression: "object.spec.replicas > 1"}')],
  [
    "with a field that the kind does not have",
    cel('{expression: "object.replicas > 1"}'),
    `${path}.expression:apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'replicas'; | object.replicas > 1; | ......^;`,
  ],
  [
    "with two mistakes, in lines of their own",
    cel('{expression: "object.a == 1 ||\\n object.b == 1"}'),
    `${path}.expression:apps/v1, Kind=Deployment: ERROR: <input>:1:7: undefined field 'a'; | object.a == 1 ||; | ......^;` +
    "ERROR: <input>:2:8: undefined field 'b'; |  object.b == 1; | .......^;",
  ],
  [
    "for a message",
    cel(`{expression: "true", messageExpression: "'x' + object.spec.replicas"}`),
    `${path}.messageExpression:apps/v1, Kind=Deployment: ERROR: <input>:1:5: found no matching overload for '_+_' applied to '(string, int)'; | 'x' + object.spec.replicas; | ....^;`,
  ],
  [
    "that fits one of two kinds",
    cel('{expression: "object.spec.replicas > 1"}', ["Deployment", "DaemonSet", "Deployment/scale"]),
    `${path}.expression:apps/v1, Kind=DaemonSet: ERROR: <input>:1:12: undefined field 'replicas'; | object.spec.replicas > 1; | ...........^;`,
  ],
  [
    "with a variable of another type",
    cel(
      `{expression: "variables.count > '1'"}`,
      ["Deployment/scale", "Deployment"],
      ', variables: [{name: count, expression: "object.spec.replicas"}]',
    ),
    `${path}.expression:apps/v1, Kind=Deployment: ERROR: <input>:1:17: found no matching overload for '_>_' applied to '(int, string)'; | variables.count > '1'; | ................^;`,
  ],
  [
    "with a parameter of another type",
    cel(
      '{expression: "params.data.a == 1"}',
      ["Deployment"],
      ", paramKind: {apiVersion: v1, kind: ConfigMap}, paramRef: {name: a, parameterNotFoundAction: Allow}",
    ),
    `${path}.expression:apps/v1, Kind=Deployment: ERROR: <input>:1:15: found no matching overload for '_==_' applied to '(string, int)'; | params.data.a == 1; | ..............^;`,
  ],
  ["about a kind without a schema", cel('{expression: "object.a == 1"}', ["Pod"])],
  ["about every kind", cel('{expression: "object.a == 1"}', ["*"])],
];
for (const [what, text, ...warnings] of typed) {
  Deno.test(`an expression that does not fit the kind gives a warning: ${what}`, async () => {
    const found = await review("/policyvalidate", text);
    assert.equal(found.allowed, true, found.message);
    assert.deepEqual(found.warnings, warnings);
  });
}

Deno.test("an expression with hundreds of mistakes gives a warning with the first ones", async () => {
  const text = Array.from({ length: 300 }, () => "object.a == 1").join(" || ");
  const found = await review("/policyvalidate", cel(`{expression: "${text}"}`, ["Deployment", "DaemonSet"]));
  assert.equal(found.allowed, true, found.message);
  assert.equal(found.warnings.length, 1);
  assert.match(
    found.warnings[0]!,
    /expression:apps\/v1, Kind=DaemonSet: ERROR: <input>:1:7: undefined field 'a'; /,
  );
  assert.ok(found.warnings[0]!.length < 1_100, `${found.warnings[0]!.length}`);
});

Deno.test("heavy policies and parameters of kinds that are not served lead to no reading of schemas", async () => {
  const before = calls.length;
  const heavy = Array.from({ length: 600 }, () => '{expression: "object.a == 1"}').join(", ");
  assert.deepEqual((await review("/policyvalidate", cel(heavy))).warnings, []);
  const params =
    ", paramKind: {apiVersion: ../../../api/v1/secrets, kind: A}, paramRef: {name: a, parameterNotFoundAction: Allow}";
  await review("/policyvalidate", cel('{expression: "params.a == 1"}', ["Pod"], params));
  assert.deepEqual(
    calls.slice(before).map(({ path }) => path).filter((path) => path.includes("secrets")),
    [],
  );
});

Deno.test("schemas are read for rules with CEL alone, each document once", async () => {
  const readBy = async (text: string): Promise<string[]> => {
    const before = calls.length;
    await review("/policyvalidate", text);
    return calls.slice(before).map(({ path }) => path);
  };
  assert.deepEqual(await readBy(policy(`${on("Deployment")}\n${pattern}`)), []);
  assert.deepEqual(await readBy(cel('{expression: "true"}', ["Deployment", "DaemonSet"])), [
    "/openapi/v3/apis/apps/v1",
  ]);
});

Deno.test("a policy is stored without such warnings when the schemas do not come, or others read them", async () => {
  const text = cel('{expression: "object.a == 1"}');
  const failing = reviewer(reviews(() => Promise.resolve({ ok: false, status: 500, message: "busy" })));
  assert.deepEqual(await failing("/policyvalidate", text), { allowed: true, message: "", warnings: [] });
  const waiting = Promise.withResolvers<void>();
  const busy = reviewer(reviews(async (path) => {
    await waiting.promise;
    return await document(path);
  }));
  const reading = busy("/policyvalidate", text);
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual((await busy("/policyvalidate", text)).warnings, []);
  waiting.resolve();
  assert.equal((await reading).warnings.length, 1);
});
