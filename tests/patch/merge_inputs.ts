import fc from "fast-check";
import type { Json, JsonObject } from "../../lib/json/mod.ts";

export function pod(spec: Json, metadata: Json = { name: "p" }): JsonObject {
  return { apiVersion: "v1", kind: "Pod", metadata, spec };
}

/** Names and values are few, so that patches meet what is there. */
const name = fc.constantFrom("a", "b", "c", "d");
const element = fc.record({ name, image: fc.constantFrom("x:1", "y:latest"), tty: fc.boolean() }, {
  requiredKeys: ["name"],
});
const elements = fc.uniqueArray(element, { selector: ({ name }) => name, maxLength: 4 });
const labels = fc.dictionary(name, fc.constantFrom("1", "2"));

/** Pods whose lists have their merge keys. */
export const resource = fc.record({ containers: elements, volumes: elements, nodeSelector: labels }, {
  requiredKeys: ["containers"],
}).map((spec) => pod(spec as Json));

const anchored = fc.record({ "(name)": fc.constantFrom("a", "*"), image: name });

/** Patches that often meet them. */
export const patch = fc.record({
  spec: fc.record({
    containers: fc.oneof(elements, fc.tuple(anchored)),
    volumes: fc.oneof(elements, fc.constant(null)),
    nodeSelector: fc.dictionary(name, fc.constantFrom(null, "1", "3")),
    "+(dnsPolicy)": fc.constant("Default"),
    tolerations: fc.array(fc.record({ key: name }), { maxLength: 2 }),
  }, { requiredKeys: [] }),
});

/** Specs whose lists may repeat elements. */
export const loose = fc.record({
  containers: fc.array(element, { maxLength: 3 }),
  volumes: fc.array(element, { maxLength: 3 }),
  initContainers: fc.array(element, { maxLength: 3 }),
}, { requiredKeys: [] });

/** Patches of which many change nothing. */
export const change = fc.oneof(
  patch,
  fc.record({ spec: loose }),
  fc.constant({ metadata: { labels: { a: "1" } } }),
);

const key = fc.constantFrom(
  "spec",
  "(spec)",
  "+(x)",
  "<(kind)",
  "metadata",
  "containers",
  "$patch",
  "name",
  "__proto__",
);

/** Any JSON, with keys that mean something in patches. */
export const anything = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<Json>(null, 1, "a", "delete", "replace", "*"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  ),
})).value;
