/** Times by Go's layouts. */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Json } from "../../lib/json/mod.ts";
import { evaluate } from "./evaluate.ts";

function call(name: string, ...args: readonly Json[]): Json {
  const names = args.map((_, index) => `a${index}`);
  return evaluate(
    `${name}(${names.join(", ")})`,
    Object.fromEntries(names.map((key, index) => [key, args[index]!])),
  );
}

const parsed: readonly (readonly [layout: string, text: string, result: string])[] = [
  ["2006-01-02", "2024-02-29", "2024-02-29T00:00:00Z"],
  ["2006-1-2 3:4:5 PM", "2024-12-9 1:02:03 PM", "2024-12-09T13:02:03Z"],
  ["3PM", "12AM", "0000-01-01T00:00:00Z"],
  ["3pm", "12pm", "0000-01-01T12:00:00Z"],
  ["Mon, 02 Jan 2006 15:04:05 MST", "Tue, 10 Nov 2009 23:00:00 GMT", "2009-11-10T23:00:00Z"],
  ["Mon, 02 Jan 2006 15:04:05 MST", "Tue, 10 Nov 2009 23:00:00 EST", "2009-11-10T23:00:00Z"],
  ["Mon, 02 Jan 2006 15:04:05 MST", "Tue, 10 Nov 2009 23:00:00 GMT+3", "2009-11-11T02:00:00+03:00"],
  ["Monday January _2 06", "tuesday NOVEMBER  3 69", "1969-11-03T00:00:00Z"],
  ["/06", "/68", "2068-01-01T00:00:00Z"],
  ["2006-01-02T15:04:05Z07:00", "2023-01-12T17:37:00.5Z", "2023-01-12T17:37:00Z"],
  ["2006-01-02T15:04:05Z0700", "2023-01-12T17:37:00+0530", "2023-01-12T17:37:00+05:30"],
  ["2006-01-02T15:04:05-07:00:00", "2023-01-12T17:37:00-00:00:30", "2023-01-12T17:37:00-00:00"],
  ["15:04:05.000", "01:02:03.456", "0000-01-01T01:02:03Z"],
  ["15:04:05,999", "01:02:03", "0000-01-01T01:02:03Z"],
  ["2006 002", "2024 366", "2024-12-31T00:00:00Z"],
  ["2006 __2", "2024  60", "2024-02-29T00:00:00Z"],
  ["_2006", "_2024", "2024-01-01T00:00:00Z"],
  ["Janet 2006", "Janet 2024", "2024-01-01T00:00:00Z"],
  ["2006  01", "2006 02", "2006-02-01T00:00:00Z"],
  ["1", "1609601045", "2021-01-02T15:24:05Z"],
  ["0", "-1", "1969-12-31T23:59:59Z"],
  ["", "", "0000-01-01T00:00:00Z"],
];

for (const [layout, text, result] of parsed) {
  Deno.test(`time_parse(${JSON.stringify(layout)}, ${JSON.stringify(text)}) is ${result}`, () => {
    assert.equal(call("time_parse", layout, text), result);
    // A layout known at load is read then and answers alike.
    assert.equal(evaluate(`time_parse('${layout}', a)`, { a: text }), result);
  });
}

const refused: readonly (readonly [layout: string, text: string, problem: string])[] = [
  ["2006-01-02", "2023-02-30", 'parsing time "2023-02-30": day out of range'],
  ["2006-01-02", "2023-13-01", 'parsing time "2023-13-01": month out of range'],
  ["15:04", "24:00", 'parsing time "24:00": hour out of range'],
  ["15:04", "23:60", 'parsing time "23:60": minute out of range'],
  ["2006-", "2023-x", 'parsing time "2023-x": extra text: "x"'],
  ["2006-01", "2023/01", 'parsing time "2023/01" as "2006-01": cannot parse "/01" as "-"'],
  ["2006-01", "x", 'parsing time "x" as "2006-01": cannot parse "x" as "2006"'],
  [
    "2006é",
    "é\n",
    'parsing time "\\xc3\\xa9\\x0a" as "2006\\xc3\\xa9": cannot parse "\\xc3\\xa9\\x0a" as "2006"',
  ],
  ["2006 002", "2023 366", 'parsing time "2023 366": day-of-year out of range'],
  ["2006 002 01", "2023 059 03", 'parsing time "2023 059 03": day-of-year does not match month'],
  // The hours of an offset are checked first, whatever stands beside them.
  ["Z0700", "+25:00", 'parsing time "+25:00": time zone offset hour out of range'],
  ["T-0700", "Tx2561", 'parsing time "Tx2561": time zone offset hour out of range'],
  ["T-0700", "T+x061", 'parsing time "T+x061" as "T-0700": cannot parse "+x061" as "-0700"'],
  ["T-0700", "T+0161", 'parsing time "T+0161": time zone offset minute out of range'],
  // A fraction after seconds without one in the layout is read, unless one comes later in the layout.
  ["5 .000", "5.5 .500", 'parsing time "5.5 .500" as "5 .000": cannot parse ".5 .500" as " "'],
  ["MST", "abc", 'parsing time "abc" as "MST": cannot parse "abc" as "MST"'],
  ["1", "1e3", 'strconv.ParseInt: parsing "1e3": invalid syntax'],
  ["1", "9223372036854775808", 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
];

for (const [layout, text, problem] of refused) {
  Deno.test(`time_parse(${JSON.stringify(layout)}, ${JSON.stringify(text)}) is refused`, () => {
    assert.equal(call("time_parse", layout, text), `error: ${problem}`);
  });
}

const others: readonly (readonly [name: string, args: readonly Json[], result: Json])[] = [
  ["time_add", ["2023-01-31T23:00:00+01:00", "2h"], "2023-02-01T01:00:00+01:00"],
  ["time_add", ["2023-01-31T23:00:00Z", "bad"], 'error: time: invalid duration "bad"'],
  [
    "time_add",
    ["bad", "1h"],
    'error: parsing time "bad" as "2006-01-02T15:04:05Z07:00": cannot parse "bad" as "2006"',
  ],
  ["time_utc", ["2021-01-01T00:30:00+01:00"], "2020-12-31T23:30:00Z"],
  ["time_diff", ["2021-01-01T00:00:00Z", "2021-01-01T00:00:00.000000001Z"], "1ns"],
  ["time_diff", ["0001-01-01T00:00:00Z", "9999-01-01T00:00:00Z"], "2562047h47m16.854775807s"],
  ["time_before", ["2021-01-01T00:00:00Z", "2021-01-01T01:00:00+01:00"], false],
  ["time_after", ["2021-01-01T00:00:01Z", "2021-01-01T01:00:00+01:00"], true],
  ["time_between", ["2021-01-01T00:00:00Z", "2021-01-01T00:00:00Z", "2022-01-01T00:00:00Z"], false],
  ["time_truncate", ["2023-01-12T17:37:42+05:30", "15m"], "2023-01-12T17:30:00+05:30"],
  // Multiples count from the year 1 in UTC, so a day begins there and not in the zone.
  ["time_truncate", ["2023-01-12T17:37:00+05:30", "24h"], "2023-01-12T05:30:00+05:30"],
  ["time_truncate", ["2023-01-12T17:37:42Z", "-1h"], "2023-01-12T17:37:42Z"],
  ["time_to_cron", ["2023-01-01T05:06:07-07:00"], "6 5 1 1 0"],
  ["time_since", ["2006-01-02", "2023-11-14", ""], "22h13m20s"],
  ["time_since", ["", "2023-11-14T22:13:20Z", ""], "0s"],
];

for (const [name, args, result] of others) {
  Deno.test(`${name}(${args.map((arg) => JSON.stringify(arg)).join(", ")}) is ${JSON.stringify(result)}`, () => {
    assert.equal(call(name, ...args), result);
  });
}

Deno.test("the current time is the environment's", () => {
  assert.equal(evaluate("time_now()"), "2023-11-14T22:13:20Z");
  assert.equal(evaluate("time_now_utc()"), "2023-11-14T22:13:20Z");
  assert.equal(
    evaluate("time_now()", null, { environment: { now: () => -1, random: () => 0 } }),
    "1969-12-31T23:59:59Z",
  );
});

Deno.test("seconds since 1970 give the date that JavaScript computes", () => {
  fc.assert(fc.property(fc.integer({ min: -62_135_596_800, max: 253_402_300_799 }), (seconds) => {
    const expected = new Date(seconds * 1_000).toISOString().replace(".000Z", "Z");
    assert.equal(call("time_parse", "1", String(seconds)), expected);
    assert.equal(call("time_utc", expected), expected);
  }));
});

Deno.test("time_parse() never throws, for any layout and text", () => {
  const parts = fc.constantFrom(
    "2006",
    "06",
    "Jan",
    "01",
    "_2",
    "002",
    "15",
    "3",
    "PM",
    "MST",
    "Z07:00",
    "-0700",
    ".000",
    ".999",
    " ",
    "é",
    "-",
    "12",
    "+03",
  );
  fc.assert(fc.property(fc.array(parts), fc.array(parts), (layout, text) => {
    assert.equal(typeof call("time_parse", layout.join(""), text.join("")), "string");
  }));
});
