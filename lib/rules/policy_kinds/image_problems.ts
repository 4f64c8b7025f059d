import { asList, type DocumentPath, isObject, type JsonObject, textField } from "../../json/mod.ts";
import type { WrittenSigner } from "../rule_kind.ts";
import { type CompiledAttestors, layoutOf } from "./image_attestors.ts";
import { isConfigured } from "./image_policy.ts";
import type { PolicyTools } from "./policy_kind.ts";

/** The signers of the attestors that have no expressions. */
export function signersOf(written: CompiledAttestors["written"]): WrittenSigner[] {
  return written.filter(([, { problem }]) => problem === undefined).map((
    [path, { kind, by, log, repository }],
  ) => ({ path, by, log, repository, layout: layoutOf(kind) }));
}

const verifies = /\bverify(?:Image|Attestation)Signatures\s*\(/;

/** Reports parts of an image policy that can never pass, whatever was signed. It does not read the texts of keys. */
export function reportNeverPasses(
  spec: JsonObject,
  written: CompiledAttestors["written"],
  tools: Pick<PolicyTools, "report">,
): void {
  const warn = (path: DocumentPath, message: string, hint: string): void =>
    tools.report({ severity: "warning", code: "never-passes", message, hint, path });
  for (const [path, { problem }] of written) {
    if (problem === undefined) continue;
    warn(
      path,
      `No signature can satisfy this attestor: ${problem}`,
      "name one signer, and whom it trusts",
    );
  }
  for (const [index, attestation] of asList(spec["attestations"]).filter(isObject).entries()) {
    const kinds = ["intoto", "referrer"].filter((kind) => isObject(attestation[kind]));
    if (kinds.some((kind) => textField(attestation[kind], "type") !== "")) continue;
    const hint = "write the predicate type under intoto, or the artifact type under referrer";
    warn(["spec", "attestations", index], "The attestation has no type, so no statement is one", hint);
  }
  const expressions = JSON.stringify([spec["validations"] ?? null, spec["variables"] ?? null]);
  if (isConfigured(spec, "required") && !verifies.test(expressions)) {
    warn(
      ["spec", "validations"],
      "No expression verifies a signature, and required refuses images that no policy verified",
      "call verifyImageSignatures, or set required: false under validationConfigurations",
    );
  }
}
