import { type Fault, isFault } from "../../json/mod.ts";
import { parseImage } from "../../kube/mod.ts";
import type { RegistryCredentials } from "../../ports.ts";
import { error, type Outcome, pass, type PassOutcome } from "../outcome.ts";
import type { CompiledBody, RuleInput } from "../rule_kind.ts";
import { loadDigest, pending } from "../verify_images/mod.ts";
import { compilationFailed } from "./image_compilation.ts";
import {
  credentialsOf,
  evaluationFailed,
  imagePolicyExpressions,
  imagePolicyForm,
  isConfigured,
} from "./image_policy.ts";
import { containerImages } from "./image_lists.ts";
import { kyvernoEvaluation } from "./kyverno_expressions.ts";
import type { PolicyKind } from "./policy_kind.ts";

/** `ImageValidatingPolicy` in the mutate phase: adds the digests of tags to images. It verifies nothing. */
export const imageDigests: PolicyKind = {
  ...imagePolicyForm,
  type: "verifyImages",
  name: "image digests",
  everySpec: true,
  applies: (spec) => isConfigured(spec, "mutateDigest"),
  compile(spec, tools): CompiledBody {
    const parts = imagePolicyExpressions(spec, tools);
    return {
      unusable: compilationFailed(parts.unusable),
      run(input): Outcome | undefined {
        if (input.operation === "DELETE") return undefined;
        const { evaluation } = kyvernoEvaluation(parts.expressions, input);
        const applies = parts.conditions(evaluation);
        // The validate phase denies images for which this is unknown.
        if (isFault(applies) || !applies) return undefined;
        const exemption = parts.exempt(evaluation, input.context.environment.now());
        if (isFault(exemption) || "outcome" in exemption) return undefined;
        const matching = { evaluation, steps: input.context.tracker.steps };
        const images = imagesWithoutDigest(input, (image) => parts.references(image, matching));
        return Array.isArray(images) ? pinImages(images, input, credentialsOf(spec, input)) : images;
      },
    };
  },
};

/** A text of an image at a pointer of the object. */
interface ImageText {
  readonly pointer: string;
  readonly text: string;
}

/** The images of containers that the policy matches and that have no digest; an outcome when that is unknown. */
function imagesWithoutDigest(
  { resource }: RuleInput,
  matches: (image: string) => boolean | Fault,
): ImageText[] | Outcome {
  const images: ImageText[] = [];
  for (const { text, pointer } of Object.values(containerImages(resource)).flat()) {
    // The validate phase refuses containers without an image.
    if (text === undefined || text === "") continue;
    // Kyverno parity: references match the image with its registry and tag, and so it is written; `docker.io/*`
    // is about `nginx`, too. Pinned by "the mutate phase names the registry and the tag of images".
    const image = parseImage(text);
    if (isFault(image)) return digestFailed(image.message);
    const { reference = text, digest } = image;
    if (digest !== undefined) continue;
    const isMatch = matches(reference);
    if (isFault(isMatch)) return evaluationFailed(isMatch.message);
    if (isMatch) images.push({ text: reference, pointer });
  }
  return images;
}

/** Adds to each image the digest that its tag has in its registry. All digests are loaded at the same time. */
function pinImages(
  images: readonly ImageText[],
  { context: { tracker } }: RuleInput,
  credentials: RegistryCredentials,
): Outcome | undefined {
  const answers = images.map(({ text }) => loadDigest(tracker, text, credentials));
  const digests: ImageText[] = [];
  for (const [index, { text, pointer }] of images.entries()) {
    const answer = answers[index]!;
    if (answer === pending) return undefined;
    if (!answer.ok) return digestFailed(`failed to resolve digest for image ${text}: ${answer.message}`);
    digests.push({ pointer, text: `${text}@${answer.digest}` });
  }
  return digests.length === 0 ? undefined : { ...pinned, images: { phase: "mutate", notes: [], digests } };
}

function digestFailed(why: string): Outcome {
  return { ...error(`failed to update digest: ${why}`), meaning: "blocking" };
}

const pinned: PassOutcome = { ...pass("success"), silent: true };
