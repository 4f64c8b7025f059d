import type { AuthorityCertificates } from "./authority_certificates.ts";
import type { Certificate } from "./certificate.ts";
import { sameBytes } from "../../bytes/mod.ts";

/** The certificates from which a chain is built, and what every certificate of it must allow. */
export interface ChainOptions {
  readonly roots: readonly Certificate[];
  /** Never trusted, only verified as links of the chain: they may come from the signer. */
  readonly intermediates: readonly Certificate[];
  /** The time at which all certificates must be valid. */
  readonly at: Date;
  /** The OID of the extended key usage that all certificates must allow. */
  readonly usage: string;
  readonly authorities: AuthorityCertificates;
}

/** OIDs of extended key usages. */
export const usages = {
  codeSigning: "1.3.6.1.5.5.7.3.3",
  timeStamping: "1.3.6.1.5.5.7.3.8",
} as const;

const anyUsageOid = "2.5.29.37.0";
/** Certificates in a chain, the leaf included; sigstore's bound is of the same size. */
const maxLength = 11;
/** The most signatures to check, as in Go: many certificates with one name would make the search endless. */
const maxChecks = 100;

/** Separates roots from the other certificates of authorities: a root names itself as its issuer. */
export function sortAuthorities(
  authorities: readonly Certificate[],
): Pick<ChainOptions, "roots" | "intermediates"> {
  const isRoot = ({ subject, issuer }: Certificate): boolean => sameBytes(subject, issuer);
  return { roots: authorities.filter(isRoot), intermediates: authorities.filter((each) => !isRoot(each)) };
}

/** A chain from the leaf to a root, or why there is none, in the words of Go's `crypto/x509`. */
export type Chain =
  | { readonly ok: true; readonly chain: readonly Certificate[] }
  | { readonly ok: false; readonly why: string };

/**
 * Builds a chain from a certificate up to one of the roots, and checks it by RFC 5280, section 6, without revocation.
 */
export async function buildChain(leaf: Certificate, options: ChainOptions): Promise<Chain> {
  const problem = problemOf(leaf, options);
  if (problem !== undefined) return { ok: false, why: problem };
  if (options.roots.some((root) => sameBytes(root.der, leaf.der))) return { ok: true, chain: [leaf] };
  const search = { checks: 0, options };
  const chain = await extend([leaf], search);
  return chain === undefined
    ? { ok: false, why: "x509: certificate signed by unknown authority" }
    : { ok: true, chain };
}

interface Search {
  checks: number;
  readonly options: ChainOptions;
}

/** Extends a chain up to a root. It searches depth first, and roots before intermediates. */
async function extend(
  chain: readonly Certificate[],
  search: Search,
): Promise<readonly Certificate[] | undefined> {
  if (chain.length >= maxLength) return undefined;
  const { roots, intermediates } = search.options;
  for (const [candidates, isRoot] of [[roots, true], [intermediates, false]] as const) {
    for (const issuer of candidates) {
      if (!await mayIssue(issuer, chain, search)) continue;
      const longer = [...chain, issuer];
      const found = isRoot ? longer : await extend(longer, search);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

async function mayIssue(
  issuer: Certificate,
  chain: readonly Certificate[],
  search: Search,
): Promise<boolean> {
  const child = chain.at(-1)!;
  if (!sameBytes(issuer.subject, child.issuer)) return false;
  if (chain.some(({ der }) => sameBytes(der, issuer.der))) return false;
  // The leaf does not count for the length of the path (RFC 5280 §4.2.1.9).
  if (!issuer.isCA || (issuer.pathLength !== undefined && issuer.pathLength < chain.length - 1)) return false;
  if (problemOf(issuer, search.options) !== undefined) return false;
  if (++search.checks > maxChecks) return false;
  return await search.options.authorities.isSignedBy(child, issuer);
}

function problemOf(certificate: Certificate, { at, usage }: ChainOptions): string | undefined {
  if (certificate.unknownCritical.length > 0) return "x509: unhandled critical extension";
  if (at < certificate.notBefore || at > certificate.notAfter) {
    return "x509: certificate has expired or is not yet valid";
  }
  const { usages: allowed } = certificate;
  return allowed.length === 0 || allowed.includes(usage) || allowed.includes(anyUsageOid)
    ? undefined
    : "x509: certificate specifies an incompatible key usage";
}
