import { sameBytes } from "../../bytes/mod.ts";
import { Fault, type Json } from "../../json/mod.ts";
import { encodeBase64 } from "../go_base64.ts";
import { orNull, readName } from "./name.ts";
import { context, Der, tags } from "./der.ts";
import { extensionJson, type Fields, processExtensions, readExtensions } from "./extensions.ts";
import { rsaKey, signatureAlgorithm } from "./key.ts";
import { readTime } from "./der_time.ts";

/** The values of the extension fields for a certificate without extensions. */
const withoutExtensions: Fields = {
  AuthorityKeyId: null,
  BasicConstraintsValid: false,
  CRLDistributionPoints: null,
  DNSNames: null,
  EmailAddresses: null,
  ExcludedDNSDomains: null,
  ExcludedEmailAddresses: null,
  ExcludedIPRanges: null,
  ExcludedURIDomains: null,
  ExtKeyUsage: null,
  Extensions: null,
  ExtraExtensions: null,
  IPAddresses: null,
  InhibitAnyPolicy: 0,
  InhibitAnyPolicyZero: false,
  InhibitPolicyMapping: 0,
  InhibitPolicyMappingZero: false,
  IsCA: false,
  IssuingCertificateURL: null,
  KeyUsage: 0,
  MaxPathLen: 0,
  MaxPathLenZero: false,
  OCSPServer: null,
  PermittedDNSDomains: null,
  PermittedDNSDomainsCritical: false,
  PermittedEmailAddresses: null,
  PermittedIPRanges: null,
  PermittedURIDomains: null,
  Policies: null,
  PolicyIdentifiers: null,
  PolicyMappings: null,
  RequireExplicitPolicy: 0,
  RequireExplicitPolicyZero: false,
  SubjectKeyId: null,
  URIs: null,
  UnhandledCriticalExtensions: null,
  UnknownExtKeyUsage: null,
};

/** The error of a structure after the reader has read it; `undefined` when there is none. */
export function problemOf(der: Der, what: string): Fault | undefined {
  const { problem } = der;
  if (problem === undefined) return undefined;
  return new Fault(
    problem.startsWith("x509:") || problem.startsWith("failed") ? problem : `x509: malformed ${what}`,
  );
}

/** A certificate with an RSA key in the JSON form of Go's `x509.Certificate`, with the key in Kyverno's form. */
export function certificateJson(bytes: Uint8Array): Json | Fault {
  const outer = new Der(bytes);
  const raw = outer.whole(tags.sequence);
  if (raw.length < bytes.length) outer.fail("x509: trailing data");
  const certificate = new Der(raw).read(tags.sequence);
  const rawBody = certificate.whole(tags.sequence);
  const body = new Der(rawBody).read(tags.sequence);
  const version = Number(body.readIf(context(0, "constructed"))?.integer() ?? 0n) + 1;
  const serial = body.integer();
  const inner = body.read(tags.sequence);
  const algorithm = signatureAlgorithm(inner);
  const rawIssuer = body.whole(tags.sequence);
  const validity = body.read(tags.sequence);
  const notBefore = readTime(validity), notAfter = readTime(validity);
  const rawSubject = body.whole(tags.sequence);
  const rawKey = body.whole(tags.sequence);
  const info = new Der(rawKey).read(tags.sequence);
  const key = rsaKey(info);
  body.readIf(context(1));
  body.readIf(context(2));
  const fields: Fields = { ...withoutExtensions };
  const list = version === 3 ? body.readIf(context(3, "constructed"))?.read(tags.sequence) : undefined;
  if (list !== undefined) {
    const extensions = readExtensions(list);
    fields.Extensions = orNull(extensions.map(extensionJson));
    processExtensions(list, extensions, fields);
  }
  if (!sameBytes(certificate.read(tags.sequence).bytes, inner.bytes)) {
    certificate.fail("x509: inner and outer signature algorithm identifiers don't match");
  }
  const signature = certificate.bitString().bytes;
  const problem = problemOf(outer, "certificate") ?? problemOf(certificate, "certificate") ??
    problemOf(body, "tbs certificate");
  if (problem !== undefined) return problem;
  if (key === undefined) return new Fault("certificate should use rsa algorithm");
  const issuer = new Der(rawIssuer).read(tags.sequence), subject = new Der(rawSubject).read(tags.sequence);
  const names = { Issuer: readName(issuer), Subject: readName(subject) };
  return problemOf(info, "subject public key info") ?? problemOf(issuer, "issuer") ??
    problemOf(subject, "subject") ?? {
    ...fields,
    ...names,
    Raw: encodeBase64(raw),
    RawTBSCertificate: encodeBase64(rawBody),
    RawSubjectPublicKeyInfo: encodeBase64(rawKey),
    RawSubject: encodeBase64(rawSubject),
    RawIssuer: encodeBase64(rawIssuer),
    Signature: encodeBase64(signature),
    SignatureAlgorithm: algorithm,
    PublicKeyAlgorithm: 1,
    PublicKey: key,
    Version: version,
    SerialNumber: Number(serial),
    NotBefore: notBefore,
    NotAfter: notAfter,
  };
}
