/** A tag that a registry moves while a Pod is admitted: what runs in the end is what was verified. */
import assert from "node:assert/strict";
import { type Decision, evaluate } from "../../lib/engine/mod.ts";
import { asList, asString, dig, field, type JsonObject } from "../../lib/json/mod.ts";
import { ImageSignatures } from "../../lib/registries/mod.ts";
import { systemClock } from "../../lib/adapters/mod.ts";
import { countingEntropy } from "../adapters/fakes.ts";
import { pod, policies, ports, request } from "../engine/ports.ts";
import { newKeys } from "../registries/signing/certificates.ts";
import { signImage } from "../registries/signing/cosign.ts";
import { TestRegistry } from "../registries/signing/registry.ts";

interface Trial {
  readonly registry: TestRegistry;
  /** A PEM as one line of YAML. */
  readonly key: string;
  readonly signed: string;
  /** Decides a Pod with a replica that has seen no image before. */
  decide(policy: string, object: JsonObject, phase: "mutate" | "validate"): Promise<Decision>;
  moveTag(): void;
}

async function tried(run: (trial: Trial) => Promise<void>): Promise<void> {
  const registry = new TestRegistry();
  const keys = newKeys();
  signImage(registry, "app:v1", { keys });
  try {
    await run({
      registry,
      key: JSON.stringify(keys.pem),
      signed: registry.image("app:v1"),
      async decide(policy, object, phase) {
        const signatures = new ImageSignatures({ clock: systemClock(), entropy: countingEntropy() });
        try {
          return await evaluate(policies(policy, { dialect: "current" }), request(object), {
            phase,
            ports: { ...ports(), signatures },
          });
        } finally {
          await signatures.close();
        }
      },
      moveTag: () => void registry.manifest("app:v1", { layers: [{ content: "another image" }] }),
    });
  } finally {
    await registry.close();
  }
}

const podOf = (registry: TestRegistry) =>
  pod({ containers: [{ name: "c", image: `${registry.host}/app:v1` }] });
/** The object after a decision. */
const objectOf = ({ object }: Decision): JsonObject => object ?? {};
const imageOf = (object: JsonObject) =>
  asString(field(asList(dig(object, "spec", "containers"))[0], "image"));
const rowsOf = ({ results }: Decision) =>
  results.flatMap(({ rules }) => rules.map(({ result, message }) => `${result} ${message}`));

const classic = (key: string): string =>
  `---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: signed}
spec:
  background: false
  validationFailureAction: Enforce
  rules:
  - name: signed
    match: {any: [{resources: {kinds: [Pod]}}]}
    verifyImages:
    - imageReferences: ["*"]
      attestors: [{entries: [{keys: {publicKeys: ${key}, rekor: {ignoreTlog: true}, ctlog: {ignoreSCT: true}}}]}]
`;

const inCel = (key: string): string =>
  `---
apiVersion: policies.kyverno.io/v1
kind: ImageValidatingPolicy
metadata: {name: signed}
spec:
  validationActions: [Deny]
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  attestors: [{name: a, cosign: {key: {data: ${key}}, ctlog: {insecureIgnoreTlog: true}}}]
  validations: [{expression: "images.containers.all(i, verifyImageSignatures(i, [attestors.a]) > 0)", message: "not signed"}]
`;

Deno.test("a tag that moves after the mutate phase changes nothing: the Pod has the digest that was verified", () =>
  tried(async ({ registry, key, signed, decide, moveTag }) => {
    const object = objectOf(await decide(classic(key), podOf(registry), "mutate"));
    moveTag();
    assert.equal(imageOf(object), `${registry.host}/app:v1@${signed}`);
    assert.deepEqual(rowsOf(await decide(classic(key), object, "validate")), ["pass image verified"]);
  }));

Deno.test("a tag that moves before the mutate phase is not verified by the signature of what it was", () =>
  tried(async ({ registry, key, decide, moveTag }) => {
    moveTag();
    const decision = await decide(classic(key), podOf(registry), "mutate");
    assert.equal(decision.allowed, false);
    assert.match(rowsOf(decision).join(), /^fail .*no signatures found/);
  }));

Deno.test("a tag that somebody put back after the mutate phase is no verified image", () =>
  tried(async ({ registry, key, decide }) => {
    const object = objectOf(await decide(classic(key), podOf(registry), "mutate"));
    const metadata = dig(object, "metadata") ?? {};
    const decision = await decide(classic(key), { ...podOf(registry), metadata }, "validate");
    assert.match(rowsOf(decision).join(), /^fail missing digest for /);
  }));

Deno.test("a tag that moves between the phases of an ImageValidatingPolicy is verified as what it became, or as the digest", () =>
  tried(async ({ registry, key, signed, decide, moveTag }) => {
    const object = objectOf(await decide(inCel(key), podOf(registry), "mutate"));
    moveTag();
    assert.match(String(imageOf(object)), new RegExp(`@${signed}$`));
    assert.deepEqual(rowsOf(await decide(inCel(key), object, "validate")), ["pass success"]);
    const decision = await decide(inCel(key), podOf(registry), "validate");
    assert.equal(decision.allowed, false);
    assert.match(rowsOf(decision).join(), /^fail .*does not have a digest/);
  }));
