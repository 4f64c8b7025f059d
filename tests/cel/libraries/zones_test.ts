/** Names of time zones that a request brings. */
import assert from "node:assert/strict";
import { zoneFormat, zoneOffset } from "../../../lib/cel/values/time.ts";
import { isCelFault } from "../../../lib/cel/fault.ts";

const zones: [what: string, zone: string, isLookedUp: boolean][] = [
  ["the longest name of a zone", "America/Argentina/ComodRivadavia", true],
  ["a name that no zone has", "Europe/Nowhere", true],
  ["a text of a megabyte", "A".repeat(1_000_000), false],
];
for (const [what, zone, isLookedUp] of zones) {
  Deno.test(`${what} is ${isLookedUp ? "" : "not "}looked up and cached`, () => {
    const lookedUp: string[] = [];
    const offset = zoneOffset(zone, 0, (name) => {
      lookedUp.push(name);
      return zoneFormat(name);
    });
    assert.deepEqual(lookedUp, isLookedUp ? [zone] : []);
    assert.equal(isCelFault(offset), zone !== "America/Argentina/ComodRivadavia");
  });
}
