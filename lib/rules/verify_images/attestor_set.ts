import type { AttestorSet, SignerEntry } from "../../policy/mod.ts";
import type { SignatureAnswer } from "../../ports.ts";
import { type Pending, pending } from "./loads.ts";

/** The result of verifying a set of attestors for one image. */
export type SetVerdict =
  | { readonly ok: true; readonly digest: string }
  | {
    readonly ok: false;
    /** The reasons, each with the path of its entry. */
    readonly reasons: readonly string[];
    /** Whether a registry could not be reached: the rule is an error then, not a failure. */
    readonly unreachable: boolean;
  };

/** Loads whether one signer signed the image. The path is that of the entry, for explanations. */
export type VerifySigner = (entry: SignerEntry, path: string) => SignatureAnswer | Pending;

/** The functions with which signers are verified. */
export interface SignerTools {
  readonly verify: VerifySigner;
  suffix(entry: SignerEntry): string;
}

/** Verifies all sets in order. Every set must verify, and the first that does not ends it. */
export function verifySets(
  sets: readonly AttestorSet[],
  path: string,
  tools: SignerTools,
): SetVerdict | Pending {
  let last: SetVerdict = { ok: true, digest: "" };
  for (const [index, set] of sets.entries()) {
    const verdict = verifySet(set, `${path}[${index}]`, tools);
    if (verdict === pending || !verdict.ok) return verdict;
    last = verdict;
  }
  return last;
}

/**
 * Verifies the entries in order until enough of them verify. Earlier failures are then dropped; the digest is that of
 * the last entry.
 */
function verifySet(set: AttestorSet, path: string, tools: SignerTools): SetVerdict | Pending {
  const reasons: string[] = [];
  let verified = 0, unreachable = false;
  for (const [index, entry] of set.entries.entries()) {
    const entryPath = `${path}.entries[${index}]`;
    const verdict = entry.kind === "set"
      ? verifySet(entry.set, `${entryPath}.attestor`, tools)
      : verifySigner(entry, entryPath, tools);
    if (verdict === pending) return pending;
    if (verdict.ok) {
      if (++verified >= set.required) return verdict;
      continue;
    }
    reasons.push(...verdict.reasons);
    unreachable ||= verdict.unreachable;
  }
  return { ok: false, reasons, unreachable };
}

function verifySigner(
  entry: SignerEntry,
  entryPath: string,
  { verify, suffix }: SignerTools,
): SetVerdict | Pending {
  const path = `${entryPath}${suffix(entry)}`;
  const answer = verify(entry, path);
  if (answer === pending || answer.ok) return answer;
  return {
    ok: false,
    reasons: [`${path}: ${answer.message}`],
    unreachable: answer.why === "no connection",
  };
}
