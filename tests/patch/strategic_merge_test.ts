/** Strategic merge patches: maps, lists, additions and conditions, as Kyverno merges them. */
import assert from "node:assert/strict";
import type { Json, JsonObject } from "../../lib/json/mod.ts";
import { pod } from "./merge_inputs.ts";
import { log, patched, web } from "./merge_cases.ts";

function service(ports: Json): JsonObject {
  return { apiVersion: "v1", kind: "Service", spec: { ports } };
}

function widget(spec: Json): JsonObject {
  return { apiVersion: "example.com/v1", kind: "Widget", spec };
}

interface Case {
  readonly name: string;
  readonly resource: Json;
  readonly patch: Json;
  readonly result: Json;
}

function table(subject: string, cases: readonly Case[]): void {
  for (const { name, resource, patch, result } of cases) {
    Deno.test(`${subject}: ${name}`, () => assert.deepEqual(patched(resource, patch), result));
  }
}

table("maps", [
  {
    name: "merge, and the patch's scalars win",
    resource: pod({ dnsPolicy: "Default", hostNetwork: false }),
    patch: { spec: { hostNetwork: true, nodeName: "n" } },
    result: pod({ dnsPolicy: "Default", hostNetwork: true, nodeName: "n" }),
  },
  {
    name: "null removes a key, and is no error where there is none",
    resource: pod({ dnsPolicy: "Default" }, { name: "p", labels: { app: "x" } }),
    patch: { metadata: { labels: null, annotations: null }, spec: { dnsPolicy: null } },
    result: pod({}),
  },
  {
    name: "null in the resource stays when the patch does not mention it",
    resource: pod({ nodeName: null, a: null }),
    patch: { spec: { a: null, b: 1 } },
    result: pod({ nodeName: null, b: 1 }),
  },
  {
    name: "nulls in what the patch adds vanish, and so do empty maps of the patch",
    resource: pod({}),
    patch: { spec: { a: { b: null, c: 1 }, d: {}, e: { f: {} } } },
    result: pod({ a: { c: 1 } }),
  },
  {
    name: "empty maps of the resource stay",
    resource: pod({ securityContext: {} }),
    patch: { spec: { nodeName: "n" } },
    result: pod({ securityContext: {}, nodeName: "n" }),
  },
  {
    name: "$patch: replace replaces",
    resource: pod({}, { name: "p", labels: { a: "1" } }),
    patch: { metadata: { labels: { $patch: "replace", b: "2" } } },
    result: pod({}, { name: "p", labels: { b: "2" } }),
  },
  {
    name: "$patch: delete removes, also from what the patch adds",
    resource: pod({}, { name: "p", labels: { a: "1" } }),
    patch: { metadata: { labels: { $patch: "delete" } }, spec: { a: { b: { $patch: "delete" }, c: 1 } } },
    result: pod({ a: { c: 1 } }),
  },
  {
    name: "an unknown directive is an error",
    resource: pod({}, { labels: { a: "1" } }),
    patch: { metadata: { labels: { $patch: "keep" } } },
    result: "error: unknown patch strategy 'keep'",
  },
  {
    name: "a text stays a text",
    resource: pod({ hostname: "a" }, { labels: { v: "1" } }),
    patch: { metadata: { labels: { v: 2, w: 3 } }, spec: { hostname: true } },
    result: pod({ hostname: "true" }, { labels: { v: "2", w: 3 } }),
  },
  {
    name: "a scalar for a map is an error",
    resource: pod({ a: 1 }),
    patch: { spec: "x" },
    result: 'error: wrong node kind: expected MappingNode but got ScalarNode: node contents:\n"x"\n',
  },
  {
    name: "a map for a list is an error",
    resource: pod({ containers: [web] }),
    patch: { spec: { containers: { a: [1] } } },
    result: 'error: wrong node kind: expected SequenceNode but got MappingNode: node contents:\n{"a": [1]}\n',
  },
  {
    name: "removing the whole resource is an error",
    resource: pod({}),
    patch: { $patch: "delete" },
    result: "error: filter cannot create or delete objects",
  },
  {
    name: "keys of a prototype are ordinary keys",
    resource: pod({}, { labels: { toString: "a" } }),
    patch: { metadata: { labels: { constructor: "b", "+(valueOf)": "c", "+(toString)": "d" } } },
    result: pod({}, { labels: { toString: "a", constructor: "b", valueOf: "c" } }),
  },
]);

table("lists", [
  {
    name: "elements are merged by their key, new ones come first",
    resource: pod({ containers: [web, log] }),
    patch: { spec: { containers: [{ name: "proxy" }, { name: "log", image: "busybox:2" }] } },
    result: pod({ containers: [{ name: "proxy" }, { name: "log", image: "busybox:2" }, web] }),
  },
  {
    name: "keys are compared as texts",
    resource: service([{ port: 80, name: "a" }]),
    patch: { spec: { ports: [{ port: "80", targetPort: 8080 }] } },
    result: service([{ port: "80", name: "a", targetPort: 8080 }]),
  },
  {
    name: "$patch: delete removes an element, also of a nested list",
    resource: pod({ containers: [{ ...web, env: [{ name: "A" }, { name: "B" }] }, log] }),
    patch: {
      spec: {
        containers: [{ name: "log", $patch: "delete" }, {
          name: "web",
          env: [{ name: "A", $patch: "delete" }],
        }],
      },
    },
    result: pod({ containers: [{ ...web, env: [{ name: "B" }] }] }),
  },
  {
    name: "$patch: replace as an element replaces the list",
    resource: pod({ containers: [web, log] }),
    patch: { spec: { containers: [{ $patch: "replace" }, { name: "only" }] } },
    result: pod({ containers: [{ name: "only" }] }),
  },
  {
    name: "an empty list changes nothing where elements merge, and empties a list that is replaced",
    resource: pod({ containers: [web], tolerations: [{ key: "a" }] }),
    patch: { spec: { containers: [], tolerations: [] } },
    result: pod({ containers: [web], tolerations: [] }),
  },
  {
    name: "lists without a merge key are replaced",
    resource: pod({ containers: [{ ...web, args: ["-a", "-b"] }], tolerations: [{ key: "a" }] }),
    patch: { spec: { containers: [{ name: "web", args: ["-z"] }], tolerations: [{ key: "b" }] } },
    result: pod({ containers: [{ ...web, args: ["-z"] }], tolerations: [{ key: "b" }] }),
  },
  {
    name: "lists of custom resources are replaced",
    resource: widget({ containers: [web] }),
    patch: { spec: { containers: [{ name: "log" }] } },
    result: widget({ containers: [{ name: "log" }] }),
  },
  {
    name: "a built-in kind inside a custom resource is merged as that kind",
    resource: widget({ template: pod({ containers: [web] }) }),
    patch: { spec: { template: { spec: { containers: [log] } } } },
    result: widget({ template: pod({ containers: [log, web] }) }),
  },
  {
    name: "scalars are united",
    resource: pod({}, { finalizers: ["a", "b"] }),
    patch: { metadata: { finalizers: ["c", "b"] } },
    result: pod({}, { finalizers: ["c", "b", "a"] }),
  },
  {
    name: "of two keys only those count that some element has",
    resource: service([{ port: 80, name: "a" }, { port: 443 }]),
    patch: { spec: { ports: [{ port: 443, name: "b" }] } },
    result: service([{ port: 443, name: "b" }, { port: 80, name: "a" }]),
  },
  {
    name: "with two keys the resource's order stays, behind what is new",
    resource: service([{ port: 80, protocol: "TCP" }, { port: 53, protocol: "UDP" }]),
    patch: { spec: { ports: [{ port: 53, protocol: "UDP", name: "dns" }, { port: 53, protocol: "TCP" }] } },
    result: service([{ port: 53, protocol: "TCP" }, { port: 80, protocol: "TCP" }, {
      port: 53,
      protocol: "UDP",
      name: "dns",
    }]),
  },
  {
    name: "an element with one of two keys joins those that agree in it",
    resource: service([{ port: 80, protocol: "TCP" }]),
    patch: { spec: { ports: [{ port: 80, targetPort: 8080 }] } },
    result: service([{ port: 80, protocol: "TCP" }]),
  },
  {
    name: "an element without the only key removes those that have it",
    resource: pod({ containers: [web, log] }),
    patch: { spec: { containers: [{ image: "nameless" }] } },
    result: pod({ containers: [] }),
  },
  {
    name: "of elements that repeat a key the last stays, also where the patch mentions nothing",
    resource: pod({ containers: [{ ...web, env: [{ name: "A", value: "1" }, { name: "A", value: "2" }] }] }),
    patch: { metadata: { labels: { a: "b" } } },
    result: pod({ containers: [{ ...web, env: [{ name: "A", value: "2" }] }] }, {
      name: "p",
      labels: { a: "b" },
    }),
  },
]);

table("additions", [
  {
    name: "+() adds what is absent",
    resource: pod({}, { name: "p" }),
    patch: { metadata: { "+(labels)": { app: "x" }, "+(name)": "q" } },
    result: pod({}, { name: "p", labels: { app: "x" } }),
  },
  {
    name: "a key with null is not absent",
    resource: pod({ nodeName: null }),
    patch: { spec: { "+(nodeName)": "n" } },
    result: pod({ nodeName: null }),
  },
  {
    name: "+() below +() is decided where the outer key is added",
    resource: pod({}),
    patch: { spec: { "+(securityContext)": { "+(runAsUser)": 1 } } },
    result: pod({ securityContext: { runAsUser: 1 } }),
  },
  {
    name: "the decision for the first element holds for the others",
    resource: pod({ containers: [{ ...web, imagePullPolicy: "Never" }, log] }),
    patch: { spec: { containers: [{ "(name)": "*", "+(imagePullPolicy)": "Always", tty: true }] } },
    result: pod({ containers: [{ ...web, imagePullPolicy: "Never", tty: true }, { ...log, tty: true }] }),
  },
]);

table("conditions", [
  {
    name: "a map's condition that holds lets the patch through, and is no part of it",
    resource: pod({ hostNetwork: true }),
    patch: { spec: { "(hostNetwork)": true, dnsPolicy: "Default" } },
    result: pod({ hostNetwork: true, dnsPolicy: "Default" }),
  },
  {
    name: "a condition and a change of the same key",
    resource: pod({ containers: [{ name: "web", securityContext: { privileged: true } }] }),
    patch: {
      spec: { containers: [{ "(name)": "*", securityContext: { "(privileged)": true, privileged: false } }] },
    },
    result: pod({ containers: [{ name: "web", securityContext: { privileged: false } }] }),
  },
  {
    name: "a condition on a list's element picks the elements, by their names",
    resource: pod({ containers: [log, web] }),
    patch: { spec: { containers: [{ "(image)": "*:latest", imagePullPolicy: "Always" }] } },
    result: pod({ containers: [{ ...web, imagePullPolicy: "Always" }, log] }),
  },
  {
    name: "several elements with conditions each pick theirs",
    resource: pod({ containers: [log, web] }),
    patch: {
      spec: {
        containers: [{ "(name)": "web", tty: true }, { "(name)": "log", tty: false }, {
          "(name)": "x",
          a: 1,
        }],
      },
    },
    result: pod({ containers: [{ ...web, tty: true }, { ...log, tty: false }] }),
  },
  {
    name: "a condition may remove the elements it picks",
    resource: pod({ volumes: [{ name: "a", hostPath: { path: "/" } }, { name: "b" }] }),
    patch: { spec: { volumes: [{ "(hostPath)": { path: "*" }, $patch: "delete" }] } },
    result: pod({ volumes: [{ name: "b" }] }),
  },
  {
    name: "a condition with content keeps the content",
    resource: pod({}, { name: "p", labels: { app: "web" } }),
    patch: { metadata: { "(labels)": { app: "web" }, annotations: { a: "1" } } },
    result: pod({}, { name: "p", labels: { app: "web" }, annotations: { a: "1" } }),
  },
  {
    name: "a condition at the top changes nothing below its key",
    resource: pod({}, { name: "p", labels: { app: "web" } }),
    patch: { "(metadata)": { labels: { app: "w*" }, "+(annotations)": { a: "1" } }, spec: { nodeName: "n" } },
    result: {
      ...pod({ nodeName: "n" }, { name: "p", labels: { app: "web" } }),
      "(metadata)": { labels: { app: "w*" }, annotations: { a: "1" } },
    },
  },
  {
    name: "conditions compare scalars as texts, with operators",
    resource: widget({ n: 5, on: true }),
    patch: { spec: { "(n)": ">3", "(on)": "true", m: 1 } },
    result: widget({ n: 5, on: true, m: 1 }),
  },
  {
    name: "a rule's condition in a list holds when one element satisfies it",
    resource: pod({ containers: [log, web] }),
    patch: { spec: { containers: [{ "<(image)": "*:latest" }], nodeName: "n" } },
    result: pod({ containers: [log, web], nodeName: "n" }),
  },
  {
    name: "elements without a name get nothing",
    resource: widget({ items: [{ id: 1 }] }),
    patch: { spec: { items: [{ "(id)": 1, v: 2 }], m: 1 } },
    result: widget({ items: [{ id: 1 }], m: 1 }),
  },
  {
    name: "a list of a custom resource becomes the picked elements",
    resource: widget({ items: [{ name: "a", v: 1 }, { name: "b", v: 2 }] }),
    patch: { spec: { items: [{ "(name)": "a", v: 9 }] } },
    result: widget({ items: [{ name: "a", v: 9 }] }),
  },
  {
    name: "other anchors are ordinary keys",
    resource: pod({}),
    patch: { spec: { "X(a)": 1, "=(b)": 2, "^(c)": [3] } },
    result: pod({ "X(a)": 1, "=(b)": 2, "^(c)": [3] }),
  },
  {
    name: "values that look like anchors are values",
    resource: pod({ containers: [{ name: "web", env: [{ name: "A", value: "(x)" }] }] }),
    patch: { spec: { containers: [{ name: "web", env: [{ name: "B", value: "<(y)" }] }] } },
    result: pod({
      containers: [{ name: "web", env: [{ name: "B", value: "<(y)" }, { name: "A", value: "(x)" }] }],
    }),
  },
]);

const refused: [name: string, patch: Json][] = [
  ["a condition that does not hold", { spec: { "(hostNetwork)": true, a: 1 } }],
  ["a condition on a missing key", { spec: { "(missing)": "*", a: 1 }, metadata: { labels: { b: "1" } } }],
  ["a rule's condition that does not hold", { metadata: { "<(name)": "other" }, spec: { a: 1 } }],
  ["a rule's condition that no element satisfies", { spec: { containers: [{ "<(image)": "x*" }], a: 1 } }],
  ["a rule's condition in a list that is missing", { spec: { volumes: [{ "<(name)": "x*" }], a: 1 } }],
  ["a condition that picks no element", { spec: { containers: [{ "(name)": "other", a: 1 }] } }],
  ["a condition in a list that is missing", { spec: { volumes: [{ "(name)": "*", a: 1 }] } }],
  ["an addition in a list that is missing", { spec: { volumes: [{ "+(name)": "v" }] } }],
  ["changes that the resource has already", {
    spec: { hostNetwork: false, containers: [web], tolerations: [{ key: "a" }] },
  }],
  ["an empty patch", {}],
];
for (const [name, patch] of refused) {
  Deno.test(`apply() returns the resource itself for ${name}`, () => {
    const resource = pod({ hostNetwork: false, containers: [web, log], tolerations: [{ key: "a" }] });
    assert.equal(patched(resource, patch), resource);
  });
}
