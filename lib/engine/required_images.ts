import { fail, type Outcome, pass } from "../rules/mod.ts";
import type { PolicyResult, RuleResult } from "./decision.ts";

/**
 * The results of image policies with what they require: each image must have been verified by some policy of the request,
 * whichever asked. To be called again when further policies were asked about the same object.
 */
export function withRequiredImages<T extends PolicyResult>(results: readonly T[]): readonly T[] {
  if (!results.some(({ rules }) => rules.some(({ required }) => required !== undefined))) return results;
  const verified = new Map<string, boolean>();
  for (const { attempts } of results.flatMap(({ rules }) => rules)) {
    for (const [image, isVerified] of attempts ?? []) {
      verified.set(image, verified.get(image) === true || isVerified);
    }
  }
  return results.map((result) => ({
    ...result,
    rules: result.rules.map((rule): RuleResult =>
      rule.required === undefined ? rule : { ...rule, ...requiredOutcome(rule.required, verified) }
    ),
  }));
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
