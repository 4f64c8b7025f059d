import { isIP } from "node:net";

/** A certificate authority that signs serving certificates, as PEM texts. */
export interface Authority {
  readonly cert: string;
  readonly key: string;
}

/** A serving certificate and its key as PEM texts. */
export interface IssuedCertificate {
  readonly cert: string;
  readonly key: string;
}

const dayMs = 86_400_000;
/** Milliseconds by which certificates begin earlier, because the clocks of clusters differ. */
const skewMs = 5 * 60_000;
const authorityDays = 3650;
const servingDays = 365;

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** Loads the library that writes certificates. Most starts make none, so it is loaded on demand. */
async function x509Library() {
  await import("reflect-metadata");
  return await import("@peculiar/x509");
}

/** Makes a certificate authority (ECDSA P-256, ten years) that may only sign serving certificates. */
export async function makeAuthority(now: number): Promise<Authority> {
  const x509 = await x509Library();
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const serial = randomSerial();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    // Each authority has another name, so that two can be in one bundle.
    name: `CN=Postern CA ${serial.slice(0, 8)}`,
    serialNumber: serial,
    ...validity(now, authorityDays),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: pemLines(certificate.toString("pem")), key: await privatePem(keys.privateKey) };
}

/** Makes a serving certificate (ECDSA P-256, one year) for DNS names and IP addresses, signed by the authority. */
export async function issueCertificate(
  authority: Authority,
  names: readonly string[],
  now: number,
): Promise<IssuedCertificate> {
  const x509 = await x509Library();
  const issuer = new x509.X509Certificate(authority.cert);
  const signingKey = await crypto.subtle.importKey("pkcs8", derOf(authority.key), algorithm, false, ["sign"]);
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const alternatives = names.map((value) =>
    isIP(value) === 0 ? { type: "dns" as const, value } : { type: "ip" as const, value }
  );
  const certificate = await x509.X509CertificateGenerator.create({
    // A common name has at most 64 characters; verifiers read the alternative names only.
    subject: `CN=${(names[0] ?? "postern").slice(0, 64)}`,
    issuer: issuer.subject,
    serialNumber: randomSerial(),
    ...validity(now, servingDays),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(alternatives),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return { cert: pemLines(certificate.toString("pem")), key: await privatePem(keys.privateKey) };
}

function validity(now: number, days: number): { readonly notBefore: Date; readonly notAfter: Date } {
  const second = Math.floor(now / 1000) * 1000;
  return { notBefore: new Date(second - skewMs), notAfter: new Date(second + days * dayMs) };
}

/** A positive serial number of 16 bytes, in hexadecimal digits. */
function randomSerial(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[0] = bytes[0]! & 0x7f | 0x40;
  return bytes.toHex();
}

async function privatePem(key: CryptoKey): Promise<string> {
  const der = new Uint8Array(await crypto.subtle.exportKey("pkcs8", key));
  const lines = der.toBase64().match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join("\n")}\n-----END PRIVATE KEY-----\n`;
}

function derOf(pem: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.fromBase64(pem.replace(/-----[^-]+-----/g, "").replace(/\s/g, ""));
}

function pemLines(pem: string): string {
  return pem.endsWith("\n") ? pem : `${pem}\n`;
}
