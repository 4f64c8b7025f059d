import type { Context } from "../../context/mod.ts";
import { isFault, isObject, type Json, type JsonObject, setField } from "../../json/mod.ts";
import { type AttestorSet, type ImageAttestation, logTrustOf, type SignerEntry } from "../../policy/mod.ts";
import type { SignatureAnswer, Statement } from "../../ports.ts";
import { type Pending, pending } from "./loads.ts";
import type { StatementConditions } from "./conditions.ts";
import type { ImageEntry } from "./entries.ts";
import { atDigest, type FoundImage } from "./images.ts";

/** The result of verifying an entry's attestations for one image. */
export type AttestationVerdict =
  | {
    readonly ok: true;
    readonly digest: string;
    /** The image's text in messages. */
    readonly text: string;
    /** The predicates, by the names that the policy gives them. */
    readonly predicates: JsonObject;
  }
  | { readonly ok: false; readonly message: string };

/** The functions with which attestations of an image are verified. */
export interface AttestationTools {
  readonly context: Context;
  readonly image: FoundImage;
  suffix(entry: SignerEntry): string;
  /** Loads the statements of a type that one signer signed. */
  loadStatements(entry: SignerEntry, path: string, type: string): SignatureAnswer | Pending;
}

/** Verifies the attestations of an entry in order, until one does not verify. */
export function verifyAttestations(entry: ImageEntry, tools: AttestationTools): AttestationVerdict | Pending {
  const predicates: Record<string, Json> = {};
  let { image } = tools, digest = image.image.digest ?? "";
  for (const [index, attestation] of entry.verification.attestations.entries()) {
    const path = `.attestations[${index}]`;
    if (attestation.type === "") return { ok: false, message: `${path}: missing type` };
    const check = new AttestationCheck({
      attestation,
      path,
      // Kyverno parity: messages print the index of the attestation as that of the entry. Pinned by row
      // "att-two-types" of tests/conformance/sets/verify_images.ts.
      entryIndex: index,
      roots: entry.verification.roots,
      conditions: entry.conditions[index],
      predicates,
      pins: entry.verification.type !== "Cosign",
    }, { ...tools, image });
    const problem = check.problem();
    if (problem === pending) return pending;
    if (problem !== undefined) return { ok: false, message: problem };
    image = check.image;
    digest = image.image.digest ?? check.digest;
  }
  return { ok: true, digest, text: image.text, predicates };
}

/** A signer entry for any signer under the roots, or under the trusted root where there are none. */
function anySigner(roots: string): SignerEntry {
  return {
    kind: "signer",
    by: { kind: "keyless", identities: [], compare: "wildcards", roots, extensions: {} },
    suffix: "",
    // Kyverno parity: a certificate timestamp is demanded only by attestors that say so. Pinned by "accepts any signer
    // of the roots".
    log: { ...logTrustOf({}), ignoreSct: true },
    annotations: {},
    repository: "",
  };
}

interface AttestationCase {
  readonly attestation: ImageAttestation;
  readonly path: string;
  readonly entryIndex: number;
  /** The PEM of the entry's roots, for attestations without attestors. */
  readonly roots: string;
  readonly conditions: StatementConditions | undefined;
  /** Receives the predicate of the attestation. */
  readonly predicates: Record<string, Json>;
  /**
   * Kyverno parity: for bundles and Notary, messages name the image by the digest that was found. Pinned by
   * row "bundle-attestation" of tests/conformance/sets/verify_images.ts.
   */
  readonly pins: boolean;
}

/** Verifies one attestation: its sets of attestors one after the other. */
class AttestationCheck {
  readonly #case: AttestationCase;
  readonly #tools: AttestationTools;
  /**
   * Kyverno parity: the failures of an earlier set are repeated. Pinned by row "att-sets-and" of
   * tests/conformance/sets/verify_images.ts.
   */
  readonly #reasons: string[] = [];
  /** The image's text in messages. */
  image: FoundImage;
  /** The digest that was verified last. */
  digest = "";

  constructor(attestationCase: AttestationCase, tools: AttestationTools) {
    this.#case = attestationCase;
    this.#tools = tools;
    this.image = tools.image;
  }

  /** Why the attestation does not verify; `undefined` when it does. */
  problem(): string | undefined | Pending {
    const { attestation, path } = this.#case;
    const anybody = { required: 1, entries: [anySigner(this.#case.roots)] };
    const sets = attestation.attestors.length === 0 ? [anybody] : attestation.attestors;
    for (const [index, set] of sets.entries()) {
      const verified = this.#verifiedOf(set, `${path}.attestors[${index}]`);
      if (verified === pending) return pending;
      if (verified >= set.required) continue;
      const message =
        `image attestations verification failed, verifiedCount: ${verified}, requiredCount: ${set.required}, error: ${
          this.#reasons.join("; ")
        }`;
      return message;
    }
    return undefined;
  }

  /** Counts the entries of a set that verify, until there are enough. */
  #verifiedOf(set: AttestorSet, path: string): number | Pending {
    let verified = 0;
    for (const entry of set.entries) {
      const signer = entry.kind === "set" ? anySigner(this.#case.roots) : entry;
      const entryPath = `${path}.entries[${this.#case.entryIndex}]${this.#tools.suffix(signer)}`;
      const answer = this.#tools.loadStatements(signer, entryPath, this.#case.attestation.type);
      if (answer === pending) return pending;
      if (answer.ok && entry.kind === "set") {
        // Kyverno accepts any signer under the trusted root for a nested attestor (declared in
        // docs/compatibility.md).
        this.#reasons.push("nested attestors cannot be asked for attestations");
        continue;
      }
      if (!answer.ok) {
        this.#reasons.push(answer.message);
        continue;
      }
      this.digest = answer.digest;
      if (this.#case.pins && this.image.image.digest === undefined) {
        this.image = atDigest(this.image, answer.digest);
      }
      const problem = this.#statementProblem(answer.statements);
      if (problem !== undefined) this.#reasons.push(`${entryPath}: ${problem}`);
      else if (++verified >= set.required) break;
    }
    return verified;
  }

  /** Why the statements do not suffice; `undefined` when they do. */
  #statementProblem(statements: readonly Statement[]): string | undefined {
    const { attestation: { type, name }, conditions, predicates } = this.#case;
    const { image } = this, { context } = this.#tools;
    // Kyverno parity: the variable holds the first statement whatever its type. Pinned by row
    // "att-validate-condition-message" of tests/conformance/sets/verify_images.ts.
    const first = statements.find(({ predicate }) => isObject(predicate));
    if (first !== undefined && name !== "") setField(predicates, name, first.predicate);
    const wanted = statements.filter((statement) => statement.type === type);
    if (wanted.length === 0) return `attestions not found for predicate type ${type}`;
    const visible = context.child({ values: { ...predicates, image: { ...image.image } } });
    for (const { predicate } of wanted) {
      if (!isObject(predicate)) return `failed to extract predicate from statement of type ${type}`;
      const verdict = conditions?.check(predicate, visible);
      if (verdict === undefined) continue;
      if (isFault(verdict)) return `failed to check attestations: ${verdict.message}`;
      if (!verdict.holds) {
        return `attestation checks failed for ${image.text} and predicate ${type}: ${verdict.message}`;
      }
    }
    return undefined;
  }
}
