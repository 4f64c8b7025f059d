/** Long lists of a draft, of which many patches change an element each. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { equal, isFault, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { Draft, planStrategicMerge } from "../../lib/patch/mod.ts";
import { deepFreeze } from "./frozen.ts";
import { pod } from "./merge_inputs.ts";

/** Texts that a condition compares by value are among them, and some that it does not accept as they are. */
const words = [
  "1k",
  "1000",
  "1000m",
  "60s",
  "1m",
  "0.001",
  "a",
  " a",
  "a-b",
  "1-2000",
  "a|b",
  "!a",
  "x*",
  "<5",
];
const name = fc.oneof(fc.constantFrom<Json>(...words, 1000, 7), fc.nat(30).map((number) => `c${number}`));
const sparse = { requiredKeys: [] };

const element = fc.record({
  name,
  image: fc.constantFrom("x", "y"),
  env: fc.array(fc.record({ name: fc.constantFrom("A", "B", "C"), value: fc.constantFrom("1", "2") }), {
    maxLength: 2,
  }),
}, { requiredKeys: ["name"] });
const protocol = fc.constantFrom("TCP", "UDP");
const port = fc.record({ port: fc.nat(40), protocol, name });

const keyed = fc.record({
  $patch: fc.constantFrom("delete", "replace", "merge"),
  name,
  "(name)": name,
  "(image)": fc.constantFrom("x", "*"),
  "<(image)": fc.constantFrom("x", "?"),
  "+(tty)": fc.boolean(),
  "+((image))": fc.constant("y"),
  image: fc.constantFrom<Json>("x", "z", null),
  env: fc.array(
    fc.record({ "(name)": fc.constantFrom("A", "C"), name: fc.constantFrom("A"), value: name }, sparse),
    {
      maxLength: 2,
    },
  ),
}, sparse);
/** The elements that policies write most often. */
const usual = fc.oneof(
  fc.record({ name, image: fc.constantFrom("x", "z") }),
  fc.record({ "(name)": name, image: fc.constantFrom("x", "z") }),
  fc.record({ "(name)": name, "+(image)": fc.constant("z"), "+(env)": fc.constant([]) }, {
    requiredKeys: ["(name)"],
  }),
  fc.record({ name, $patch: fc.constant("delete") }),
);
const whole = fc.constantFrom<Json>({ $patch: "replace" }, { $patch: "merge" }, {});
const specPatch = fc.record({
  $patch: fc.constantFrom("merge", "merge", "merge", "replace"),
  containers: fc.array(
    fc.oneof(
      { arbitrary: usual as fc.Arbitrary<unknown>, weight: 9 },
      { arbitrary: keyed, weight: 2 },
      whole,
    ),
    { minLength: 1, maxLength: 2 },
  ),
  ports: fc.array(
    fc.record({
      port: fc.nat(45),
      protocol: fc.constantFrom("TCP", "UDP"),
      "(name)": name,
      targetPort: fc.nat(3),
    }, {
      requiredKeys: ["port"],
    }),
    { maxLength: 2 },
  ),
  volumes: fc.array(fc.record({ name }), { maxLength: 1 }),
}, sparse);
const patch = fc.record({
  metadata: fc.record({ labels: fc.dictionary(fc.constantFrom("a", "b"), fc.constantFrom("1", null)) }),
  spec: fc.oneof(
    { arbitrary: specPatch as fc.Arbitrary<unknown>, weight: 30 },
    fc.constant([{ "(a)": "b" }]),
  ),
}, sparse);

function list<T>(element: fc.Arbitrary<T>, identity: (element: T) => unknown): fc.Arbitrary<T[]> {
  return fc.oneof(
    { arbitrary: fc.uniqueArray(element, { selector: identity, minLength: 17, maxLength: 40 }), weight: 9 },
    { arbitrary: fc.array(element, { minLength: 17, maxLength: 20 }), weight: 1 },
  );
}

const podSpec = fc.record({ containers: list(element, (each) => String(each.name)) });
const serviceSpec = fc.record({ ports: list(port, (each) => `${each.port}/${each.protocol}`) });
const plainSpec = fc.record({ ports: list(fc.record({ port: fc.nat(45) }), (each) => each.port) });
const resource = fc.oneof(
  podSpec.map((spec) => pod(spec as unknown as Json)),
  fc.oneof(serviceSpec, plainSpec).map((spec): JsonObject => ({
    ...pod(spec as unknown as Json),
    kind: "Service",
  })),
);

const step = fc.record({
  patch: patch as fc.Arbitrary<unknown> as fc.Arbitrary<Json>,
  look: fc.nat(9),
});

Deno.test("patches of a draft's long lists give the same result as single merges, whenever they are read", () => {
  fc.assert(
    fc.property(resource, fc.array(step, { minLength: 1, maxLength: 12 }), (resource, steps) => {
      let draft = new Draft(deepFreeze(structuredClone(resource)));
      let current = resource;
      for (const { patch, look } of steps) {
        const plan = planStrategicMerge(deepFreeze(structuredClone(patch)));
        assert.ok(!isFault(plan));
        const expected = plan.apply(deepFreeze(structuredClone(current)));
        const changed = plan.applyTo(draft);
        if (isFault(expected)) {
          assert.deepEqual(changed, expected);
          return;
        }
        assert.equal(changed, !equal(expected, current));
        current = structuredClone(expected);
        if (look === 1) draft = draft.fork();
        if (look === 0) assert.equal(JSON.stringify(draft.resource), JSON.stringify(current));
      }
      assert.equal(JSON.stringify(draft.resource), JSON.stringify(current));
    }),
    { numRuns: 3000 },
  );
});

const many = 60_000;
const shapes: [
  name: string,
  names: (index: number) => string,
  patch: (name: string, index: number) => Json,
][] = [
  ["by its merge key", (index) => `c${index}`, (name, index) => ({ name, image: `i${index}` })],
  [
    "by a condition on its name",
    (index) => `c${index}`,
    (name, index) => ({ "(name)": name, image: `i${index}` }),
  ],
  ["whose name is a quantity", String, (name, index) => ({ "(name)": name, image: `i${index}` })],
  [
    "with what only some lack",
    (index) => `c${index}`,
    (name, index) => ({ "(name)": name, "+(tty)": true, image: `i${index}` }),
  ],
  ["that has what would be added", (index) => `c${index}`, (name) => ({ "(name)": name, "+(image)": "i" })],
];
for (const [title, nameOf, patchOf] of shapes) {
  // With a walk over the list for each of them the test takes minutes.
  Deno.test(`a patch for each of ${many} elements, ${title}, takes linear time`, () => {
    const containers = Array.from({ length: many }, (_, index) => ({ name: nameOf(index), image: "old" }));
    const draft = new Draft(pod({ containers }));
    for (let index = many - 1; index >= 0; index--) {
      const plan = planStrategicMerge({ spec: { containers: [patchOf(nameOf(index), index)] } });
      assert.ok(!isFault(plan) && !isFault(plan.applyTo(draft)));
    }
    const { containers: merged } = draft.resource["spec"] as {
      containers: { name: string; image: string }[];
    };
    assert.equal(merged.length, many);
    for (let index = 0; index < many; index++) {
      assert.equal(merged[index]!.name, nameOf(index));
      assert.equal(merged[index]!.image, title.includes("would") ? "old" : `i${index}`);
    }
  });
}
