import assert from "node:assert/strict";
import type { Decision, PolicyIdentity, PolicyResult } from "../../lib/engine/mod.ts";
import { asObject } from "../../lib/json/mod.ts";
import {
  type AdmissionResponse,
  admissionResponse,
  admissionReview,
  denialMessage,
} from "../../lib/report/mod.ts";
import { decision, identity, result } from "./decisions.ts";

const subject = { kind: "Pod", namespace: "default", name: "web" };

/** A decision that the errors of policies with failurePolicy Fail deny. */
function denied(results: readonly PolicyResult[]): Decision {
  const denying = results.filter(({ policy }) => policy.failurePolicy === "Fail").flatMap((
    { policy, rules },
  ) => rules.filter(({ result }) => result === "error").map((rule) => ({ policy, rule })));
  return decision(results, { allowed: false, denying });
}

function respond(made: Decision): AdmissionResponse {
  return admissionResponse(made, subject);
}

Deno.test("the response to an admitted request without changes has only its uid", () => {
  const passed = [{ policy: identity("p"), rules: [result("r", { result: "pass" })] }];
  assert.deepEqual(respond(decision(passed)), { uid: "u-1", allowed: true });
});

Deno.test("the answered review has the version admission.k8s.io/v1", () => {
  const review = admissionReview(respond(decision([])));
  assert.deepEqual(review, {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    response: { uid: "u-1", allowed: true },
  });
});

Deno.test("a denial names the object, and every rule that did not pass, by policy", () => {
  const message = denialMessage(
    denied([
      {
        policy: identity("zeta"),
        rules: [
          result("second", { message: "validation error: needs: a colon" }),
          result("first", { result: "error", message: "failed to load\ncontext" }),
          result("fine", { result: "pass" }),
          result("none", { result: "skip" }),
        ],
      },
      { policy: identity("alpha"), rules: [result("only")] },
      { policy: identity("audited"), rules: [result("later", { action: "Audit" })] },
    ]),
    subject,
  );
  assert.equal(
    message,
    `

resource Pod/default/web was blocked due to the following policies 

alpha:
  only: only says no
zeta:
  first: |-
    failed to load
    context
  second: 'validation error: needs: a colon'
`,
  );
});

Deno.test("the message has empty text for a namespace or name that the object lacks", () => {
  const blocked = denied([{ policy: identity("p"), rules: [result("r")] }]);
  assert.match(
    denialMessage(blocked, { kind: "Pod", namespace: "", name: "" }),
    /^\n\nresource Pod\/\/ was blocked/,
  );
});

Deno.test("a denied request has a status, and the warnings of policies in CEL", () => {
  const warns = (name: string, more: Partial<PolicyIdentity> = {}): PolicyResult => ({
    policy: identity(name, { emitWarning: true, ...more }),
    rules: [result("s", { action: "Audit" })],
  });
  const results = [
    { policy: identity("p"), rules: [result("r")] },
    warns("w"),
    warns("c", { kind: "ValidatingPolicy", language: "cel" }),
  ];
  const answer = respond(denied(results));
  assert.equal(answer.allowed, false);
  assert.equal(answer.status?.code, 400);
  assert.equal(answer.status?.status, "Failure");
  assert.deepEqual(answer.warnings, ["Policy c failed: s says no"]);
  assert.equal(answer.patch, undefined);
  const failing = { policy: identity("m"), rules: [result("m", { type: "mutate", result: "error" })] };
  assert.equal(respond(denied([failing, ...results])).warnings, undefined);
});

Deno.test("the message of a failed mutation names the first policy with failurePolicy Fail, and its rules", () => {
  const failing = [
    {
      policy: identity("lenient", { failurePolicy: "Ignore" }),
      rules: [result("a", { type: "mutate", result: "error" })],
    },
    {
      policy: identity("strict"),
      rules: [
        result("b", { type: "mutate", result: "error", message: "no path" }),
        result("c", { type: "mutate", result: "pass" }),
        result("d", { type: "mutate", result: "error", message: "no list" }),
      ],
    },
  ];
  assert.equal(
    denialMessage(denied(failing), subject),
    "mutation policy strict error: failed to apply policy strict rules [b: no path d: no list]",
  );
});

const warned: [name: string, results: PolicyResult, warnings: readonly string[] | undefined][] = [
  [
    "failures and errors of rules that do not block",
    {
      policy: identity("p"),
      rules: [
        result("a", { action: "Audit" }),
        result("b", { result: "error", message: "broken" }),
        result("c", { result: "skip" }),
        result("d", { result: "pass" }),
      ],
    },
    ["policy p.a: a says no", "policy p.b: broken"],
  ],
  [
    "failures of an admission policy in the API server's words",
    {
      policy: identity("v", { kind: "ValidatingAdmissionPolicy", language: "cel", emitWarning: true }),
      rules: [result("r", { action: "Audit", properties: { binding: "b" } })],
    },
    ["Validation failed for ValidatingAdmissionPolicy 'v' with binding 'b': r says no"],
  ],
  [
    "no mutations of a policy that does not warn",
    { policy: identity("m"), rules: [result("a", { type: "mutate", result: "pass", message: "mutated" })] },
    undefined,
  ],
  [
    "mutations of a policy that warns, without skipped ones",
    {
      policy: identity("m", { emitWarning: true }),
      rules: [
        result("a", { type: "mutate", result: "pass", message: "mutated" }),
        result("b", { type: "mutate", result: "skip" }),
      ],
    },
    ["policy m.a: mutated"],
  ],
];
for (const [name, results, warnings] of warned) {
  Deno.test(`warnings name ${name}`, () => assert.deepEqual(respond(decision([results])).warnings, warnings));
}

Deno.test("a patch is JSON in base64, whatever its characters and size", () => {
  const value = "é😀".repeat(30_000);
  const patch = [{ op: "add", path: "/metadata/labels/a~1b", value }] as const;
  const answer = respond(decision([], { patch }));
  assert.equal(answer.patchType, "JSONPatch");
  const bytes = Uint8Array.from(atob(answer.patch!), (character) => character.charCodeAt(0));
  assert.deepEqual(JSON.parse(new TextDecoder().decode(bytes)), patch);
});

Deno.test("the response has the audit annotations of all rules, also for a denial", () => {
  const results = [
    { policy: identity("p"), rules: [result("a", { auditAnnotations: { "p/one": "1" } })] },
    { policy: identity("q"), rules: [result("b", { result: "pass", auditAnnotations: { "q/two": "2" } })] },
  ];
  for (const made of [decision(results), denied(results)]) {
    assert.deepEqual(respond(made).auditAnnotations, { "p/one": "1", "q/two": "2" });
  }
  assert.equal(asObject(admissionReview(respond(decision([])))["response"])?.["auditAnnotations"], undefined);
});

Deno.test("names such as __proto__ are ordinary names", () => {
  const blocked = denied([{ policy: identity("__proto__"), rules: [result("__proto__")] }]);
  assert.match(denialMessage(blocked, subject), /__proto__:\n {2}__proto__: __proto__ says no\n$/);
});
