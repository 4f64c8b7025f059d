/** Image policies with expressions that do not compile: the message says which, in Kyverno's words. */
import assert from "node:assert/strict";
import { decideImages, imageValidatingPolicy, lax, podOf } from "./setting.ts";

/** An ImageValidatingPolicy whose spec ends in `fields`. */
const policy = (fields: string): string => imageValidatingPolicy(`${lax}\n${fields}`);

const valid = 'validations: [{expression: "true"}]';

/** Fields, and what follows `failed to compile policy: `, as Kyverno 1.19 answers. */
const broken: (readonly [fields: string, message: string])[] = [
  [
    'validations: [{expression: "variables.nope == 1"}]',
    `spec.validations[0].expression: Invalid value: "variables.nope == 1": ERROR: <input>:1:10: undefined field 'nope'
 | variables.nope == 1
 | .........^`,
  ],
  [
    "validations: [{expression: \"'a'\"}, {expression: nope}]",
    `spec.validations[0].expression: Invalid value: "'a'": output is expected to be of type bool`,
  ],
  [
    'validations: [{expression: "true", messageExpression: "1"}]',
    `spec.validations[0].messageExpression: Invalid value: "1": output is expected to be of type string`,
  ],
  [
    `matchConditions: [{name: a, expression: nope}, {name: b, expression: "1"}]\n${valid}`,
    `[spec.matchConditions[0].expression: Invalid value: "nope": ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')
 | nope
 | ^, spec.matchConditions[1].expression: Invalid value: "1": output is expected to be of type bool]`,
  ],
  [
    `matchImageReferences: [{expression: "object.metadata.name == 'a'"}]\n${valid}`,
    `<nil>: Internal error: failed to compile matches: spec.MatchImageReferences[0].expression: Invalid value: "object.metadata.name == 'a'": ERROR: <input>:1:1: undeclared reference to 'object' (in container '')
 | object.metadata.name == 'a'
 | ^`,
  ],
  [
    "validations: [{expression: \"ref == 'a'\"}]",
    `spec.validations[0].expression: Invalid value: "ref == 'a'": ERROR: <input>:1:1: undeclared reference to 'ref' (in container '')
 | ref == 'a'
 | ^`,
  ],
  [
    `images: [{name: l, expression: variables.v}]\nvariables: [{name: v, expression: "['a']"}]\n${valid}`,
    `spec.images[0].expression: Invalid value: "variables.v": ERROR: <input>:1:10: undefined field 'v'
 | variables.v
 | .........^`,
  ],
];

broken.push(
  [
    `auditAnnotations: [{key: k, valueExpression: "1"}]\n${valid}`,
    'spec.auditAnnotations[0].valueExpression: Invalid value: "1": output is expected to be either of type string or null_type',
  ],
  [
    `variables: [{name: v, expression: ""}]\n${valid}`,
    `spec.variables[0].expression: Invalid value: "": ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}`,
  ],
);

for (const [fields, message] of broken) {
  Deno.test(`an image policy with ${fields.replaceAll("\n", " ")} does not compile`, async () => {
    const { decision } = await decideImages(policy(fields), podOf(["r.io/one:v1"]), { phase: "validate" });
    assert.deepEqual(
      decision.results.flatMap(({ rules }) =>
        rules.map(({ rule, result, message }) => [rule, result, message])
      ),
      [["evaluation", "error", `failed to compile policy: ${message}`]],
    );
  });
}

Deno.test("an image policy that does not compile refuses, in both phases, unless its failurePolicy is Ignore", async () => {
  const fields = "validations: [{expression: nope}]\nvalidationActions: [Deny]";
  for (const phase of ["mutate", "validate"] as const) {
    for (const [more, isAllowed] of [["", false], ["\nfailurePolicy: Ignore", true]] as const) {
      const text = policy(fields + more).replace("mutateDigest: false", "mutateDigest: true");
      const { decision } = await decideImages(text, podOf(["r.io/one:v1"]), { phase });
      assert.equal(decision.allowed, isAllowed, `${phase}${more}`);
    }
  }
});

Deno.test("an attestor can be compared with null", async () => {
  const fields = 'validations: [{expression: "attestors.a != null"}]';
  const { rows } = await decideImages(policy(fields), podOf(["r.io/one:v1"]), { phase: "validate" });
  assert.deepEqual(rows, ["pass success"]);
});

Deno.test("errors of one expression take a bounded part of a message", async () => {
  const fields = `validations: [{expression: "${
    Array.from({ length: 500 }, () => "nope").join(" + ")
  } == 1"}]`;
  const { rows } = await decideImages(policy(fields), podOf(["r.io/one:v1"]), { phase: "validate" });
  assert.ok(rows[0]!.length < 32_768, `${rows[0]!.length}`);
});

const attestors = "attestors: [{name: a, cosign: {key: {data: A}, ctlog: {insecureIgnoreTlog: true}}}]";
const verifies = (image: string, name: string): string =>
  `verifyImageSignatures('${image}', [attestors.${name}]) > 0`;

/** Attestors with expressions, a validation, and the result. */
const lazily: readonly (readonly [key: string, validation: string, row: string])[] = [
  ["object.nope", "images.containers.size() == 1", "pass success"],
  ["object.nope", verifies("r.io/one:v1", "a"), "pass success"],
  [
    "object.nope",
    verifies("r.io/one:v1", "b"),
    "error failed to evaluate policy: failed to convert key in compiled attestor: b, error: failed to evaluate compiled attestor: b, error: no such key: nope",
  ],
  ["'B'", verifies("r.io/two:v1", "b"), "pass success"],
  [
    "string(verifyImageSignatures('r.io/one:v1', [attestors.b]))",
    verifies("r.io/one:v1", "b"),
    "error failed to evaluate policy: failed to convert key in compiled attestor: b, error: failed to evaluate compiled attestor: b, error: the attestor b needs itself",
  ],
];

for (const [key, validation, row] of lazily) {
  Deno.test(`an attestor with the key ${key} under ${validation}`, async () => {
    const second = `, {name: b, cosign: {key: {expression: "${key}"}, ctlog: {insecureIgnoreTlog: true}}}]`;
    const text = policy(`validations: [{expression: "${validation}"}]`)
      .replace(attestors, attestors.slice(0, -1) + second);
    const { rows } = await decideImages(text, podOf(["r.io/one:v1"]), { phase: "validate" });
    assert.deepEqual(rows, [row]);
  });
}

/** Parts of an attestor with an expression, and the part that its failure names. */
const parts: readonly (readonly [attestor: string, part: string])[] = [
  ["cosign: {certificate: {cert: {expression: object.nope}}}", "cert"],
  ["cosign: {certificate: {certChain: {expression: object.nope}}}", "cert chain"],
  ["cosign: {key: {data: A}, trustedRoot: {expression: object.nope}}", "trustedRoot"],
  ["notary: {certs: {expression: object.nope}}", "notary cert"],
  ["notary: {certs: {value: A}, tsaCerts: {expression: object.nope}}", "notary tsa cert"],
];

for (const [attestor, part] of parts) {
  Deno.test(`an attestor whose expression fails: ${attestor}`, async () => {
    const validation = verifies("r.io/one:v1", "b");
    const text = policy(`validations: [{expression: "${validation}"}]`)
      .replace(attestors, `${attestors.slice(0, -1)}, {name: b, ${attestor}}]`);
    const { rows } = await decideImages(text, podOf(["r.io/one:v1"]), { phase: "validate" });
    const why = "error: failed to evaluate compiled attestor: b, error: no such key: nope";
    assert.deepEqual(rows, [
      `error failed to evaluate policy: failed to convert ${part} in compiled attestor: b, ${why}`,
    ]);
  });
}
