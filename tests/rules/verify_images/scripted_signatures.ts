import type {
  DigestAnswer,
  SignatureAnswer,
  SignatureQuery,
  Signatures,
  SignedTextAnswer,
  Statement,
} from "../../../lib/ports.ts";

/** Who signed an image, its digest, and what they stated. */
export interface ScriptedImage {
  readonly digest: string;
  /** Keys, as policies write them. */
  readonly signedBy?: readonly string[];
  readonly statements?: readonly (Statement & { readonly by: string })[];
}

/** Images by their text without tag and digest's algorithm; one that is absent does not exist. */
export type Script = Readonly<Record<string, ScriptedImage | "no connection">>;

/** A port that answers as a script says, and records the queries. */
export class ScriptedSignatures implements Signatures {
  readonly queries: SignatureQuery[] = [];
  readonly digestReads: string[] = [];
  /** How many questions were under way at once, at most. */
  mostAtOnce = 0;
  readonly #script: Script;
  #underWay = 0;

  constructor(script: Script) {
    this.#script = script;
  }

  async verify(query: SignatureQuery): Promise<SignatureAnswer> {
    this.queries.push(query);
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#underWay);
    await Promise.resolve();
    this.#underWay--;
    return this.#answer(query);
  }

  digest(image: string): Promise<DigestAnswer> {
    this.digestReads.push(image);
    const found = this.#find(image);
    if (found === "no connection") {
      return Promise.resolve({ ok: false, why: "no connection", message: "refused" });
    }
    return Promise.resolve(
      found === undefined
        ? { ok: false, why: "refused", message: "MANIFEST_UNKNOWN: manifest unknown" }
        : { ok: true, digest: found.digest },
    );
  }

  verifyText(): Promise<SignedTextAnswer> {
    return Promise.resolve({ ok: false, message: "not scripted" });
  }

  referrer(): Promise<{ ok: false; status: number; message: string }> {
    return Promise.resolve({ ok: false, status: 404, message: "not scripted" });
  }

  #answer({ image, by, want }: SignatureQuery): SignatureAnswer {
    const found = this.#find(image);
    const failed = { ok: false, digest: undefined, tried: [], cached: false } as const;
    if (found === undefined) return { ...failed, why: "not verified", message: "image tag not found" };
    if (found === "no connection") return { ...failed, why: "no connection", message: "connection refused" };
    const { digest, signedBy = [], statements = [] } = found;
    const key = by.kind === "key" ? by.key : by.kind;
    const verified = { ok: true, digest, statements: [], tried: [], cached: false } as const;
    if (want !== "signature") {
      const bySigner = statements.filter((statement) => statement.by === key);
      return bySigner.length === 0
        ? { ...failed, why: "not verified", message: "no matching attestations: " }
        : { ...verified, statements: bySigner };
    }
    if (signedBy.includes(key)) return verified;
    const why = "invalid signature";
    const tried = signedBy.map((signer) => ({ digest: `signature-of-${signer}`, why }));
    return { ...failed, why: "not verified", message: `no matching signatures: ${why}`, digest, tried };
  }

  #find(image: string): Script[string] | undefined {
    return this.#script[image] ??
      Object.values(this.#script).find((each) =>
        typeof each === "object" && image.endsWith(`@${each.digest}`)
      );
  }
}
