/** The names of events: the API server takes them whatever the objects are called that they are about. */
import assert from "node:assert/strict";
import { dig } from "../../lib/json/mod.ts";
import { eventObject } from "../../lib/live/events/event.ts";

/** The names that the API server takes: RFC 1123. */
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const names: Readonly<Record<string, readonly [name: string, start: string]>> = {
  "a name of letters": ["web-1", "web-1."],
  "a role": ["system:node", "system-node."],
  "a role whose parts begin and end with colons": [":a:.:b:", "a.b."],
  "a long name that is cut behind a dot": [`${"a".repeat(199)}.b`, `${"a".repeat(199)}.`],
  "a long name that is cut behind a hyphen": [`${"a".repeat(199)}-b`, `${"a".repeat(199)}.`],
  "a name without any letter": [":::", ""],
};

for (const [what, [name, start]] of Object.entries(names)) {
  Deno.test(`an event about ${what} has a name that the API server takes`, () => {
    const event = {
      regarding: { name },
      reason: "PolicyViolation",
      action: "Resource Passed",
      message: "",
      component: "c",
    } as const;
    const given = String(dig(eventObject(event, { now: 1, serial: 2 }), "metadata", "name"));
    assert.match(given, subdomain);
    assert.equal(given, `${start}10002`);
  });
}
