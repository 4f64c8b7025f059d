import { isFault, type JsonObject, type StepBudget } from "../../json/mod.ts";
import { isCheckedAtValidation } from "../../policy/mod.ts";
import { fail, type Outcome, pass, skip } from "../outcome.ts";
import type { CompiledBody, RuleTools } from "../rule_kind.ts";
import { compileEntries, type ImageEntry, type VerifyImagesBody } from "./entries.ts";
import type { FoundImage } from "./images.ts";
import { notedStatus, type NoteScope } from "./notes.ts";
import { RuleImages } from "./rule_images.ts";

/**
 * Compiles `verifyImages` for the validate phase: it calls no registry. Images must have a digest, and a note that they
 * passed the mutate phase.
 */
export function compileImageChecks(body: VerifyImagesBody, tools: RuleTools): CompiledBody {
  // `verifyImages` compiles the same entries and reports their problems, so they are not reported again here.
  const { written } = compileEntries(body.entries, { ...tools, report: () => {}, variables: () => {} });
  if (!written.some(({ verification }) => isCheckedAtValidation(verification))) {
    // Neither context nor preconditions are read.
    return { applies: () => false, run: () => undefined };
  }
  const { policy, rule } = tools;
  const images = new RuleImages(rule, written);
  const scope: NoteScope = { policy: `${policy.namespace ?? ""}/${policy.name}`, rule: rule.name };
  return {
    applies: (input) => input.operation !== "DELETE" && images.applies(input),
    run: ({ resource, context: { tracker: { steps } } }) =>
      resource === undefined
        ? undefined
        : checked(resource, { images: images.all(resource), entries: written, scope, steps }),
  };
}

interface Check {
  readonly images: readonly FoundImage[];
  readonly entries: readonly ImageEntry[];
  readonly scope: NoteScope;
  readonly steps: StepBudget;
}

/**
 * Kyverno parity: only the first failure is reported. Pinned by "the validate phase reports the first image
 * that is not verified alone".
 */
function checked(object: JsonObject, { images, entries, scope, steps }: Check): Outcome {
  const skipped: string[] = [];
  let passed = 0;
  for (const { matches, verification } of entries) {
    for (const { text, image } of images) {
      if (!matches(text, steps)) continue;
      if (verification.verifyDigest && image.digest === undefined) return fail(`missing digest for ${text}`);
      const status = verification.required ? notedStatus(object, scope, text) : "pass";
      if (isFault(status)) return fail(status.message);
      if (status === undefined || status === "fail") return fail(`unverified image ${text}`);
      if (status === "skip") skipped.push(text);
      else passed++;
    }
  }
  if (skipped.length === 0) return verified;
  const list = `skipped images: ${skipped.join(" ")}`;
  return passed > 0 ? pass(`image verified, ${list}`) : skip(`image skipped, ${list}`);
}

const verified = pass("image verified");
