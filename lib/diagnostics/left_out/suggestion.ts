import type * as full from "../suggestion.ts";

/** `bundle` has suggested what authors may have meant. */
const didYouMean: typeof full.didYouMean = () => undefined;
const replacing: typeof full.replacing = () => ({});
const choosing: typeof full.choosing = () => ({ hint: "" });

export { choosing, didYouMean, replacing };
