import { equal, isFault, parsePointer, valueAtPath } from "../../json/mod.ts";
import { error, type ImageFindings, listed, type Outcome, type OutcomeList, pass } from "../outcome.ts";
import type { CompiledBody, RuleInput, RuleTools } from "../rule_kind.ts";
import { loadDigest, pending } from "./loads.ts";
import { compileEntries, type ImageEntry, type VerifyImagesBody } from "./entries.ts";
import { pullSecretsOf, withPullSecrets } from "./credentials.ts";
import { atDigest, type FoundImage } from "./images.ts";
import { type ImageNote, type ImageStatus, notedStatus, type NoteScope } from "./notes.ts";
import { reportImageProblems } from "./problems.ts";
import { secretNeeds } from "./secret_needs.ts";
import { RuleImages } from "./rule_images.ts";
import { verifyImage, type VerifyRequest } from "./verify_image.ts";
import { signersOfEntries } from "./written_signers.ts";

export { compileImageChecks } from "./check_images.ts";

/** Compiles `verifyImages` for the mutate phase: it verifies signatures, adds digests, and notes the results. */
export function compileVerifyImages(body: VerifyImagesBody, tools: RuleTools): CompiledBody {
  const { rule } = tools;
  tools.need({ kind: "registry" });
  reportImageProblems(body.entries, tools);
  const entries = compileEntries(body.entries, tools);
  for (const need of secretNeeds(entries.written.map(({ verification }) => verification))) tools.need(need);
  const images = new RuleImages(rule, entries.written);
  const { policy } = tools;
  return {
    signers: signersOfEntries(body.entries),
    applies: (input) => input.operation !== "DELETE" && images.applies(input),
    run(input) {
      const { resource, context } = input;
      if (resource === undefined) return undefined;
      const resolved = entries.resolve(context);
      if (isFault(resolved)) return error(`failed to substitute variables: ${resolved.message}`);
      const request: VerifyRequest = {
        policy: policy.name,
        rule: rule.name,
        context,
        entries: resolved,
        pullSecrets: pullSecretsOf(resource),
      };
      const scope: NoteScope = { policy: `${policy.namespace ?? ""}/${policy.name}`, rule: rule.name };
      return new Verification(input, request, scope).run(images.matched(resource, context.tracker.steps));
    },
  };
}

/** Verifies the images of one object under all entries of a rule. */
class Verification {
  readonly #input: RuleInput;
  readonly #request: VerifyRequest;
  readonly #scope: NoteScope;
  readonly #outcomes: Outcome[] = [];
  readonly #notes: ImageNote[] = [];
  readonly #digests: { pointer: string; text: string }[] = [];
  #isPending = false;

  constructor(input: RuleInput, request: VerifyRequest, scope: NoteScope) {
    this.#input = input;
    this.#request = request;
    this.#scope = scope;
  }

  /** Starts the verification of all images before it waits, so that a load for one image does not delay the others. */
  run(images: readonly FoundImage[]): Outcome | OutcomeList | undefined {
    for (const entry of this.#request.entries) {
      for (const image of images) this.#verify(entry, image);
    }
    // An outcome from incomplete answers is never seen, because the rule runs again.
    if (this.#isPending) return undefined;
    const [first, ...others] = this.#outcomes;
    if (first === undefined && this.#notes.length === 0) return undefined;
    const found: ImageFindings = { phase: "mutate", notes: this.#notes, digests: this.#digests };
    if (first === undefined) return { ...pass(""), silent: true, images: found };
    return listed([{ ...first, images: found }, ...others]);
  }

  #verify(entry: ImageEntry, found: FoundImage): void {
    if (this.#isVerifiedAlready(found)) {
      this.#notes.push({ image: found.text, status: "pass" });
      return;
    }
    const verdict = verifyImage(entry, found, this.#request);
    if (verdict === pending) {
      this.#isPending = true;
      return;
    }
    if (verdict?.skipped) this.#notes.push({ image: found.text, status: "skip", forPeople: true });
    let outcome = verdict?.outcome, final = found;
    if (entry.verification.mutateDigest && found.image.digest === undefined) {
      const digest = this.#digestOf(entry, found, verdict?.digest ?? "");
      if (digest !== undefined) {
        this.#digests.push({ pointer: found.pointer, text: `${found.text}@${digest}` });
        final = atDigest(found, digest);
        outcome ??= pass("mutated image digest");
      }
    }
    if (outcome === undefined) return;
    if (verdict !== undefined) this.#notes.push({ image: final.text, status: statusOf(outcome) });
    this.#outcomes.push(outcome);
  }

  /** The digest to add; `undefined` when it cannot be loaded, which is then an outcome. */
  #digestOf(entry: ImageEntry, found: FoundImage, verified: string): string | undefined {
    if (verified !== "") return verified;
    const { context, pullSecrets } = this.#request;
    const credentials = withPullSecrets(entry.verification.credentials, pullSecrets);
    const answer = loadDigest(context.tracker, found.text, credentials);
    if (answer === pending) {
      this.#isPending = true;
      return undefined;
    }
    if (answer.ok) return answer.digest;
    const why = `failed to fetch image reference: ${found.text}, error: ${answer.message}`;
    this.#outcomes.push(error(`failed to update digest: ${why}`));
    return undefined;
  }

  /** Whether an update leaves the image as it was, and the old object's note says that it passed. */
  #isVerifiedAlready(found: FoundImage): boolean {
    const { operation, resource, oldResource } = this.#input;
    if (operation !== "UPDATE" || oldResource === undefined) return false;
    const path = parsePointer(found.pointer), before = valueAtPath(oldResource, path);
    if (before === undefined || !equal(before, valueAtPath(resource, path) ?? null)) return false;
    const status = notedStatus(oldResource, this.#scope, found.text);
    return status === "pass" || status === "skip";
  }
}

function statusOf({ result }: Outcome): ImageStatus {
  return result === "error" ? "fail" : result;
}
