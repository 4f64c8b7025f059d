/** The log: one JSON line an event, and no secrets. */
import assert from "node:assert/strict";
import { jsonLog, type LogLevel } from "../../lib/adapters/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";
import type { LogFields } from "../../lib/ports.ts";
import { fixedClock } from "./fakes.ts";

function lineOf(fields: JsonObject): Record<string, unknown> {
  const lines: string[] = [];
  jsonLog({ clock: fixedClock(), write: (line) => lines.push(line) }).write("info", "m", fields);
  return JSON.parse(lines[0]!);
}

Deno.test("log: lines below the level are not written", () => {
  const lines: string[] = [];
  const log = jsonLog({ clock: fixedClock(), write: (line) => lines.push(line), level: "warn" });
  for (const level of ["debug", "info", "warn", "error"] satisfies LogLevel[]) log.write(level, level);
  assert.deepEqual(lines.map((line) => JSON.parse(line).message), ["warn", "error"]);
});

const secrets: [fields: JsonObject, shown: JsonObject][] = [
  [{ token: "t" }, { token: "[hidden]" }],
  [{ headers: { Authorization: "Bearer t", accept: "x" } }, {
    headers: { Authorization: "[hidden]", accept: "x" },
  }],
  [{ password: ["a"] }, { password: "[hidden]" }],
  [{ tokens: 3, clientSecret: "x" }, { tokens: 3, clientSecret: "[hidden]" }],
  [
    { object: { kind: "Secret", metadata: { name: "s" }, data: { a: "YQ==" }, stringData: { b: "c" } } },
    { object: { kind: "Secret", metadata: { name: "s" }, data: "[hidden]", stringData: "[hidden]" } },
  ],
  [{ object: { kind: "ConfigMap", data: { a: "b" } } }, { object: { kind: "ConfigMap", data: { a: "b" } } }],
];
for (const [fields, shown] of secrets) {
  Deno.test(`log: secrets are hidden in ${JSON.stringify(fields)}`, () => {
    const { time: _time, level: _level, message: _message, ...rest } = lineOf(fields);
    assert.deepEqual(rest, shown);
  });
}

Deno.test("log: fields do not replace time, level and message, and a line is one line", () => {
  const lines: string[] = [];
  const log = jsonLog({ clock: fixedClock(), write: (line) => lines.push(line) });
  const fields: JsonObject = { level: "info", message: "other", time: "never" };
  log.write("error", "two\nlines", fields as LogFields);
  assert.deepEqual(lines, ['{"time":"2026-01-01T00:00:00.000Z","level":"error","message":"two\\nlines"}']);
});

Deno.test("log: texts of callers neither act on a terminal nor change the order of what is read", () => {
  const text = "a\x1b[2J\x9b2J\x7f\u202eb\u2066\u2028c", lines: string[] = [];
  jsonLog({ clock: fixedClock(), write: (line) => lines.push(line) }).write("info", "m", { name: text });
  assert.match(lines[0]!, /^[\x20-\x7e]*$/);
  assert.equal(JSON.parse(lines[0]!).name, text);
});

Deno.test("log: hostile sizes are cut", () => {
  let deep: JsonObject = {};
  for (let depth = 0; depth < 100; depth++) deep = { deep };
  const line = JSON.stringify(lineOf({ deep, long: "x".repeat(10_000), many: new Array(10_000).fill(1) }));
  assert.ok(line.length < 10_000, String(line.length));
});

Deno.test("log: values are hidden also for more names than the cache has", () => {
  for (let index = 0; index < 600; index++) {
    const line = lineOf({ [`token_${index}_token`]: "t", [`name_${index}`]: "n" });
    assert.equal(line[`token_${index}_token`], "[hidden]");
    assert.equal(line[`name_${index}`], "n");
  }
});
