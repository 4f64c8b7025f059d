/** Somebody changes the fields of an AdmissionReview around its object: what a policy forbids is still not admitted. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Json, JsonObject } from "../../lib/json/mod.ts";
import { admissionReview, pod } from "./review.ts";
import { denies, serving } from "./serving.ts";

const policies = `
${denies("classic", "validationFailureAction: Enforce", "kinds: [Pod]")}
---
apiVersion: policies.kyverno.io/v1
kind: ValidatingPolicy
metadata: {name: cel}
spec:
  validationActions: [Deny]
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE, UPDATE, DELETE], resources: [pods]}]
  validations: [{expression: "false", message: never}]
`;

/** The paths of the fields of a review. */
const paths: readonly (readonly string[])[] = [
  ["apiVersion"],
  ["kind"],
  ["request"],
  ...["uid", "kind", "resource", "subResource", "requestKind", "requestResource", "requestSubResource"].map(
    (name) => ["request", name],
  ),
  ...["name", "namespace", "operation", "userInfo", "object", "oldObject", "dryRun"].map((
    name,
  ) => ["request", name]),
  ...["group", "version", "kind"].map((name) => ["request", "kind", name]),
  ...["group", "version", "resource"].map((name) => ["request", "resource", name]),
  ...["username", "uid", "groups", "extra"].map((name) => ["request", "userInfo", name]),
];

/** Values that no field has in a review of a Pod. */
const values: fc.Arbitrary<Json | undefined> = fc.constantFrom<Json | undefined>(
  undefined,
  null,
  7,
  -0.5,
  [],
  [null],
  [["a"]],
  { "": 1 },
  { kind: 1 },
  { length: 1, 0: "x" },
  JSON.parse('{"__proto__":{"kind":"Pod"}}') as Json,
);

const change = fc.oneof(
  fc.record({ path: fc.constantFrom(...paths), value: values }),
  fc.record({ path: fc.constantFrom(...paths), upper: fc.constant(true), value: values }),
);

/** Sets a field, or removes it for `undefined`; `upper` sets one whose name is in upper case beside it. */
function changed(review: JsonObject, { path, value, upper }: Change): JsonObject {
  const [first, ...rest] = path as [string, ...string[]];
  if (rest.length > 0) {
    const inner = review[first];
    return {
      ...review,
      [first]: changed(inner !== null && typeof inner === "object" ? inner as JsonObject : {}, {
        path: rest,
        value,
        upper,
      }),
    };
  }
  const { [first]: _former, ...others } = review;
  if (upper) return { ...review, [first.toUpperCase()]: value ?? null };
  return value === undefined ? others : { ...others, [first]: value };
}

interface Change {
  readonly path: readonly string[];
  readonly value: Json | undefined;
  readonly upper?: boolean | undefined;
}

const { post } = serving(policies);

for (const operation of ["CREATE", "UPDATE", "DELETE"]) {
  Deno.test(`a forbidden ${operation} is not allowed, whatever else the review says`, async () => {
    const review = admissionReview({ operation, object: pod() });
    const answer = await post("/validate/fail", review);
    assert.equal((await answer.json()).response.allowed, false);
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const body = changes.reduce(changed, review);
        const answer = await post("/validate/fail", body);
        const text = await answer.text();
        assert.notEqual(JSON.parse(text).response?.allowed, true, text);
      }),
      { numRuns: 700 },
    );
  });
}
