/** Messages stay short, however large what they are about. */
import assert from "node:assert/strict";
import { evaluate } from "../../lib/engine/mod.ts";
import type { Json, JsonObject } from "../../lib/json/mod.ts";
import { pod, policies, ports, request } from "./ports.ts";

const match = { any: [{ resources: { kinds: ["Pod"] } }] };
const long = "x".repeat(1_000_000);
const containers = Array.from({ length: 20_000 }, (_, index): Json => ({
  name: `c${index}`,
  image: "nginx",
  securityContext: { privileged: true, capabilities: { add: ["SYS_ADMIN"] } },
}));

const cases: readonly (readonly [what: string, validate: JsonObject, object: JsonObject, message: RegExp])[] =
  [
    [
      "a podSecurity rule of 20,000 privileged containers",
      { podSecurity: { level: "baseline" } },
      pod({ containers }),
      /forbidden values found: true, 19950 more\]\)/,
    ],
    [
      "a podSecurity rule with an exclusion by image",
      {
        podSecurity: { level: "baseline", exclude: [{ controlName: "Capabilities", images: ["*"] }] },
      },
      pod({ containers }),
      /19950 more\]\)$/,
    ],
    [
      "a deny rule that shows a value",
      {
        message: "bad name {{ request.object.metadata.labels.x }}",
        deny: {},
      },
      pod({}, { labels: { x: long } }),
      /^bad name x+ … \(983625 more characters\)$/,
    ],
    [
      "an image that is no image",
      {
        message: "no",
        deny: { conditions: { all: [{ key: "{{ images }}", operator: "Equals", value: "" }] } },
      },
      pod({ containers: [{ name: "a", image: "a/".repeat(500_000) }] }),
      /invalid image '(a\/){128} … \(999744 more characters\)'/,
    ],
  ];
for (const [what, validate, object, message] of cases) {
  Deno.test(`the message of ${what} is short`, async () => {
    const document = {
      apiVersion: "kyverno.io/v1",
      kind: "ClusterPolicy",
      metadata: { name: "p" },
      spec: { rules: [{ name: "r", match, validate: { failureAction: "Enforce", ...validate } }] },
    };
    const snapshot = policies(JSON.stringify(document));
    const decision = await evaluate(snapshot, request(object), { phase: "validate", ports: ports() });
    const [rule] = decision.results[0]!.rules;
    assert.equal(decision.allowed, false);
    assert.match(rule!.message, message);
    assert.ok(rule!.message.length < 20_000, String(rule!.message.length));
    assert.ok(JSON.stringify(decision.results[0]!.rules).length < 200_000);
  });
}
