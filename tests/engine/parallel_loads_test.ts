/**
 * How many values a request loads at the same time: whoever creates a Pod names its images, and so their registries.
 */
import assert from "node:assert/strict";
import { evaluate } from "../../lib/engine/mod.ts";
import type { DigestAnswer, Ports, SignatureAnswer } from "../../lib/ports.ts";
import { pod, policies, ports, request } from "./ports.ts";

const containers = 100;
/** Loads of one request at the same time. */
const most = 32;

const verifying = `
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: verifying}
spec:
  validationFailureAction: Enforce
  rules:
  - name: signed
    match: {any: [{resources: {kinds: [Pod]}}]}
    verifyImages:
    - imageReferences: ["*"]
      mutateDigest: true
      attestors: [{entries: [{keys: {publicKeys: k8s://default/key}}]}]
`;

/** Counts what runs at the same time. */
class Counter {
  now = 0;
  most = 0;
  all = 0;

  async run<T>(value: T): Promise<T> {
    this.all++;
    this.most = Math.max(this.most, ++this.now);
    await new Promise((resolve) => setTimeout(resolve, 1));
    this.now--;
    return value;
  }
}

const digest: DigestAnswer = { ok: true, digest: `sha256:${"a".repeat(64)}` };
const unsigned: SignatureAnswer = {
  ok: false,
  why: "not verified",
  message: "not signed",
  digest: undefined,
  tried: [],
  cached: false,
};

/** Ports whose registries answer in this way. */
function portsWith(run: <T>(value: T) => Promise<T>): Ports {
  const uncalled = () => Promise.reject(new Error("not called"));
  return {
    ...ports(),
    signatures: {
      verify: () => run(unsigned),
      digest: () => run(digest),
      verifyText: uncalled,
      referrer: uncalled,
    },
  };
}

/** A Pod whose images each have a registry. */
const large = pod({
  containers: Array.from({ length: containers }, (_, index) => ({
    name: `c${index}`,
    image: `registry${index}.example/app:v1`,
  })),
});

Deno.test("a request reads from a bounded number of registries at the same time", async () => {
  const counter = new Counter();
  const options = { phase: "verifyImages", ports: portsWith((value) => counter.run(value)) } as const;
  await evaluate(policies(verifying), request(large), options);
  assert.ok(counter.all >= containers, `${counter.all}`);
  assert.equal(counter.most, most);
});

Deno.test("what a request has not begun to load at its deadline is never loaded", async () => {
  let begun = 0;
  const hanging = portsWith(() => {
    begun++;
    return new Promise(() => {});
  });
  const decision = await evaluate(policies(verifying), request(large), {
    phase: "verifyImages",
    ports: hanging,
    deadline: () => AbortSignal.timeout(50),
  });
  assert.equal(decision.allowed, false);
  assert.equal(begun, most);
});
