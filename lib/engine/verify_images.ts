import type { LoadTracker } from "../context/mod.ts";
import { isFault, type JsonObject } from "../json/mod.ts";
import { type PatchOperation, planJsonPatch } from "../patch/mod.ts";
import { annotated, type ScopedNotes } from "../rules/mod.ts";
import type { CompiledPolicy } from "./compiled.ts";
import { decide, strictestOf } from "./decide.ts";
import type { Decision, PolicyResult } from "./decision.ts";
import { type EvaluatedPolicy, runAll } from "./policy_run.ts";
import type { RequestView } from "./request_view.ts";

/**
 * Verifies the images of the mutated object. The policies run concurrently on the same object. Results are noted in
 * two annotations of the object, and images get their digests.
 */
export function verifyImages(
  policies: readonly CompiledPolicy[],
  start: RequestView,
  { tracker, mutated }: { readonly tracker: LoadTracker; readonly mutated: Decision },
): Decision | Promise<Decision> {
  const { object } = mutated;
  if (!mutated.allowed || object === undefined) return mutated;
  const view = object === start.object ? start : start.mutated(object);
  const runs = runAll(policies, view, tracker);
  return runs instanceof Promise ? runs.then(finish) : finish(runs);

  function finish(runs: readonly EvaluatedPolicy[]): Decision {
    const applied = runs.filter((run) => run.applies);
    const found = applied.flatMap(({ policy: { policy }, results }) =>
      results.flatMap(({ rule, images }) => images?.phase === "mutate" ? [{ policy, rule, ...images }] : [])
    );
    const scopes = found.map(({ policy, rule, notes }): ScopedNotes => ({
      policy: `${policy.namespace ?? ""}/${policy.name}`,
      rule,
      notes,
    }));
    const digests = found.flatMap(({ digests }) => digests);
    const results = applied.map(({ policy, results }): PolicyResult => ({
      policy: policy.policy,
      rules: results.filter((result) => result.result !== "pass" || !result.silent),
    }));
    const verified = annotated(pinned(object!, digests), scopes);
    const decision = decide(view.base.request, {
      results: [...mutated.results, ...results],
      object: verified,
      effects: mutated.effects,
      failurePolicy: strictestOf(results),
    });
    return { ...decision, verified };
  }
}

/**
 * The object with the digests of its images. When two policies write a digest of the same image, the later one wins.
 */
function pinned(
  object: JsonObject,
  digests: readonly { readonly pointer: string; readonly text: string }[],
): JsonObject {
  if (digests.length === 0) return object;
  const patch = digests.map(({ pointer, text }): PatchOperation => ({
    op: "replace",
    path: pointer,
    value: text,
  }));
  const patched = planJsonPatch(patch).apply(object);
  return isFault(patched) ? object : patched as JsonObject;
}
