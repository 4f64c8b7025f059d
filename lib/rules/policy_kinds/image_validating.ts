import type { Activation, Value } from "../../cel/mod.ts";
import {
  asList,
  asObject,
  asString,
  dig,
  field,
  isFault,
  isObject,
  type Json,
  type JsonObject,
  textField,
} from "../../json/mod.ts";
import { parseImageReference } from "../../kube/mod.ts";
import { type AuditAnnotations, type CelEvaluation, compileAuditAnnotations } from "../cel/mod.ts";
import { fail, type ImageFindings, type Outcome, pass } from "../outcome.ts";
import type { CompiledBody, RuleInput, WrittenSigner } from "../rule_kind.ts";
import type { Need } from "../../context/mod.ts";
import { keyNeed, loadDigest, loginNeed, pending } from "../verify_images/mod.ts";
import { compileAttestors, type CompiledAttestors, type FindAttestor, keyText } from "./image_attestors.ts";
import { compilationFailed } from "./image_compilation.ts";
import { ImageCalls, type PolicyAttestation, withoutImage } from "./image_calls.ts";
import {
  credentialsOf,
  evaluationFailed,
  imagePolicyExpressions,
  imagePolicyForm,
  isConfigured,
  matchedImages,
  namesIn,
} from "./image_policy.ts";
import { reportNeverPasses, signersOf } from "./image_problems.ts";
import type { ImageLists } from "./image_lists.ts";
import { kyvernoEvaluation, payloadRoots, properties } from "./kyverno_expressions.ts";
import type { PolicyKind, PolicyTools } from "./policy_kind.ts";
import { compileValidation } from "./validation.ts";

/** `ImageValidatingPolicy` in the validate phase: expressions verify the images of an object. */
export const imageValidatingPolicy: PolicyKind = {
  ...imagePolicyForm,
  type: "validate",
  name: "image validating policy",
  compile: (spec, tools) => new ImageValidation(spec, tools),
};

class ImageValidation implements CompiledBody {
  readonly #spec: JsonObject;
  readonly #parts: ReturnType<typeof imagePolicyExpressions>;
  readonly #attestors: CompiledAttestors;
  readonly signers: readonly WrittenSigner[];
  readonly unusable: Outcome | undefined;
  readonly #attestations: ReadonlyMap<string, PolicyAttestation>;
  readonly #validations: readonly ReturnType<typeof compileValidation>[];
  readonly #annotate: AuditAnnotations;
  readonly #ignores: boolean;
  /** The variables `attestors` and `attestations` of expressions. */
  readonly #names: Readonly<Record<string, JsonObject>>;

  constructor(spec: JsonObject, tools: PolicyTools) {
    const parts = imagePolicyExpressions(spec, tools);
    this.#spec = spec;
    this.#parts = parts;
    this.#attestors = compileAttestors(spec["attestors"], parts.expressions);
    const { written } = this.#attestors;
    this.signers = signersOf(written);
    reportNeverPasses(spec, written, tools);
    this.#attestations = attestationsOf(spec["attestations"]);
    this.#validations = asList(spec["validations"]).filter(isObject).map((entry, index) =>
      compileValidation(entry, index, parts.expressions)
    );
    this.#annotate = compileAuditAnnotations(spec["auditAnnotations"], parts.expressions, {
      path: ["spec", "auditAnnotations"],
    });
    this.unusable = compilationFailed(parts.unusable);
    this.#ignores = tools.policy.failurePolicy === "Ignore";
    this.#names = { attestors: namesIn(spec["attestors"]), attestations: namesIn(spec["attestations"]) };
    tools.need({ kind: "registry" });
    for (const need of secretNeeds(spec)) tools.need(need);
  }

  run(input: RuleInput): Outcome | undefined {
    if (input.operation === "DELETE") return undefined;
    // The names of validations are unknown before the images are.
    let names: Readonly<Record<string, Value>> = {};
    const payload = input.payload === undefined ? undefined : payloadRoots(input);
    const { evaluation, calls, allow } = this.#evaluation(input, (name) => names[name] ?? payload?.(name));
    const { conditions, exempt, lists } = this.#parts;
    const applies = conditions(evaluation);
    if (isFault(applies)) return this.#ignores ? undefined : evaluationFailed(applies.message);
    if (!applies) return undefined;
    const exemption = exempt(evaluation, input.context.environment.now());
    if (isFault(exemption)) return evaluationFailed(exemption.message);
    if ("outcome" in exemption) return exemption.outcome;
    allow(exemption.allowed);
    // Kyverno parity: only requests have containers. Pinned by "--json: an image policy reads the images that it
    // names, not those of containers in a payload".
    const object = input.payload === undefined ? input.resource : undefined;
    const all = lists(object, evaluation);
    if (isFault(all)) return evaluationFailed(all.message);
    const matching = { evaluation, steps: input.context.tracker.steps };
    const matched = matchedImages(all, this.#parts, matching);
    if (typeof matched === "string") return evaluationFailed(matched);
    const images = Object.fromEntries(
      Object.entries(matched).map(([name, list]) => [name, list.map(({ text }) => text)]),
    );
    names = { ...this.#names, images };
    return this.#evaluate(input, evaluation, { calls, images: textsOf(matched) });
  }

  /** The evaluation of the expressions for a request, and the calls that they make. */
  #evaluation(
    input: RuleInput,
    over: Activation,
  ): ReturnType<typeof kyvernoEvaluation> & { calls: ImageCalls } {
    let calls: ImageCalls | undefined;
    let find: FindAttestor | undefined;
    const made = kyvernoEvaluation(this.#parts.expressions, input, {
      over,
      external: (usual) =>
        calls = new ImageCalls({
          usual,
          tracker: input.context.tracker,
          attestor: (name) => (find ??= this.#attestors.forRequest(made.evaluation))(name),
          attestations: this.#attestations,
          matches: (image) => {
            const matching = { evaluation: made.evaluation, steps: input.context.tracker.steps };
            const verdict = this.#parts.references(image, matching);
            return isFault(verdict) ? verdict.message : verdict;
          },
          credentials: credentialsOf(this.#spec, input),
        }),
    });
    return { ...made, calls: calls! };
  }

  #evaluate(
    input: RuleInput,
    evaluation: CelEvaluation,
    { calls, images }: { readonly calls: ImageCalls; readonly images: readonly string[] },
  ): Outcome | undefined {
    if (isConfigured(this.#spec, "verifyDigest")) {
      for (const image of images) {
        const reference = parseImageReference(image);
        if (isFault(reference)) {
          return evaluationFailed(`failed to parse image reference ${image}: ${reference.message}`);
        }
        if (reference.digest === "") return fail(`image ${image} does not have a digest`);
      }
    }
    const missing = this.#missing(input, images);
    if (missing !== undefined) return missing === pending ? undefined : evaluationFailed(missing);
    for (const validation of this.#validations) {
      const failure = validation(evaluation);
      if (failure === undefined) continue;
      if (isFault(failure)) return failed(failure.message);
      return annotated(fail(failure), this.#annotate(evaluation), []);
    }
    const required = isConfigured(this.#spec, "required") ? images : [];
    return annotated(passed, this.#annotate(evaluation), required);

    function annotated(
      outcome: Outcome,
      annotations: ReturnType<AuditAnnotations>,
      required: readonly string[],
    ): Outcome {
      if (isFault(annotations)) return failed(annotations.message);
      return { ...outcome, images: verification(required), ...properties(annotations) };
    }

    function failed(cause: string): Outcome {
      return { ...evaluationFailed(cause), images: verification([]) };
    }

    function verification(required: readonly string[]): ImageFindings {
      return { phase: "validate", attempts: calls.attempts, required };
    }
  }

  /** Why an image cannot be read. All images are loaded at once. */
  #missing(input: RuleInput, images: readonly string[]): string | typeof pending | undefined {
    const credentials = credentialsOf(this.#spec, input);
    const answers = images.map((image) => loadDigest(input.context.tracker, image, credentials));
    if (answers.includes(pending)) return pending;
    for (const answer of answers) if (answer !== pending && !answer.ok) return withoutImage(answer.message);
    return undefined;
  }
}

/** The Secrets that a policy reads: public keys, and credentials for registries. */
function secretNeeds(spec: JsonObject): Need[] {
  const attestors = asList(spec["attestors"]).map((attestor) => field(attestor, "cosign"));
  const keys = attestors.flatMap((cosign) => {
    const key = asObject(field(cosign, "key"));
    return key === undefined ? [] : [keyText(key)];
  });
  const pullSecrets = attestors.flatMap((cosign) => asList(dig(cosign, "source", "PullSecrets")));
  const logins = [
    ...asList(dig(spec, "credentials", "secrets")),
    ...pullSecrets.map((secret) => field(secret, "name") ?? null),
  ];
  return [
    ...keys.flatMap(keyNeed),
    ...logins.flatMap((name) => typeof name === "string" && name !== "" ? [loginNeed(name)] : []),
  ];
}

const passed = pass("success");

function textsOf(lists: ImageLists): string[] {
  return Object.values(lists).flat().map(({ text }) => text);
}

function attestationsOf(written: Json | undefined): ReadonlyMap<string, PolicyAttestation> {
  return new Map(
    asList(written).filter(isObject).map((entry): [string, PolicyAttestation] => {
      const type = (kind: "intoto" | "referrer"): string | undefined =>
        isObject(entry[kind]) ? textField(entry[kind], "type") : undefined;
      return [asString(entry["name"]) ?? "", { intoto: type("intoto"), referrer: type("referrer") }];
    }),
  );
}
