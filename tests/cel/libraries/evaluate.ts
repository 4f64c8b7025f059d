import assert from "node:assert/strict";
import {
  celToJson,
  createEnvironment,
  dynType,
  type ExternalCalls,
  type ExternalReply,
  type ExternalRequest,
  formatCelError,
  isCelFault,
  kubernetesLibraries,
  type Library,
  pending,
  requestKey,
  type Value,
} from "../../../lib/cel/mod.ts";
import type { JsonObject } from "../../../lib/json/mod.ts";
import { typed } from "../typed.ts";

/** How a test evaluates. */
export interface Setting {
  readonly libraries?: readonly Library[];
  readonly external?: ExternalCalls;
  /** The value of the variable `object`. */
  readonly object?: Value;
}

function evaluate(expression: string, setting: Setting): Value | string {
  const { libraries = kubernetesLibraries, object = null, external } = setting;
  const compiled = createEnvironment({ variables: { object: dynType }, libraries }).compile(expression);
  if (!compiled.ok) return `compile: ${compiled.errors.map(formatCelError).join("\n")}`;
  const value = compiled.program.evaluate(
    (name) => name === "object" ? object : undefined,
    external === undefined ? {} : { external },
  );
  return isCelFault(value) ? `${value.kind}: ${value.message}` : value;
}

/** Evaluates an expression and returns the value as JSON; an error becomes a text that begins with its class. */
export function jsonOf(expression: string, setting: Setting = {}): unknown {
  const value = evaluate(expression, setting);
  return typeof value === "string" ? value : celToJson(value);
}

/** The type and value that an expression gives. */
export function typedOf(expression: string, setting: Setting = {}): unknown {
  return typed(evaluate(expression, setting));
}

/** The cost of evaluating an expression, in CEL cost units. */
export function costOf(
  expression: string,
  { libraries = kubernetesLibraries, object = null }: Setting = {},
): number {
  const compiled = createEnvironment({ variables: { object: dynType }, libraries }).compile(expression);
  assert(compiled.ok, expression);
  return compiled.program.measure((name) => name === "object" ? object : undefined).cost;
}

/** A table of expressions with what they give as JSON; a pattern stands for an error. */
export type Facts = readonly (readonly [expression: string, expected: unknown])[];

/** One test for each line of a table. */
export function testFacts(facts: Facts, setting: Setting = {}): void {
  for (const [expression, expected] of facts) {
    Deno.test(`${expression} ${expected instanceof RegExp ? "is an error" : `gives ${JSON.stringify(expected)}`}`, () => {
      const actual = jsonOf(expression, setting);
      if (expected instanceof RegExp) assert.match(String(actual), expected);
      else assert.deepEqual(actual, expected);
    });
  }
}

/** Answers some calls, and records all of them. */
export class RecordedCalls implements ExternalCalls {
  readonly calls: ExternalRequest[] = [];
  readonly generated: (readonly [namespace: string, resources: readonly JsonObject[]])[] = [];
  readonly #replies: ReadonlyMap<string, ExternalReply>;

  constructor(replies: readonly (readonly [request: ExternalRequest, reply: ExternalReply])[] = []) {
    this.#replies = new Map(replies.map(([request, reply]) => [requestKey(request), reply]));
  }

  call(request: ExternalRequest): ExternalReply | ReturnType<typeof pending> {
    this.calls.push(request);
    return this.#replies.get(requestKey(request)) ?? pending(requestKey(request));
  }

  now(): number {
    return Date.UTC(2026, 0, 2, 3, 4, 5, 678);
  }

  random(): number {
    return 0.5;
  }

  generate(namespace: string, resources: readonly JsonObject[]): undefined {
    this.generated.push([namespace, resources]);
  }
}

/** An answer with a body. */
export function found(body: (ExternalReply & { readonly ok: true })["body"], status = 200): ExternalReply {
  return { ok: true, status, body };
}

/** A failure. */
export function missing(status: number | undefined, message: string): ExternalReply {
  return { ok: false, status, message };
}
