/** Lists and blocks of conditions, their messages, and where evaluation ends. */
import assert from "node:assert/strict";
import type { Json } from "../../lib/json/mod.ts";
import { verdictOf } from "./evaluate.ts";

function met(message?: string): Json {
  return { key: "a", operator: "Equals", value: "a", ...(message === undefined ? {} : { message }) };
}

function unmet(message?: string): Json {
  return { key: "a", operator: "Equals", value: "b", ...(message === undefined ? {} : { message }) };
}

const broken: Json = { key: "{{ missing }}", operator: "Equals", value: "x", message: "never seen" };
const fault = "failed to substitute variables in condition key: failed to resolve missing at path : " +
  'JMESPath query failed: Unknown key "missing" in path';

type Case = [what: string, conditions: Json, expected: { holds: boolean; message: string } | string];

const yes = { holds: true, message: "" };
const no = { holds: false, message: "" };

const rule: readonly Case[] = [
  ["no conditions hold", null, yes],
  ["an empty block holds", {}, yes],
  ["an empty list holds", [], yes],
  ["any without conditions never holds", { any: [] }, no],
  ["all without conditions holds", { all: [] }, yes],
  ["null counts as not given", { any: null, all: null }, yes],
  ["one of any is enough", { any: [unmet("u"), met("m"), met("n")] }, { holds: true, message: "m" }],
  ["any fails when none holds", { any: [unmet("u"), unmet(), unmet("v")] }, {
    holds: false,
    message: "u; v",
  }],
  ["all holds when each holds", { all: [met("m"), met(), met("n")] }, { holds: true, message: "m; n" }],
  ["all ends at the first that fails", { all: [met("m"), unmet("u"), unmet("v")] }, {
    holds: false,
    message: "u",
  }],
  ["any and all together", { any: [met("m")], all: [met("n")] }, { holds: true, message: "m; n" }],
  ["any alone is not enough", { any: [met("m")], all: [unmet("u")] }, { holds: false, message: "u" }],
  ["all alone is not enough", { any: [unmet("u")], all: [met("m")] }, { holds: false, message: "u" }],
  ["all is evaluated though any has failed", { any: [unmet("u")], all: [unmet("v")] }, {
    holds: false,
    message: "u; v",
  }],
  ["a fault ends any", { any: [unmet(), broken, met()] }, fault],
  ["any ends before a fault", { any: [met("m"), broken] }, { holds: true, message: "m" }],
  ["a fault in all is the result, even when any has failed", { any: [], all: [broken] }, fault],
  ["all ends before a fault", { all: [unmet("u"), broken] }, { holds: false, message: "u" }],
  ["a list holds when all do", [met("m"), met(), met("n")], { holds: true, message: "m;n" }],
  ["the message of a list is that of the failed condition", [met("m"), unmet("u"), broken], {
    holds: false,
    message: "u",
  }],
  ["a list of blocks holds when all do", [{ any: [met("m"), met()] }, { all: [met("n")] }], {
    holds: true,
    message: "m;n",
  }],
  ["a list may mix conditions and blocks", [met("m"), { any: [unmet("u")] }], { holds: false, message: "u" }],
  [
    "a condition without an operator is a fault",
    [{}],
    'failed to create handler for condition operator: there is no operator ""',
  ],
  [
    "an operator that does not exist is a fault once it is reached",
    { any: [unmet(), { key: "a", operator: "Equalz", value: "a" }] },
    'failed to create handler for condition operator: there is no operator "Equalz"',
  ],
  ["an operator that does not exist is no fault before that", {
    any: [met("m"), { key: "a", operator: "Equalz", value: "a" }],
  }, {
    holds: true,
    message: "m",
  }],
  ["text is no conditions", "yes", "invalid preconditions: neither an object nor a list"],
  ["any must be a list", { any: {} }, "invalid preconditions: any is no list"],
  ["any must be a list of objects", { all: [met(), 5] }, "invalid preconditions: all[1] is no object"],
  ["a list must contain objects", ["x"], "invalid preconditions: item 0 is no object"],
];
for (const [what, conditions, expected] of rule) {
  Deno.test(`conditions of a rule: ${what}`, () => assert.deepEqual(verdictOf(conditions, {}), expected));
}

const blocks: readonly Case[] = [
  ["a list item is always a block", [{}], yes],
  ["all blocks must hold", [{ all: [met("m"), met("n")] }, { any: [met("o")] }], {
    holds: true,
    message: "m; n;o",
  }],
  ["the message is that of the first failure", [{ all: [met("m")] }, { all: [unmet("u")] }, {
    all: [broken],
  }], {
    holds: false,
    message: "u",
  }],
  ["an empty any fails", [{ any: [] }], no],
];
for (const [what, conditions, expected] of blocks) {
  Deno.test(`blocks of an attestation: ${what}`, () => {
    assert.deepEqual(verdictOf(conditions, {}, { evaluator: "blocks" }), expected);
  });
}

const exception: readonly Case[] = [
  ["conditions have no message", { all: [met("m")], any: [met("n")] }, yes],
  ["an empty any holds", { any: [] }, yes],
  ["all is evaluated first", { any: [broken], all: [unmet("u")] }, no],
  ["any needs one that holds", { any: [unmet(), unmet()], all: [met()] }, no],
  ["a fault ends the evaluation", { any: [unmet(), broken] }, fault],
];
for (const [what, conditions, expected] of exception) {
  Deno.test(`conditions of an exception: ${what}`, () => {
    assert.deepEqual(verdictOf(conditions, {}, { evaluator: "exception" }), expected);
  });
}
