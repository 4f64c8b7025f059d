/** Expressions about objects whose schema is known. */
import assert from "node:assert/strict";
import { createEnvironment, kubernetesLibraries, schemaType } from "../../lib/cel/mod.ts";
import type { JsonObject } from "../../lib/json/mod.ts";

const text = { type: "string" }, integer = { type: "integer" };

/** A schema as the API server publishes those of a custom resource, with references as those of its own kinds have. */
const widget: JsonObject = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        "size": integer,
        "ratio": { type: "number" },
        "active": { type: "boolean" },
        "port": { "x-kubernetes-int-or-string": true },
        "maxSurge": { default: {}, allOf: [{ $ref: "#/components/schemas/io.k8s.IntOrString" }] },
        "limits": {
          type: "object",
          additionalProperties: { $ref: "#/components/schemas/io.k8s.Quantity" },
        },
        "open": { "type": "object", "x-kubernetes-preserve-unknown-fields": true },
        "half": { "type": "object", "x-kubernetes-preserve-unknown-fields": true, "properties": { a: text } },
        "raw": { type: "object" },
        "embedded": { "type": "object", "x-kubernetes-embedded-resource": true },
        "nothing": { ...text, nullable: true },
        "namespace": text,
        "dashed-name": text,
        "under__score": text,
        "when": { ...text, format: "date-time" },
        "took": { ...text, format: "duration" },
        "bytes": { ...text, format: "byte" },
        "tags": { type: "array", items: text },
        "first": { type: "array", items: { $ref: "#/components/schemas/io.k8s.Part" } },
        "second": {
          type: "array",
          items: { default: {}, allOf: [{ $ref: "#/components/schemas/io.k8s.Part" }] },
        },
        "byName": {
          type: "object",
          additionalProperties: { type: "object", properties: { weight: integer } },
        },
      },
    },
  },
};

const schemas: Readonly<Record<string, JsonObject>> = {
  "#/components/schemas/io.k8s.IntOrString": {
    format: "int-or-string",
    oneOf: [{ type: "integer" }, { type: "string" }],
  },
  "#/components/schemas/io.k8s.Quantity": { oneOf: [{ type: "string" }, { type: "number" }] },
  "#/components/schemas/io.k8s.Part": {
    type: "object",
    properties: { name: text, parts: { type: "array", items: { $ref: "#/components/schemas/io.k8s.Part" } } },
  },
};

const environment = createEnvironment({
  variables: { object: schemaType(widget, { name: "Widget", referred: (reference) => schemas[reference] }) },
  libraries: kubernetesLibraries,
  literals: "homogeneous",
});

const cases: readonly (readonly [expression: string, mistake?: string])[] = [
  ["object.spec.size == 1"],
  ["object.spec.size == '1'", "found no matching overload for '_==_' applied to '(int, string)'"],
  ["object.spec.ratio == 1", "found no matching overload for '_==_' applied to '(double, int)'"],
  ["object.spec.active"],
  ["object.spec.siz == 1", "undefined field 'siz'"],
  ["has(object.spec.siz)", "undefined field 'siz'"],
  ["object.?spec.?siz.hasValue()", "undefined field 'siz'"],
  ["object.status.size == 1", "undefined field 'status'"],
  // Fields of every object.
  ["object.apiVersion + object.kind + object.metadata.name + object.metadata.generateName == ''"],
  ["object.metadata.uid == ''", "undefined field 'uid'"],
  // Values that a schema leaves open fit everything.
  ["object.spec.port == 1 || object.spec.port == 'http'"],
  ["object.spec.maxSurge == 1 || object.spec.maxSurge == '25%'"],
  ["quantity(object.spec.limits.cpu).isLessThan(quantity('1')) && object.spec.limits['cpu'] == 1"],
  ["object.spec.open.a == 1 && object.spec.raw.a == 'b'"],
  ["object.spec.half.a == 'x' && object.spec.half.b == 1"],
  ["object.spec.half.a == 1", "found no matching overload for '_==_' applied to '(string, int)'"],
  ["object.spec.embedded.kind == 'x' && object.spec.embedded.metadata.name == 'y'"],
  ["object.spec.embedded.kind == 1", "found no matching overload for '_==_' applied to '(string, int)'"],
  ["object.spec.nothing == null || object.spec.nothing == 'x'"],
  // Names that are no identifiers.
  ["object.spec.namespace == object.spec.__namespace__"],
  ["object.spec.dashed__dash__name == 'x'"],
  ["object.spec.under__underscores__score == 'x'"],
  ["object.spec.under__score == 'x'", "undefined field 'under__score'"],
  ["object.spec.constructor == 'x'", "undefined field 'constructor'"],
  // Texts with a format.
  ["object.spec.when < timestamp('2030-01-01T00:00:00Z')"],
  ["object.spec.when == 'x'", "found no matching overload for '_==_' applied to '(timestamp, string)'"],
  ["object.spec.took > duration('1s')"],
  ["object.spec.bytes == b'x'"],
  // Lists, maps, and schemas that contain themselves.
  ["object.spec.tags.all(tag, tag == 1)", "found no matching overload for '_==_' applied to '(string, int)'"],
  ["object.spec.byName.a.weight == 1 && object.spec.byName['b'].weight == 1"],
  ["object.spec.byName.a.wait == 1", "undefined field 'wait'"],
  ["(object.spec.first + object.spec.second).all(part, part.name == '')"],
  [
    "object.spec.first[0].parts[0].parts[0].name == 1",
    "found no matching overload for '_==_' applied to '(string, int)'",
  ],
  [
    "object.spec == object.spec.first[0]",
    "found no matching overload for '_==_' applied to '(Widget.spec, Part)'",
  ],
  ["object != null"],
];

for (const [expression, mistake] of cases) {
  Deno.test(`types by schema: ${expression}`, () => {
    const compiled = environment.compile(expression);
    const found = compiled.ok ? [] : compiled.errors.map(({ message }) => message);
    assert.deepEqual(found, mistake === undefined ? [] : [mistake]);
  });
}
