/** The header `Date` of answers. */
import assert from "node:assert/strict";
import { DateHeader } from "../../lib/listener/date_header.ts";

Deno.test("the date is that of the clock's second, also when the clock is set back", () => {
  let now = 0;
  const header = new DateHeader(() => now);
  const at = (milliseconds: number): string => {
    now = milliseconds;
    return header.text();
  };
  assert.equal(at(1_700_000_000_999), "Tue, 14 Nov 2023 22:13:20 GMT");
  assert.equal(at(1_700_000_000_000), "Tue, 14 Nov 2023 22:13:20 GMT");
  assert.equal(at(1_700_000_001_000), "Tue, 14 Nov 2023 22:13:21 GMT");
  assert.equal(at(1_600_000_000_500), "Sun, 13 Sep 2020 12:26:40 GMT");
});
