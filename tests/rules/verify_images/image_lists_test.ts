/** The images that an image policy reads: none may escape. */
import assert from "node:assert/strict";
import type { Json } from "../../../lib/json/mod.ts";
import { pod } from "../../engine/ports.ts";
import { decideImages, digests, imageValidatingPolicy, lax, podOf } from "./setting.ts";

const failed = "error failed to evaluate policy:";

/** Expressions of `images`, and the result. */
const lists: readonly (readonly [expression: string, row: string])[] = [
  ["['r.io/one:v1']", "fail r.io/one:v1"],
  ["[object.metadata.name]", `${failed} MANIFEST_UNKNOWN: manifest unknown`],
  ["dyn(['r.io/one:v1'])", "fail r.io/one:v1"],
  ["object.spec.containers.map(c, c.image)", "fail r.io/one:v1"],
  ["object.spec.containers[0].image", `${failed} the images must be a list, and are a string`],
  ["dyn(null)", `${failed} the images must be a list, and are a null_type`],
  ["dyn({'a': 'b'})", `${failed} the images must be a list, and are a map`],
  ["[dyn(1)]", `${failed} an image must be a string, and is a int`],
  ["object.spec.containers.map(c, c)", `${failed} an image must be a string, and is a map`],
  ["object.spec.nope", `${failed} no such key: nope`],
  ["images.containers", `${failed} no such attribute(s): images`],
];

for (const [expression, row] of lists) {
  Deno.test(`the images ${expression} of a Pod`, async () => {
    const text = imageValidatingPolicy(`images: [{name: l, expression: "${expression}"}]
validations: [{expression: "false", messageExpression: "images.l.join(',')"}]
${lax}`);
    const { rows } = await decideImages(text, podOf(["r.io/one:v1"]), { phase: "validate" });
    assert.deepEqual(rows, [row]);
  });
}

for (const expression of ["'r.io/one:v1'", "1", "[1]", "null"]) {
  Deno.test(`the images ${expression} are no list of texts`, async () => {
    const text = imageValidatingPolicy(`images: [{name: l, expression: "${expression}"}]
validations: [{expression: "true"}]
${lax}`);
    const { rows } = await decideImages(text, podOf(["r.io/one:v1"]), { phase: "validate" });
    const path = `spec.images[0].expression: Invalid value: "${expression}"`;
    assert.deepEqual(rows, [
      `error failed to compile policy: ${path}: output is expected to be of type list`,
    ]);
  });
}

/** Containers, and the result of a policy that asks for digests alone. */
const containers: readonly (readonly [container: Json, row: string])[] = [
  [{ name: "a" }, `${failed} no such key: image`],
  [{ name: "a", image: "r.io/one:v1" }, "fail image r.io/one:v1 does not have a digest"],
  [
    { name: "a", image: "r.io/ONE:v1" },
    `${failed} failed to parse image reference r.io/ONE:v1: could not parse reference: r.io/ONE:v1`,
  ],
  [
    { name: "a", image: "r.io/one@sha256:12" },
    `${failed} failed to parse image reference r.io/one@sha256:12: could not parse reference: r.io/one@sha256:12`,
  ],
  [{ name: "a", image: "" }, `${failed} failed to parse image reference : could not parse reference: `],
];

for (const [container, row] of containers) {
  Deno.test(`the container ${JSON.stringify(container)} under a policy that asks for digests`, async () => {
    const text = imageValidatingPolicy(`validations: [{expression: "true"}]
validationConfigurations: {mutateDigest: true, verifyDigest: true, required: false}`);
    const object = pod({ containers: [container] });
    const { rows, decision } = await decideImages(text, object, { phase: "validate" });
    assert.deepEqual([rows, decision.allowed], [[row], false]);
  });
}

Deno.test("conditions of an image policy cannot read its images and attestors", async () => {
  for (const name of ["images", "attestors", "attestations"]) {
    const text = imageValidatingPolicy(`matchConditions: [{name: c, expression: "size(${name}) == 0"}]
validations: [{expression: "true"}]
${lax}`);
    const { rows } = await decideImages(text, podOf(["r.io/one:v1"]), { phase: "validate" });
    assert.deepEqual(rows, [`${failed} no such attribute(s): ${name}`]);
  }
});

Deno.test("a list that replaces that of the containers is read in its stead, and digests are added to containers alone", async () => {
  const text = imageValidatingPolicy(`images: [{name: containers, expression: "['r.io/two:v1']"}]
validations: [{expression: "false", messageExpression: "images.containers.join(',')"}]
validationConfigurations: {mutateDigest: true, verifyDigest: false, required: false}`);
  const object = pod({ containers: [{ name: "a" }, { name: "b", image: "r.io/one:v1" }] });
  const { rows } = await decideImages(text, object, { phase: "validate" });
  assert.deepEqual(rows, ["fail r.io/two:v1"]);
  const { images, signatures } = await decideImages(text, object, { phase: "mutate" });
  assert.deepEqual(images, ["", `r.io/one:v1@${digests.one}`]);
  assert.deepEqual(signatures.digestReads, ["r.io/one:v1"]);
});
