/**
 * Rules compare texts of objects with wildcards. Before the API server validates an object, each of its texts may have
 * the size of the request: how long a rule with many wildcards works at a stretch.
 */
import assert from "node:assert/strict";
import { eventLoopScheduler } from "../../lib/adapters/mod.ts";
import { evaluate, type Phase, policyRequest } from "../../lib/engine/mod.ts";
import type { Json, JsonObject } from "../../lib/json/mod.ts";
import { parseReview } from "../../lib/kube/mod.ts";
import { admissionReview } from "../server/review.ts";
import { portsOf, snapshotOf } from "../server/serving.ts";
import { longestStretch } from "../support/longest_stretch.ts";
import { many, manyParts } from "../support/many_parts.ts";

/** Milliseconds of processor time, so that other processes do not count. The goal is 250 on a machine of its own. */
const bound = 750;

const matching = (filter: string): string =>
  manyParts("validate: {message: none, deny: {}}", `match: {any: [${filter}]}`);

const excluding = (exclusions: string): string =>
  manyParts(`validate: {podSecurity: {level: restricted, version: latest, exclude: [${exclusions}]}}`);

const added = `restrictedField: "spec.containers[*].securityContext.capabilities.add"`;

const images = `
apiVersion: policies.kyverno.io/v1
kind: ImageValidatingPolicy
metadata: {name: globs}
spec:
  validationActions: [Deny]
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  matchImageReferences: [${many(1_000, (index) => `{glob: "*b*a${index}x*"}`)}]
  attestors: [{name: key, cosign: {key: {kms: "k8s://a/b"}}}]
  validations: [{expression: "true", message: none}]
`;

const long = "ab".repeat(1_400_000);
const container = { name: "web", image: "nginx:1.27" };
const manyImages = Array.from({ length: 30_000 }, (_, index) => ({
  name: `c${index}`,
  image: `registry.example/ab${index}`,
}));
const adding = (add: Json): Json => [{ ...container, securityContext: { capabilities: { add } } }];

interface Case {
  readonly what: string;
  readonly policy: string;
  readonly phase?: Phase;
  readonly metadata?: JsonObject;
  readonly containers?: Json;
  readonly groups?: readonly string[];
}

const cases: readonly Case[] = [
  {
    what: "a name and 3,000 names with wildcards",
    policy: matching(`{resources: {kinds: [Pod], names: [${many(3_000, (index) => `"*b?a*z${index}*"`)}]}}`),
    metadata: { name: long },
  },
  {
    what: "a label and 300 selectors with wildcards",
    policy: matching(
      many(300, (index) => `{resources: {kinds: [Pod], selector: {matchLabels: {"a*": "*b?z${index}*"}}}}`),
    ),
    metadata: { name: "x", labels: { a: long } },
  },
  {
    what: "an annotation and 300 filters by annotations with wildcards",
    policy: matching(
      many(300, (index) => `{resources: {kinds: [Pod], annotations: {"a*": "*b?z${index}*"}}}`),
    ),
    metadata: { name: "x", annotations: { a: long } },
  },
  {
    what: "50,000 groups of a user and 1,000 groups with wildcards",
    policy: matching(
      `{subjects: [${
        many(1_000, (index) => `{kind: Group, name: "*b?z${index}*"}`)
      }], resources: {kinds: [Pod]}}`,
    ),
    groups: Array.from({ length: 50_000 }, (_, index) => `group-a-b${index}`),
  },
  {
    what: "an image and 200 exclusions of images with wildcards",
    policy: excluding(
      many(200, (index) => `{controlName: Capabilities, images: ["*b?z${index}*", "*a?z*"]}`),
    ),
    containers: [{ name: "web", image: long }],
  },
  {
    what: "a value and 200 exclusions of values with wildcards",
    policy: excluding(
      many(200, (index) => `{controlName: Capabilities, images: ["*"], ${added}, values: ["*b?z${index}*"]}`),
    ),
    containers: adding([long]),
  },
  {
    what: "100,000 values and 100 exclusions",
    policy: excluding(
      many(100, (index) => `{controlName: Capabilities, images: ["*"], ${added}, values: ["*b?z${index}*"]}`),
    ),
    containers: adding(Array.from({ length: 100_000 }, (_, index) => `CAP_${index}`)),
  },
  {
    what: "30,000 images and 3,000 references of verifyImages",
    policy: manyParts(
      `verifyImages: [${
        many(100, (entry) =>
          `{imageReferences: [${many(30, (index) => `"*b?z${entry}-${index}*"`)}],
          attestors: [{entries: [{keys: {publicKeys: "k8s://a/b"}}]}]}`)
      }]`,
    ),
    phase: "mutate",
    containers: manyImages,
  },
  { what: "30,000 images and 1,000 globs", policy: images, containers: manyImages },
  { what: "an image and 1,000 globs", policy: images, containers: [{ name: "web", image: long }] },
];

for (const { what, policy, phase = "validate", metadata = { name: "x" }, containers, groups } of cases) {
  Deno.test(`${what} of 3 MB take more steps than a rule may take, which is an error`, async () => {
    const object = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { namespace: "default", ...metadata },
      spec: { containers: containers ?? [container] },
    };
    const userInfo = { username: "mallory", groups: groups ?? ["system:authenticated"] };
    const parsed = parseReview(admissionReview({ object, userInfo }));
    assert.ok(parsed.ok);
    const request = policyRequest(parsed.review.request), snapshot = snapshotOf(policy);
    const ports = portsOf({ scheduler: eventLoopScheduler(), clock: { now: () => Date.now() } });
    const stretch = await longestStretch(async () => {
      const decision = await evaluate(snapshot, request, { phase, rules: "all", ports, budget: 120_000 });
      const [result] = decision.results[0]?.rules ?? [];
      assert.equal(result?.result, "error");
      assert.match(result?.message ?? "", /^the rule takes too many steps for this object/);
    });
    assert.ok(stretch < bound, `others waited for ${Math.round(stretch)} ms`);
  });
}
