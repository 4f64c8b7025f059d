import { fail, type Outcome, pass } from "../rules/mod.ts";
import { type PolicyResult, replaced, type RuleResult } from "./decision.ts";

/**
 * Adds to the results of image policies whether some policy of the request verified each image that they require. A
 * rule fails for an image that no policy verified. Call it again after evaluating further policies for the same
 * object.
 */
export function withRequiredImages<T extends PolicyResult>(results: readonly T[]): readonly T[] {
  if (!results.some(({ rules }) => rules.some((rule) => requiredBy(rule) !== undefined))) return results;
  const verified = new Map<string, boolean>();
  for (const { images } of results.flatMap(({ rules }) => rules)) {
    if (images?.phase !== "validate") continue;
    for (const [image, isVerified] of images.attempts) {
      verified.set(image, verified.get(image) === true || isVerified);
    }
  }
  return results.map((result) => ({
    ...result,
    rules: result.rules.map((rule): RuleResult => {
      const required = requiredBy(rule);
      return required === undefined ? rule : replaced(rule, requiredOutcome(required, verified));
    }),
  }));
}

/** The images that a rule requires to be verified; `undefined` for none. */
function requiredBy({ images }: RuleResult): readonly string[] | undefined {
  return images?.phase === "validate" && images.required.length > 0 ? images.required : undefined;
}

function requiredOutcome(images: readonly string[], verified: ReadonlyMap<string, boolean>): Outcome {
  for (const image of images) {
    const isVerified = verified.get(image);
    if (isVerified === true) continue;
    return fail(
      isVerified === false
        ? `image ${image} failed signature or attestation verification`
        : `image ${image} is not verified: no policy performed a signature or attestation check on it`,
    );
  }
  return pass("success");
}
