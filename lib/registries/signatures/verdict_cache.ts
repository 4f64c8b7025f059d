import { SharedLoads } from "../../adapters/mod.ts";
import { heapSize } from "../../json/mod.ts";
import type { Clock } from "../../ports.ts";
import type { Inquiry, Verdict } from "./inquiry.ts";

/** The longest time, in milliseconds, that a verdict stays. */
const ttl = { pass: 3_600_000, fail: 30_000 };
/** The most bytes of a cached verdict. A larger one is verified each time. */
const maxKept = 2_000_000;

/** Verdicts about signatures by digest and query. Equal inquiries at the same time share one verification. */
export class VerdictCache {
  readonly #loads: SharedLoads<Verdict>;

  constructor({ clock, maxBytes }: { readonly clock: Clock; readonly maxBytes: number }) {
    this.#loads = new SharedLoads({
      clock,
      ttl: (verdict) => ttlOf(verdict, clock.now()),
      sizeOf: sizeOfVerdict,
      maxBytes,
    });
  }

  /** Returns the verdict of an inquiry; `verify` makes it unless it is cached or being made. */
  get(inquiry: Inquiry, verify: () => Promise<Verdict>): Promise<Verdict> {
    return this.#loads.get(keyOf(inquiry), verify);
  }
}

/** The milliseconds that a verdict stays: not after its certificates, and not at all without a connection. */
function ttlOf(verdict: Verdict, now: number): number {
  if (!verdict.ok) return verdict.why === "no connection" ? 0 : ttl.fail;
  if (sizeOfVerdict(verdict) > maxKept) return 0;
  const left = verdict.until === undefined ? Infinity : verdict.until.getTime() - now;
  return Math.min(ttl.pass, left);
}

/**
 * The cache key of a verdict: the digest, the request for verification and the logins. The image's tag and the policy
 * do not change a verdict, so the key leaves them out.
 */
function keyOf({ query, digest, access, signatureAccess }: Inquiry): string {
  const { by, layout, want, log, annotations, annotationsIn, tagPrefix } = query;
  const { registry, repository } = access.reference;
  const location = signatureAccess.reference;
  const { login } = signatureAccess;
  const who = login === undefined ? "" : `${login.username}:${login.password}`;
  const where = [registry, repository, location.registry, location.repository, who, tagPrefix];
  return JSON.stringify([digest, where, layout, want, by, log, annotations, annotationsIn]);
}

/** The bytes of heap of a verdict, roughly. */
function sizeOfVerdict(verdict: Verdict): number {
  if (!verdict.ok) return verdict.message.length + 200 * verdict.tried.length;
  const statements = verdict.statements.map(({ statement, predicate }) =>
    heapSize(statement) + heapSize(predicate)
  );
  return 200 * (1 + verdict.tried.length) + statements.reduce((sum, each) => sum + each, 0);
}
