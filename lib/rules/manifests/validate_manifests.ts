import type { LoadTracker } from "../../context/mod.ts";
import { dig, goJson, type JsonObject } from "../../json/mod.ts";
import { annotationsOf, nameOf, namespaceOf } from "../../kube/mod.ts";
import { type AttestorSet, attestorSetsOf, setProblems, type SignerEntry } from "../../policy/mod.ts";
import { error, fail, type Outcome, pass } from "../outcome.ts";
import type { CompiledBody, RuleInput, RuleTools } from "../rule_kind.ts";
import {
  keySecretNeeds,
  loadTextVerdict,
  type Pending,
  pending,
  signersOfSets,
} from "../verify_images/mod.ts";
import { contradictionIn } from "./contradiction.ts";
import { differenceOf } from "./difference.ts";
import { asStored, type DryRun, dryRunNeeds, dryRunOf } from "./dry_run.ts";
import { compileIgnoredFields, type Ignores } from "./ignored_fields.ts";
import { manifestFor, type SignedManifest, signedManifestOf } from "./signed_manifest.ts";

/** The object must be signed as a whole, in the format of k8s-manifest-sigstore. */
export interface ManifestsBody {
  readonly kind: "manifests";
  readonly manifests: JsonObject;
}

const defaultDomain = "cosign.sigstore.dev";

/** Compiles a rule of `validate.manifests`: the object must equal its signed manifest. */
export function compileManifestsRule({ manifests }: ManifestsBody, tools: RuleTools): CompiledBody {
  const path = ["validate", "manifests", "attestors"];
  for (const problem of setProblems(manifests["attestors"], path, "Cosign")) tools.report(problem);
  const contradiction = contradictionIn(manifests["attestors"], path);
  if (contradiction !== undefined) tools.report(contradiction);
  const domain = String(manifests["annotationDomain"] ?? "") || defaultDomain;
  const sets = attestorSetsOf(manifests["attestors"]);
  for (const need of keySecretNeeds(sets)) tools.need(need);
  const ignoredFields = compileIgnoredFields(manifests["ignoreFields"], domain);
  const dryRun = dryRunOf(manifests["dryRun"], tools.policy.namespace);
  if (dryRun !== undefined) { for (const need of dryRunNeeds(tools.rule)) tools.need(need); }
  return {
    signers: signersOfSets(manifests["attestors"], path, { layout: "tag", repository: "" }),
    run(input) {
      const { resource, operation, context } = input;
      if (resource === undefined || operation === "DELETE") return undefined;
      if (isDryRun(input)) return pass("allowed because of DryRun request");
      const signed = signedManifestOf(resource, domain);
      return verified(
        sets,
        new ManifestCheck(resource, signed, {
          tracker: context.tracker,
          ignores: ignoredFields(resource),
          dryRun,
        }),
      );
    },
  };
}

function isDryRun({ request }: RuleInput): boolean {
  return dig(request, "dryRun") === true;
}

/** Verifies the sets in order. All must verify, and the first that does not ends it. */
function verified(sets: readonly AttestorSet[], check: ManifestCheck): Outcome | undefined {
  const reasons: string[] = [];
  for (const [index, set] of sets.entries()) {
    const verdict = verifySet(set, `.attestors[${index}]`, check);
    if (verdict === pending) return undefined;
    if (verdict.result === "error") {
      return error(`error occurred during manifest verification: ${verdict.message}`);
    }
    if (verdict.result === "fail") return fail(verdict.message);
    reasons.push(verdict.message);
  }
  return pass(`verified manifest signatures; ${reasons.join(",")}`);
}

interface ManifestVerdict {
  readonly result: "pass" | "fail" | "error";
  readonly message: string;
}

/**
 * Kyverno parity: a set that does not verify is an error when one of its entries is. Pinned by "by an entry whose key
 * does not verify, and changed for the other entry".
 */
function verifySet(set: AttestorSet, path: string, check: ManifestCheck): ManifestVerdict | Pending {
  const byResult: Record<ManifestVerdict["result"], string[]> = { pass: [], fail: [], error: [] };
  for (const [index, entry] of set.entries.entries()) {
    const entryPath = `${path}.entries[${index}]`;
    const verdict = entry.kind === "set"
      ? nested(verifySet(entry.set, `${entryPath}.attestor`, check), `${entryPath}.attestor`)
      : check.verify(entry, `${entryPath}${entry.suffix}`);
    if (verdict === pending) return pending;
    byResult[verdict.result].push(verdict.message);
    if (byResult.pass.length >= set.required) return summary("pass", byResult.pass);
  }
  return byResult.error.length > 0
    ? { result: "error", message: byResult.error.join("; ") }
    : summary("fail", byResult.fail);

  function summary(result: "pass" | "fail", messages: readonly string[]): ManifestVerdict {
    const word = result === "pass" ? "succeeded" : "failed";
    const counts = `verifiedCount ${byResult.pass.length}; requiredCount ${set.required}`;
    return { result, message: `manifest verification ${word}; ${counts}; message ${messages.join(",")}` };
  }
}

/** The verdict of a set inside another, whose errors have a frame. */
function nested(verdict: ManifestVerdict | Pending, path: string): ManifestVerdict | Pending {
  if (verdict === pending || verdict.result !== "error") return verdict;
  return { result: "error", message: `failed to verify signature; ${path}: ${verdict.message}` };
}

/** Compares one object and its signed manifest with one signer after the other. */
class ManifestCheck {
  readonly #object: JsonObject;
  readonly #signed: SignedManifest;
  readonly #tracker: LoadTracker;
  readonly #manifest: JsonObject | undefined;
  readonly #difference: string | undefined;
  readonly #ignores: Ignores;
  readonly #dryRun: DryRun | undefined;

  constructor(
    object: JsonObject,
    signed: SignedManifest,
    { tracker, ignores, dryRun }: {
      readonly tracker: LoadTracker;
      readonly ignores: Ignores;
      readonly dryRun: DryRun | undefined;
    },
  ) {
    this.#object = object;
    this.#signed = signed;
    this.#tracker = tracker;
    this.#ignores = ignores;
    this.#dryRun = dryRun;
    this.#manifest = signed.message && manifestFor(object, signed.message);
    this.#difference = this.#manifest && differenceOf(this.#manifest, object, ignores);
  }

  verify(entry: SignerEntry, path: string): ManifestVerdict | Pending {
    const mismatch = this.#annotationMismatch(entry);
    if (mismatch !== undefined) return { result: "error", message: mismatch };
    if (this.#manifest === undefined) {
      const message = `${path}: YAML manifest not found for this resource: ${this.#signed.problem}`;
      return { result: "fail", message };
    }
    const signer = this.#signerOf(entry);
    if (signer === pending) return pending;
    if ("problem" in signer) {
      const message = `${path}: failed to verify signature: ${signer.problem}`;
      return { result: this.#signed.signatures.length === 0 ? "fail" : "error", message };
    }
    const difference = this.#difference === undefined ? undefined : this.#differenceWhenStored();
    if (difference === pending) return pending;
    if (difference === undefined) {
      // Kyverno writes "singed".
      return { result: "pass", message: `singed by a valid signer: ${signer.name}` };
    }
    return {
      result: "fail",
      message: `${path}: failed to verify signature. diff found; ${difference}`,
    };
  }

  /**
   * The difference between the object and the manifest, also as the API server would store the manifest. Only a
   * signed manifest is compared.
   */
  #differenceWhenStored(): string | undefined | Pending {
    const dryRun = this.#dryRun, manifest = this.#manifest;
    if (dryRun === undefined || manifest === undefined) return this.#difference;
    const stored = asStored(manifest, this.#object, { tracker: this.#tracker, dryRun });
    if (stored === pending) return pending;
    const isSame = stored !== undefined && differenceOf(stored, this.#object, this.#ignores) === undefined;
    return isSame ? undefined : this.#difference;
  }

  #annotationMismatch({ annotations }: SignerEntry): string | undefined {
    const present = annotationsOf(this.#object);
    for (const [key, wanted] of Object.entries(annotations).sort()) {
      const have = present[key] ?? "";
      if (have !== wanted) {
        return `annotations mismatch: ${have} does not match expected value ${wanted} for key ${key}`;
      }
    }
    return undefined;
  }

  /** The signer of the manifest among those that the entry accepts. One signature that verifies is enough. */
  #signerOf({ by, log }: SignerEntry): { readonly name: string } | { readonly problem: string } | Pending {
    const { message, signatures } = this.#signed;
    if (signatures.length === 0) return { problem: "signature not found" };
    const trials: string[] = [];
    for (const [index, signature] of signatures.entries()) {
      const query = { message: message!, ...signature, by, log };
      const key = JSON.stringify([signature, by, log]);
      const answer = loadTextVerdict(this.#tracker, query, { name: this.#name(), key });
      if (answer === pending) return pending;
      if (answer.ok) return { name: answer.signer };
      trials.push(
        `[publickey 1/1] [signature ${index + 1}/${signatures.length}] error: ` +
          `cosign.VerifyBlobCmd.Exec() returned an error: ${answer.message}`,
      );
    }
    const all = goJson(trials);
    return { problem: `verification failed for ${signatures.length} signature. all trials: ${all}` };
  }

  #name(): string {
    const namespace = namespaceOf(this.#object);
    const kind = String(this.#object["kind"] ?? "object");
    return `signature of ${kind} ${namespace === "" ? "" : `${namespace}/`}${nameOf(this.#object)}`;
  }
}
