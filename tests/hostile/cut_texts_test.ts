/** Rules that show a part of a long text: until the answer each keeps that part, and must not keep the whole text. */
import assert from "node:assert/strict";
import { type Decision, evaluate, type Phase, policyRequest, type Snapshot } from "../../lib/engine/mod.ts";
import { parseReview } from "../../lib/kube/mod.ts";
import { admissionReview } from "../server/review.ts";
import { portsOf, snapshotOf } from "../server/serving.ts";
import { heapGrowth } from "../support/heap_growth.ts";
import { postBytes, RawConnection } from "../support/raw_http.ts";
import { startReplica } from "../support/replica.ts";

/** The rules of each case, or its policies in CEL. */
const count = 20;

/** A Pod with a text of a megabyte. */
const pod = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "p" },
  spec: { text: "some word ".repeat(100_000) },
};

const each = (make: (index: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join("");

const classic = (body: (index: number) => string): string => `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: showing}
spec:
  validationFailureAction: Enforce
  rules:${
  each((index) => `
  - name: r${index}
    match: {any: [{resources: {kinds: [Pod]}}]}
    ${body(index)}`)
}`;

const inCel = (kind: string, fields: (index: number) => string): string =>
  each((index) => `
---
apiVersion: policies.kyverno.io/v1
kind: ${kind}
metadata: {name: p${index}}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}
  ${fields(index)}`);

const denying = (message: string, conditions = "{}"): string =>
  `validate: {message: ${JSON.stringify(message)}, deny: ${conditions}}`;

const text = "request.object.spec.text";

interface Case {
  readonly what: string;
  readonly policies: string;
  readonly phase?: Phase;
}

const cases: readonly Case[] = [
  { what: "a message with the text", policies: classic(() => denying(`no {{ ${text} }}`)) },
  {
    what: "a condition's message with the text",
    policies: classic(() =>
      denying(
        "no",
        `{conditions: {all: [{key: a, operator: Equals, value: a, message: "of {{ ${text} }}"}]}}`,
      )
    ),
  },
  {
    what: "a report property with the text",
    policies: classic(() => `reportProperties: {a: "of {{ ${text} }}"}\n    ${denying("no")}`),
  },
  ...["truncate(to_upper(TEXT), `20`)", "split(to_upper(TEXT), 'zz')[0].truncate(@, `20`)"].flatMap(
    (written) => {
      const expression = written.replace("TEXT", text);
      return [
        { what: `a message with ${written}`, policies: classic(() => denying(`{{ ${expression} }}`)) },
        {
          what: `a label with ${written}`,
          phase: "mutate" as const,
          policies: classic((at) =>
            `mutate: {patchStrategicMerge: {metadata: {labels: {a${at}: "{{ ${expression} }}"}}}}`
          ),
        },
      ];
    },
  ),
  ...["TEXT.upperAscii().substring(0, 20)", "(TEXT + 'a').upperAscii().split(' ')[4 + 1] + 'a long word'"]
    .flatMap(
      (written) => {
        const expression = written.replace("TEXT", "object.spec.text");
        return [
          {
            what: `a message with ${written}`,
            policies: inCel(
              "ValidatingPolicy",
              () => `validations: [{expression: "false", messageExpression: "${expression}"}]`,
            ),
          },
          {
            what: `a label with ${written}`,
            phase: "mutate" as const,
            policies: inCel(
              "MutatingPolicy",
              (at) =>
                `mutations: [{patchType: ApplyConfiguration, applyConfiguration: {expression: "Object{metadata: Object.metadata{labels: {'a${at}': ${expression}}}}"}}]`,
            ),
          },
        ];
      },
    ),
];

for (const { what, policies, phase = "validate" } of cases) {
  Deno.test(`${what} keeps no more of it than it shows, in 20 rules`, async () => {
    const snapshot = snapshotOf(policies), parsed = parseReview(admissionReview({ object: pod }));
    assert.ok(parsed.ok);
    const request = policyRequest(parsed.review.request);
    const decisions: Decision[] = [];
    const grown = await heapGrowth(async () => {
      decisions.push(await evaluate(snapshot, request, { phase, rules: "all", ports: portsOf() }));
    });
    const rules = decisions[0]!.results.flatMap(({ rules }) => rules);
    assert.deepEqual(
      new Set(rules.map(({ result }) => result)),
      new Set([phase === "mutate" ? "pass" : "fail"]),
    );
    assert.equal(rules.length, count);
    assert.ok(grown < 5_000_000, `${grown} bytes`);
  });
}

Deno.test("long messages of a request have a bound together; beyond it each has 512 characters", async () => {
  const snapshot = snapshotOf(classic(() => denying(`no {{ ${text} }}`)));
  const more = [0, 1, 2, 3].map((at) =>
    classic(() => denying(`no {{ ${text} }}`)).replace("showing", `showing${at}`)
  );
  const parsed = parseReview(admissionReview({ object: pod }));
  assert.ok(parsed.ok);
  const request = policyRequest(parsed.review.request);
  const options = { phase: "validate", rules: "all", ports: portsOf() } as const;
  const lengths = async (policies: Snapshot): Promise<readonly number[]> =>
    (await evaluate(policies, request, options)).results.flatMap(({ rules }) =>
      rules.map(({ message }) => Math.floor(message.length / 100) * 100)
    );
  assert.deepEqual(new Set(await lengths(snapshot)), new Set([16_400]));
  const all = await lengths(snapshotOf(more.join("\n---\n")));
  assert.deepEqual([all.length, all[0], all.at(-1)], [80, 16_400, 500]);
  assert.ok(all.filter((length) => length > 600).length < 34, String(all));
});

Deno.test("a Pod of 2.5 MB is answered within the memory bound beside 60 rules that show a part of its text", async () => {
  const policies = [0, 1, 2].map((at) =>
    classic(() => denying(`{{ truncate(to_upper(${text}), \`20\`) }} of {{ ${text} }}`))
      .replace("name: showing", `name: showing${at}`)
  ).join("\n---\n");
  await using server = await startReplica({ policies, args: ["--no-tls"] });
  using connection = await RawConnection.open(server.port);
  const object = { ...pod, spec: { text: "some word ".repeat(250_000) } };
  await connection.write(
    postBytes("/validate/fail?timeout=30s", JSON.stringify(admissionReview({ object }))),
  );
  const { status, text: answer } = await connection.answer();
  assert.equal(status, 200);
  assert.match(answer, /showing2/);
  const { most } = await server.memory();
  assert.ok(most < 200, `${most} MiB`);
});
