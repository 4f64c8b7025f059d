import { type Decision, evaluate, type PolicyRequest } from "../../../lib/engine/mod.ts";
import { asString, dig, type JsonObject } from "../../../lib/json/mod.ts";
import { pod, policies, ports, request } from "../../engine/ports.ts";
import { ScriptedSignatures } from "./scripted_signatures.ts";

export const digests = {
  one: `sha256:${"1".repeat(64)}`,
  two: `sha256:${"2".repeat(64)}`,
  three: `sha256:${"3".repeat(64)}`,
} as const;

/** `r/one:v1` is signed by A, `r/two:v1` by B, `r/three:v1` by both, `r/none:v1` by nobody. */
export const script = {
  "r.io/one:v1": { digest: digests.one, signedBy: ["A"] },
  "r.io/two:v1": { digest: digests.two, signedBy: ["B"] },
  "r.io/three:v1": { digest: digests.three, signedBy: ["A", "B"] },
  "r.io/none:v1": { digest: `sha256:${"4".repeat(64)}` },
  "r.io/far:v1": "no connection",
} as const;

/** A policy `p` with a rule `check` about Pods; `spec` is YAML of one line each. */
export function policy(entries: string, spec = "", rule = ""): string {
  return `---
apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata: {name: p}
spec:
  ${spec === "" ? "background: false" : spec}
  rules:
  - name: check
    match: {any: [{resources: {kinds: [Pod]}}]}
    ${rule}
    verifyImages: ${entries}
`;
}

/** A Pod with containers of these images. */
export function podOf(images: readonly string[], metadata: JsonObject = {}): JsonObject {
  return pod({ containers: images.map((image, index) => ({ name: `c${index}`, image })) }, metadata);
}

export interface ImageDecision {
  readonly decision: Decision;
  readonly signatures: ScriptedSignatures;
  /** `result message` of each result. */
  readonly rows: readonly string[];
  /** The images of the object after the decision. */
  readonly images: readonly string[];
  readonly scoped: string | undefined;
}

/** Decides an object in a phase, with the signatures of the script, and returns the results. */
export async function decideImages(
  text: string,
  object: JsonObject,
  { phase = "mutate", signatures: given = new ScriptedSignatures(script), ...change }:
    & Partial<PolicyRequest>
    & { readonly phase?: "mutate" | "validate"; readonly signatures?: ScriptedSignatures | "none" } = {},
): Promise<ImageDecision> {
  const signatures = given === "none" ? new ScriptedSignatures({}) : given;
  const decision = await evaluate(policies(text, { dialect: "current" }), request(object, change), {
    phase,
    ports: given === "none" ? ports() : { ...ports(), signatures },
  });
  const containers = dig(decision.object, "spec", "containers");
  return {
    decision,
    signatures,
    rows: decision.results.flatMap(({ rules }) => rules.map(({ result, message }) => `${result} ${message}`)),
    images: Array.isArray(containers) ? containers.map((each) => asString(dig(each, "image")) ?? "") : [],
    scoped: asString(dig(decision.object, "metadata", "annotations", "kyverno.io/verify-images-scoped")),
  };
}

/** An ImageValidatingPolicy `iv` about new Pods with an attestor `a`; `fields` are further fields of its spec. */
export function imageValidatingPolicy(fields: string): string {
  return `---
apiVersion: policies.kyverno.io/v1
kind: ImageValidatingPolicy
metadata: {name: iv}
spec:
  matchConstraints:
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  attestors: [{name: a, cosign: {key: {data: A}, ctlog: {insecureIgnoreTlog: true}}}]
${fields.split("\n").map((line) => `  ${line}\n`).join("")}`;
}

/** The `validationConfigurations` of an ImageValidatingPolicy that demands neither signatures nor digests. */
export const lax = "validationConfigurations: {mutateDigest: false, verifyDigest: false, required: false}";
