import { asList, type DocumentPath, field, type Json, type JsonObject } from "../../json/mod.ts";
import { imageVerificationOf, modernEntry, writtenEntries } from "../../policy/mod.ts";
import type { SignatureLayout } from "../../ports.ts";
import type { WrittenSigner } from "../rule_kind.ts";
import { layoutOf, signerOf } from "./verify_image.ts";

/** The signers in the entries of a rule whose texts have no variables. */
export function signersOfEntries(entries: readonly JsonObject[]): WrittenSigner[] {
  return entries.flatMap((entry, index) => {
    const verification = imageVerificationOf(entry), modern = modernEntry(entry);
    const path = ["verifyImages", index];
    const lists = [
      { sets: modern["attestors"], at: [...path, "attestors"] },
      ...asList(modern["attestations"]).map((attestation, nth) => ({
        sets: field(attestation, "attestors"),
        at: [...path, "attestations", nth, "attestors"],
      })),
    ];
    const layout = layoutOf(verification);
    return lists.flatMap(({ sets, at }) =>
      signersOfSets(sets, at, { layout, repository: verification.repository })
    )
      .map((signer) => ({ ...signer, by: signerOf(verification, signer) }));
  });
}

/** The signers in attestor sets. */
export function signersOfSets(
  sets: Json | undefined,
  path: DocumentPath,
  { layout, repository }: { readonly layout: SignatureLayout; readonly repository: string },
): WrittenSigner[] {
  return [...writtenEntries(sets, path)].flatMap(({ signers, path, entry }) =>
    JSON.stringify(entry).includes("{{") ? [] : signers.map(({ by, log, repository: entryRepository }) => ({
      path,
      by,
      log,
      layout,
      repository: entryRepository || repository,
    }))
  );
}
