import { asList, asString, dig, field, isFault, type JsonObject, type StepBudget } from "../../json/mod.ts";
import { containerLists, type ImageExtractors, podTemplatePaths } from "../../kube/mod.ts";
import type { Rule } from "../../policy/mod.ts";
import { ruleImageExtractors } from "../image_extractors.ts";
import { error, fail, type Outcome } from "../outcome.ts";
import type { RuleInput } from "../rule_kind.ts";
import type { ImageEntry } from "./entries.ts";
import { type FoundImage, imagesOf } from "./images.ts";

/** The steps of reading the image of a container. */
const stepsOfImage = 50;

function containersOf(object: JsonObject): number {
  const spec = dig(object, ...podTemplatePaths.get(asString(object["kind"]) ?? "") ?? [], "spec");
  return containerLists.reduce((sum, list) => sum + asList(field(spec, list)).length, 0);
}

/** Finds the images of an object that a rule matches. */
export class RuleImages {
  readonly #entries: readonly ImageEntry[];
  readonly #extractors: ImageExtractors | undefined;

  constructor(rule: Rule, entries: readonly ImageEntry[]) {
    this.#entries = entries;
    // Compiling the rule's context reports the problems of its extractors.
    this.#extractors = rule.imageExtractors && ruleImageExtractors(rule.imageExtractors, () => {});
  }

  /** Whether the rule applies to the object; an outcome when its images cannot be read. */
  applies({ resource: object, context }: RuleInput): boolean | Outcome {
    const { steps } = context.tracker;
    if (object === undefined || (steps.left -= stepsOfImage * containersOf(object)) < 0) return false;
    const images = imagesOf(object, this.#extractors);
    if (!isFault(images)) {
      return images.some(({ text }) =>
        steps.left >= 0 && this.#entries.some((entry) => entry.matches(text, steps))
      );
    }
    if (this.#extractors?.has(String(object["kind"]))) {
      return error(`failed to instantiate handler: failed to extract images: ${images.message}`);
    }
    // The API server refuses an object whose images cannot be read for another reason, such as a container without a
    // name.
    if (!images.message.startsWith("invalid image ")) return false;
    // Kyverno finds no images in such an object, and allows it (declared in docs/compatibility.md).
    return fail(`failed to extract images: ${images.message}: no image of the object can be verified`);
  }

  /** All images of the object; none when they cannot be read. */
  all(object: JsonObject): FoundImage[] {
    const images = imagesOf(object, this.#extractors);
    return isFault(images) ? [] : images;
  }

  /**
   * Kyverno parity: an image that several entries match is in the list once for each of them. Pinned by "an image that
   * matches two entries is in the list twice".
   */
  matched(object: JsonObject, steps: StepBudget): FoundImage[] {
    const matched: FoundImage[] = [];
    for (const found of this.all(object)) {
      for (const entry of this.#entries) if (entry.matches(found.text, steps)) matched.push(found);
      if (steps.left < 0) break;
    }
    return matched;
  }
}
