import type { PathDiagnostic } from "../../diagnostics/mod.ts";
import { asList, asObject, type DocumentPath, field, isObject, type JsonObject } from "../../json/mod.ts";
import { imageProblems, type ImageVerification, imageVerificationOf } from "../../policy/mod.ts";
import type { RuleTools } from "../rule_kind.ts";

/** Reports what Kyverno refuses in the entries of a rule, and what can never pass. */
export function reportImageProblems(entries: readonly JsonObject[], tools: RuleTools): void {
  for (const problem of imageProblems(entries, tools.policy.failureAction)) tools.report(problem);
  if (mutatesExtracted(entries, tools.rule.imageExtractors)) {
    tools.report({
      severity: "error",
      code: "bad-image-verification",
      message: "jmespath may not be used in an image extractor when mutating digests with verify images",
      path: ["imageExtractors"],
    });
  }
  for (const [index, entry] of entries.entries()) {
    for (const warning of neverPasses(entry, ["verifyImages", index])) tools.report(warning);
  }
}

function mutatesExtracted(entries: readonly JsonObject[], extractors: JsonObject | undefined): boolean {
  const queries = Object.values(extractors ?? {}).flatMap(asList).some((each) =>
    Boolean(field(each, "jmesPath"))
  );
  return queries && entries.some((entry) => entry["mutateDigest"] !== false);
}

/** Entries that can never pass, whatever was signed. */
function* neverPasses(entry: JsonObject, path: DocumentPath): Generator<PathDiagnostic> {
  const verification = imageVerificationOf(entry);
  for (const [index, reference] of verification.imageReferences.entries()) {
    if (isTagless(reference)) {
      yield warning("never-matches", [...path, "imageReferences", index], {
        message: `No image ever matches "${reference}": it names no tag`,
        hint: `write "${reference}:*", or "${reference}*" for digests too`,
      });
    }
  }
  for (const [index, attestation] of verification.attestations.entries()) {
    if (attestation.type !== "") continue;
    yield warning("never-passes", [...path, "attestations", index], {
      message: "The attestation has no type, so it always fails",
      hint: "write the predicate type, such as https://slsa.dev/provenance/v1",
    });
  }
  yield* signersThatNeverPass(entry, verification, path);
}

/** An image's text always has a tag or a digest. */
function isTagless(reference: string): boolean {
  const last = reference.slice(reference.lastIndexOf("/") + 1);
  return !/[:@*]/.test(last) && !reference.includes("{{");
}

function* signersThatNeverPass(
  entry: JsonObject,
  { type, attestations }: ImageVerification,
  path: DocumentPath,
): Generator<PathDiagnostic> {
  const places: { sets: readonly unknown[]; at: DocumentPath; forAttestation: boolean }[] = [
    { sets: asList(entry["attestors"]), at: [...path, "attestors"], forAttestation: false },
    ...attestations.map((_, index) => ({
      sets: asList(field(asList(entry["attestations"])[index], "attestors")),
      at: [...path, "attestations", index, "attestors"],
      forAttestation: true,
    })),
  ];
  for (const { sets, at, forAttestation } of places) {
    for (const [setIndex, set] of sets.entries()) {
      const entries = isObject(set) ? asList(set["entries"]) : [];
      for (const [index, signer] of entries.entries()) {
        if (!isObject(signer)) continue;
        const why = whyNever(signer, { type, forAttestation });
        if (why !== undefined) yield warning("never-passes", [...at, setIndex, "entries", index], why);
      }
    }
  }
}

type Why = Pick<PathDiagnostic, "message"> & { readonly hint: string };

/** Why nothing that anybody signs can satisfy an attestor. */
function whyNever(
  signer: JsonObject,
  { type, forAttestation }: { readonly type: ImageVerification["type"]; readonly forAttestation: boolean },
): Why | undefined {
  const certificates = asObject(signer["certificates"]), keyless = asObject(signer["keyless"]);
  if (forAttestation && isObject(signer["attestor"])) {
    return { message: "A nested attestor never verifies an attestation", hint: "list its entries here" };
  }
  if (type === "Cosign" && certificates?.["cert"] && certificates["certChain"]) {
    return {
      message: "A certificate together with its chain passes only with an embedded certificate timestamp",
      hint: "give cert alone, or certChain alone",
    };
  }
  if (type === "SigstoreBundle" && keyless !== undefined && !hasWholeIdentity(keyless)) {
    return {
      message: "A bundle is verified only when both an issuer and a subject are asked for",
      hint: "add subject or subjectRegExp, and issuer or issuerRegExp",
    };
  }
  return undefined;
}

function hasWholeIdentity(keyless: JsonObject): boolean {
  const has = (name: string): boolean => Boolean(keyless[name]) || Boolean(keyless[`${name}RegExp`]);
  return has("issuer") && has("subject");
}

function warning(code: string, path: DocumentPath, { message, hint }: Why): PathDiagnostic {
  return { severity: "warning", code, message, hint, path };
}
