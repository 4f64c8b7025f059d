/** Whole numbers beyond 2^53: the patch of an answer changes none that no policy is about. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { isList, isObject, type Json, type JsonObject } from "../../lib/json/mod.ts";
import { admissionReview } from "./review.ts";
import { serving } from "./serving.ts";

/** An item of the object in the tests: its numbers are texts, as the object's text has them. */
interface Item {
  readonly name: string;
  readonly id: string;
  readonly more: readonly string[];
}

/** A mutation, and what it does to the items. */
interface Mutation {
  readonly policy: string;
  readonly expected: (items: readonly Item[]) => readonly Item[];
}

const classic = (mutate: string): string => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: { name: classic }
spec:
  rules:
    - name: change
      match: { any: [{ resources: { kinds: [Widget] } }] }
      mutate: ${mutate}`;

const inCel = (mutation: string): string => `
apiVersion: policies.kyverno.io/v1
kind: MutatingPolicy
metadata: { name: cel }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [widgets] }]
  mutations:
    - ${mutation}`;

const asItIs = (items: readonly Item[]): readonly Item[] => items;

const mutations: Readonly<Record<string, Mutation>> = {
  "a strategic merge patch": {
    policy: classic(`{ patchStrategicMerge: { metadata: { labels: { a: b } } } }`),
    expected: asItIs,
  },
  "a removal": {
    policy: classic(`{ patchesJson6902: '[{"op":"remove","path":"/spec/items/0"}]' }`),
    expected: (items) => items.slice(1),
  },
  "a move": {
    policy: classic(
      `{ patchesJson6902: '[{"op":"move","from":"/spec/items/0","path":"/spec/items/-"}]' }`,
    ),
    expected: (items) => [...items.slice(1), items[0]!],
  },
  "a foreach": {
    policy: classic(
      `{ foreach: [{ list: request.object.spec.items, patchesJson6902: '[{"op":"add","path":"/spec/items/{{elementIndex}}/seen","value":"yes"}]' }] }`,
    ),
    expected: asItIs,
  },
  "an apply configuration": {
    policy: inCel(
      `{ patchType: ApplyConfiguration, applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"a": "b"}}}' } }`,
    ),
    expected: asItIs,
  },
  "a list in CEL": {
    policy: inCel(
      `{ patchType: JSONPatch, jsonPatch: { expression: '[JSONPatch{op: "add", path: "/spec/items", value: object.spec.items.filter(i, i.name != "b")}]' } }`,
    ),
    expected: (items) => items.filter(({ name }) => name !== "b"),
  },
  "a new map in CEL": {
    policy: inCel(
      `{ patchType: JSONPatch, jsonPatch: { expression: '[JSONPatch{op: "add", path: "/spec", value: {"items": dyn(object.spec.items.map(i, {"name": dyn(i.name), "id": dyn(i.id), "more": dyn(i.more.map(m, m))})), "x": dyn("y")}}]' } }`,
    ),
    expected: asItIs,
  },
};

function textOf(items: readonly Item[]): string {
  const written = items.map(({ name, id, more }) => `{"name":"${name}","id":${id},"more":[${more}]}`);
  return `{"apiVersion":"v1","kind":"Widget","metadata":{"name":"web"},"spec":{"items":[${written}]}}`;
}

function reviewOf(items: readonly Item[]): string {
  const review = admissionReview({ kind: "Widget", resource: "widgets", object: { here: "it is" } });
  return JSON.stringify(review).replace('{"here":"it is"}', textOf(items));
}

interface Answer {
  readonly response: {
    readonly allowed: boolean;
    readonly patch?: string;
    readonly status?: { readonly message: string };
  };
}

const answering = Object.fromEntries(
  Object.entries(mutations).map(([name, { policy }]) => [name, serving(policy).post]),
);

/** The items after the patch of the answer, with their numbers as texts; the message of a denied request. */
async function itemsAfter(name: string, items: readonly Item[]): Promise<Json[] | string> {
  const answer = await answering[name]!("/mutate", reviewOf(items));
  const { response } = await answer.json() as Answer;
  if (!response.allowed) return response.status!.message;
  const patch = exact(atob(response.patch ?? btoa("[]"))) as unknown as readonly Operation[];
  let object = exact(textOf(items));
  for (const operation of patch) object = changed(object, operation);
  const found = (object as { spec: { items: (JsonObject & { seen?: Json })[] } }).spec.items;
  return found.map(({ seen: _, ...item }) => item);
}

interface Operation {
  readonly op: "add" | "remove" | "replace";
  readonly path: string;
  readonly value?: Json;
}

/** The value of a JSON text with its numbers as they are written. */
function exact(text: string): Json {
  const keep = (_: string, value: Json, context?: { source?: string }): Json =>
    typeof value === "number" ? `number ${context!.source}` : value;
  return JSON.parse(text, keep as (name: string, value: Json) => Json) as Json;
}

function changed(document: Json, { op, path, value }: Operation): Json {
  const [, ...names] = path.split("/"), last = names.pop()!;
  let container: Json = document;
  for (const name of names) container = (container as JsonObject)[name]!;
  if (isList(container) && op !== "replace") {
    if (op === "add") (container as Json[]).splice(Number(last), 0, value!);
    else (container as Json[]).splice(Number(last), 1);
  } else if (isObject(container) && op === "remove") delete (container as { [name: string]: Json })[last];
  else (container as { [name: string]: Json })[last] = value!;
  return document;
}

const inTexts = (items: readonly Item[]): Json =>
  items.map(({ name, id, more }) => ({
    name,
    id: `number ${id}`,
    more: more.map((each) => `number ${each}`),
  }));

for (const [name, { expected }] of Object.entries(mutations)) {
  Deno.test(`${name} leaves the digits of long numbers as they are`, async () => {
    const items: Item[] = [
      { name: "a", id: "9007199254740993", more: ["1", "9223372036854775807"] },
      { name: "b", id: "-9007199254740995", more: ["4611686018427387905"] },
      { name: "c", id: "18446744073709551615", more: [] },
    ];
    assert.deepEqual(await itemsAfter(name, items), inTexts(expected(items)));
  });

  Deno.test(`${name} keeps random numbers, or is refused when two are the same double`, async () => {
    const number = fc.oneof(
      { weight: 3, arbitrary: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String) },
      { weight: 1, arbitrary: fc.bigInt({ min: 2n ** 53n - 2n, max: 2n ** 53n + 6n }).map(String) },
      { weight: 2, arbitrary: fc.integer().map(String) },
    );
    const item = fc.record({
      name: fc.constantFrom("a", "b", "c"),
      id: number,
      more: fc.array(number, { maxLength: 3 }),
    });
    const run = async (items: readonly Item[]): Promise<void> => {
      const after = await itemsAfter(name, items);
      if (typeof after === "string") {
        assert.match(after, /which are the same double/);
        assert(hasSameDoubles(items.flatMap(({ id, more }) => [id, ...more])));
        return;
      }
      const wanted = inTexts(expected(items)) as Json[];
      // Elements that differ only by numbers of the same double are equal to a mutation: it may leave them in any order.
      assert.deepEqual(after.map(rounded), wanted.map(rounded));
      assert.deepEqual(
        after.map((each) => JSON.stringify(each)).sort(),
        wanted.map((each) => JSON.stringify(each)).sort(),
      );
    };
    await fc.assert(fc.asyncProperty(fc.array(item, { minLength: 1, maxLength: 5 }), run), { numRuns: 200 });
  });
}

/** The text of an item whose numbers are doubles. */
function rounded(item: Json): string {
  return JSON.stringify(item).replace(/number (-?\d+)/g, (_, digits: string) => `number ${Number(digits)}`);
}

function hasSameDoubles(numbers: readonly string[]): boolean {
  const distinct = [...new Set(numbers)];
  return new Set(distinct.map(Number)).size < distinct.length;
}

Deno.test("a list of so many changes that it is replaced keeps its digits", async () => {
  const items = Array.from({ length: 2_500 }, (_, index) => ({
    name: `n${index}`,
    id: String(2n ** 62n + 3_001n * BigInt(index)),
    more: [],
  }));
  assert.deepEqual(await itemsAfter("a foreach", items), inTexts(items));
});

Deno.test("a removal among numbers that are the same double is refused, with what to do", async () => {
  const items = [{ name: "a", id: "1", more: ["9007199254740992", "9007199254740993"] }];
  const message = await itemsAfter("a removal", items);
  assert(typeof message === "string");
  assert.match(
    message,
    /the numbers 9007199254740992 and 9007199254740993, .*; write such numbers as texts$/,
  );
});
