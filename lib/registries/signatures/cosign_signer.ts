import { Fault, isFault } from "../../json/mod.ts";
import type { Signer } from "../../ports.ts";
import type { AuthorityCertificates } from "./authority_certificates.ts";
import type { Certificate } from "./certificate.ts";
import { refusesCertificateTimestamp } from "./certificate_timestamp.ts";
import { buildChain, sortAuthorities, usages } from "./chain.ts";
import { type Hash, PublicKey } from "./public_key.ts";
import type { LogKey, TrustedRoot } from "./trust.ts";

/** The roots at which certificate chains must end, and intermediate certificates for building the chains. */
export interface Anchors {
  readonly roots: readonly Certificate[];
  readonly intermediates: readonly Certificate[];
}

/** The key or the roots that a signer stands for. */
export interface SignerTrust {
  /** The key that must have signed; absent when the signature's certificate must lead to a root. */
  readonly key: PublicKey | undefined;
  readonly hash: Hash;
  /** Returns the roots that were trusted at a time, and intermediate certificates. */
  readonly anchorsAt: (at: Date) => Anchors;
}

/** Certificates in one chain; sigstore's bound. */
const maxChain = 11;

/** Kyverno's message for a certificate that leads to no root. */
export const noChain =
  "Check your TUF root (see cosign initialize) or set a custom root with env var SIGSTORE_ROOT_FILE";

/** Reads the trusted root; the fault says why there is none. */
export type RootSource = () => Promise<TrustedRoot | Fault>;

const nobody: SignerTrust = {
  key: undefined,
  hash: "sha256",
  anchorsAt: () => ({ roots: [], intermediates: [] }),
};

/** Roots that a policy names are trusted at any time. */
function anchoredTo(roots: readonly Certificate[]): SignerTrust {
  return { ...nobody, anchorsAt: () => ({ roots, intermediates: [] }) };
}

/** The logs that verify certificate timestamps, and what was read before. */
interface CertificateSources {
  readonly certificateLogs: ReadonlyMap<string, LogKey> | undefined;
  readonly authorities: AuthorityCertificates;
}

/** Reads the signer of a policy's entry; the fault has Kyverno's message. */
export async function readSigner(
  by: Signer,
  { root, ...sources }: CertificateSources & { readonly root: RootSource },
): Promise<SignerTrust | Fault> {
  switch (by.kind) {
    case "key": {
      const key = readKey(by.key);
      return isFault(key) ? key : { ...nobody, key, hash: by.hash };
    }
    case "certificates":
      return by.certificate === ""
        ? await readChainRoots(by.chain, sources)
        : await readCertificateSigner(by, sources);
    case "keyless":
      return by.roots === "" ? await trustedRoots(root) : await readKeylessRoots(by.roots, sources);
  }
}

const secretRemedy = "write the key itself, or k8s://NAMESPACE/NAME for a Secret";

/**
 * Kyverno parity: a text that does not begin as a public key in PEM is read as the name of a file, an address or a
 * key management service, none of which Postern reads. Pinned by "keys that cannot be read: no PEM".
 */
function readKey(text: string): PublicKey | Fault {
  const name = text.trim();
  const unread = (why: string) => new Fault(`failed to load public key from ${name}: ${why}`);
  if (/^(?:awskms|gcpkms|azurekms|hashivault):\/\//.test(name)) {
    return unread(`key management services are not supported: ${secretRemedy}`);
  }
  if (/^[a-z][a-z0-9+.-]*:/.test(name)) return unread(`keys are not read from addresses: ${secretRemedy}`);
  if (!name.startsWith("-----BEGIN PUBLIC KEY-----")) {
    return unread(`open ${name}: no such file or directory`);
  }
  const key = PublicKey.fromPem(name);
  return isFault(key)
    ? new Fault(`failed to load public key from PEM: pem to public key: ${key.message}`)
    : key;
}

async function readCertificateSigner(
  { certificate: text, chain }: Extract<Signer, { readonly kind: "certificates" }>,
  sources: CertificateSources,
): Promise<SignerTrust | Fault> {
  const read = await sources.authorities.read(text);
  if (isFault(read)) {
    const why = `failed to unmarshal certificate from PEM format: ${read.message}`;
    return new Fault(`failed to load certificate from ${text}: ${why}`);
  }
  const certificate = read[0]!;
  const signer = { ...nobody, key: certificate.key };
  if (chain === "") return signer;
  const roots = await readNamedChain(chain, sources);
  if (isFault(roots)) return roots;
  const problem = await refusesNamedChain(certificate, roots, sources);
  return problem === undefined ? signer : new Fault(`failed to load validate certificate chain: ${problem}`);
}

/**
 * The certificate must lead to the last certificate of its chain. Kyverno parity: `verifyImages` has no log to verify
 * an embedded certificate timestamp with, so every such certificate with a chain is refused. Pinned by row
 * "cert-with-chain-and-sct" of tests/conformance/sets/verify_images.ts.
 */
async function refusesNamedChain(
  certificate: Certificate,
  chain: readonly Certificate[],
  { certificateLogs, authorities }: CertificateSources,
): Promise<string | undefined> {
  const built = await buildChain(certificate, {
    roots: chain.slice(-1),
    intermediates: chain.slice(0, -1),
    at: certificate.notBefore,
    authorities,
    usage: usages.codeSigning,
  });
  if (!built.ok) return `cert verification failed: ${built.why}. ${noChain}`;
  if (certificateLogs === undefined) return undefined;
  const issuer = built.chain[1] ?? certificate;
  return await refusesCertificateTimestamp(certificate, issuer, certificateLogs);
}

/** Reads the chain of a policy that names no certificate: all certificates of the chain are roots. */
async function readChainRoots(
  chain: string,
  { authorities }: CertificateSources,
): Promise<SignerTrust | Fault> {
  const tooLong = refusesLength(chain, "certificate chain too long", maxChain);
  if (tooLong !== undefined) return tooLong;
  const roots = await authorities.read(chain);
  return isFault(roots)
    ? new Fault("failed to load certificates: error creating root cert pool")
    : anchoredTo(roots);
}

/** Reads the chain of a certificate that a policy names. */
async function readNamedChain(
  chain: string,
  { authorities }: CertificateSources,
): Promise<readonly Certificate[] | Fault> {
  const tooLong = refusesLength(chain, "certificate chain too long", maxChain);
  if (tooLong !== undefined) return tooLong;
  const read = await authorities.read(chain);
  return isFault(read) ? new Fault(`failed to load certificate chain: ${read.message}`) : read;
}

/** A fault when a text has too many certificates. It counts them before any is parsed. */
export function refusesLength(text: string, what: string, most: number): Fault | undefined {
  const count = text.split("-----BEGIN CERTIFICATE-----").length - 1;
  return count > most ? new Fault(`${what} (${count}), maximum allowed is ${most}`) : undefined;
}

async function readKeylessRoots(
  text: string,
  { authorities }: CertificateSources,
): Promise<SignerTrust | Fault> {
  const roots = await authorities.read(text);
  return isFault(roots)
    ? new Fault("failed to load Root certificates: error creating root cert pool")
    : anchoredTo(roots);
}

async function trustedRoots(root: RootSource): Promise<SignerTrust | Fault> {
  const trusted = await root();
  if (isFault(trusted)) return new Fault(`failed to get Fulcio roots: ${trusted.message}`);
  return { ...nobody, anchorsAt: (at) => anchorsIn(trusted, at) };
}

/** The certificates of the authorities that were trusted at a time. */
function anchorsIn({ authorities }: TrustedRoot, at: Date): Anchors {
  const valid = authorities.filter(({ from, until }) => from <= at && at <= until);
  return sortAuthorities(valid.flatMap(({ chain }) => chain));
}
