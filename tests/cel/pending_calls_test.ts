/** Functions that read values from outside are pending until they are loaded. */
import assert from "node:assert/strict";
import {
  type CelFault,
  dynType,
  type ExternalCalls,
  type ExternalReply,
  type ExternalRequest,
  failure,
  isCelFault,
  kyvernoLibraries,
  type Library,
  pending,
  stringType,
} from "../../lib/cel/mod.ts";
import type { Json } from "../../lib/json/mod.ts";
import { overload } from "../../lib/cel/libraries/library.ts";
import { activation, program } from "./budgeted_program.ts";

const loading: Library = {
  name: "test",
  functions: [{
    name: "test.load",
    overloads: [
      overload({
        id: "test_load",
        takes: [stringType],
        gives: dynType,
        callOut: (external, name) => {
          const reply = external.call({ kind: "global", name, projection: "" });
          if (isCelFault(reply)) return reply;
          return reply.ok ? reply.body : failure(reply.message);
        },
      }),
    ],
  }],
};

/** Answers the calls that it has answers for, and records all of them. */
class RecordedCalls implements ExternalCalls {
  readonly calls: string[] = [];
  readonly loaded = new Map<string, Json>();

  call(request: ExternalRequest): ExternalReply | CelFault {
    assert(request.kind === "global");
    const body = this.loaded.get(request.name);
    if (body !== undefined) return { ok: true, status: 200, body };
    this.calls.push(request.name);
    return pending(request.name);
  }

  now(): number {
    return 0;
  }

  random(): number {
    return 0;
  }

  generate(): undefined {
    return undefined;
  }
}

Deno.test("a loop draws no more random numbers than a rule has time for", () => {
  const external = new RecordedCalls();
  let drawn = 0;
  external.random = () => (drawn++, 0.5);
  const items = Array.from({ length: 10_000 }, () => 0),
    name = (each: string) => each === "object" ? { items } : undefined;
  const run = program("object.items.all(x, random('[a-z]{1000}') != '')", kyvernoLibraries);
  const result = run.evaluate(name, { external });
  assert(isCelFault(result), String(result));
  assert(drawn <= 1_001_000, `${drawn}`);
});

Deno.test("a function that reads a value from outside is pending until the value is loaded", () => {
  const run = program("test.load('a') + test.load('b') == 3", [loading]);
  const external = new RecordedCalls();
  const first = run.evaluate(activation, { external });
  assert(isCelFault(first) && first.kind === "pending");
  assert.deepEqual(external.calls, ["a", "b"]);
  external.loaded.set("a", 1).set("b", 2);
  assert.equal(run.evaluate(activation, { external }), true);
});

Deno.test("a pending value wins over errors, because it may decide the result", () => {
  const run = program("object.missing || test.load('a')", [loading]);
  const external = new RecordedCalls();
  const first = run.evaluate(activation, { external });
  assert(isCelFault(first) && first.kind === "pending");
  external.loaded.set("a", true);
  assert.equal(run.evaluate(activation, { external }), true);
  assert.equal(program("true || test.load('a')", [loading]).evaluate(activation), true);
});

Deno.test("without external calls, a function that needs them is an error", () => {
  const value = program("test.load('a')", [loading]).evaluate(activation);
  assert(isCelFault(value) && value.kind === "no_such_overload");
});
