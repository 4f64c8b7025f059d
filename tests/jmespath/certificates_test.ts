/**
 * Certificates and requests as Go's x509 package shows them; they were made for this test and their keys thrown away.
 */
import assert from "node:assert/strict";
import { isObject, type Json } from "../../lib/json/mod.ts";
import { evaluate } from "./evaluate.ts";

const certificate = `-----BEGIN CERTIFICATE-----
MIIFRDCCBCygAwIBAgIUdytGtn32UVx+6Tq86vCrBJLbDxwwDQYJKoZIhvcNAQEL
BQAwezELMAkGA1UEBhMCREUxCjAIBgNVBAgMAUIxCzAJBgNVBAcMAsOWMRcwCQYD
VQQLDAJVMTAKBgNVBAoMA09yZzELMAkGA1UECwwCVTIxCzAJBgNVBAMMAmV4MQow
CAYDVQQFEwE3MRQwEgYJKoZIhvcNAQkBFgV4QHkuejAeFw0yNjExMjEwNTA3MDBa
Fw0zNjExMTgwNTA3MDBaMHsxCzAJBgNVBAYTAkRFMQowCAYDVQQIDAFCMQswCQYD
VQQHDALDljEXMAkGA1UECwwCVTEwCgYDVQQKDANPcmcxCzAJBgNVBAsMAlUyMQsw
CQYDVQQDDAJleDEKMAgGA1UEBRMBNzEUMBIGCSqGSIb3DQEJARYFeEB5LnowggEi
MA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQDxNGq6attGif971VtRcYGz6Cb3
sukF6TV3l2GvfSqQfhpV1bWQyryCHzeJOTZZa2O2CvXkQa09X6W8pqjO/+fNy9xa
NpJNHoNuvXEdmJHf62TsVyo5UPf1VGr6/3+hHZeSDa2pm4yFqNEO4ABKMSRdxyjl
goPFu434JHa9EaTKdSpojlXAeRmauRjUiJdl4g6mwjzFmxo6fbT13fLbyBn2/rm0
jcAjo5m3aSrs/jtQhbeb9yGLxJ9h5trxx26SqViXVFVzoabTbNnPhLIwiDOaUdaN
h9trQ2R8TANOWwxeFkBaVc3nw7xu8TJScSbMEDALUiu50FhWE8sANK7QvfFFAgMB
AAGjggG+MIIBujASBgNVHRMBAf8ECDAGAQH/AgEAMA4GA1UdDwEB/wQEAwIBhjAi
BgNVHSUEGzAZBggrBgEFBQcDAQYIKwYBBQUHAwIGAyoDBDBnBgNVHREEYDBeggtl
eGFtcGxlLmNvbYINKi5leGFtcGxlLm9yZ4cECgECA4cQ/oAAAAAAAAAAAAAAAAAA
AYEGYUBiLmNvhiBodHRwczovL3U6cEBleC5jb206OC9wYSUyMHRoP3E9MTAdBgNV
HQ4EFgQUvfAW3LE/HOnN5EcyvPXMwMyPDeswLQYDVR0fBCYwJDAioCCgHoYcaHR0
cDovL2NybC5leGFtcGxlLmNvbS9hLmNybDBdBggrBgEFBQcBAQRRME8wIwYIKwYB
BQUHMAGGF2h0dHA6Ly9vY3NwLmV4YW1wbGUuY29tMCgGCCsGAQUFBzAChhxodHRw
Oi8vY2EuZXhhbXBsZS5jb20vY2EuY3J0MBgGA1UdIAQRMA8wBQYDKgMEMAYGBFUd
IAAwQAYDVR0eBDkwN6AnMA6CDC5leGFtcGxlLmNvbTAJgQdmb28uY29tMAqGCC5i
YXIuY29toQwwCocIwKgAAP//AAAwDQYJKoZIhvcNAQELBQADggEBAFB4KOwHV/uW
JLuSxrQdIq3aiiOzo4KfUBjQKQvaB58SfIWcQGvcq4OuI7fpDl/A2/OQLW959uxI
Z66dJqSw5242oYPqyoQUVNA5zgzQNQKot2fYikkE+mVMPX4ZLGDQHo1E0KKFkTyZ
IBYCDbTUZXikQEgg6f70eTCH26RD4wql/WcEC/fSnPNQcg+hoV1E2OVAuBDA82Bx
yk5Bw/O5dAfmIiLxz46djhTX5igGrWCpZc+0jEP8CGa9L1KnbSWDELJGMO6AdKDv
KosVupWp0ktPR1e5KOqifkEXLa1l+k6IWMBFgoAtmKBOfIIIiTmUbvwI/d1IvbZ9
Ty06Q2uozH0=
-----END CERTIFICATE-----`;

const request = `-----BEGIN CERTIFICATE REQUEST-----
MIIEPTCCAyUCAQAwJTEMMAoGA1UEAwwDY3NyMRUwEwYDVQQKDAxzeXN0ZW06bm9k
ZXMwggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAwggEKAoIBAQDxNGq6attGif971VtR
cYGz6Cb3sukF6TV3l2GvfSqQfhpV1bWQyryCHzeJOTZZa2O2CvXkQa09X6W8pqjO
/+fNy9xaNpJNHoNuvXEdmJHf62TsVyo5UPf1VGr6/3+hHZeSDa2pm4yFqNEO4ABK
MSRdxyjlgoPFu434JHa9EaTKdSpojlXAeRmauRjUiJdl4g6mwjzFmxo6fbT13fLb
yBn2/rm0jcAjo5m3aSrs/jtQhbeb9yGLxJ9h5trxx26SqViXVFVzoabTbNnPhLIw
iDOaUdaNh9trQ2R8TANOWwxeFkBaVc3nw7xu8TJScSbMEDALUiu50FhWE8sANK7Q
vfFFAgMBAAGgggHRMIIBzQYJKoZIhvcNAQkOMYIBvjCCAbowEgYDVR0TAQH/BAgw
BgEB/wIBADAOBgNVHQ8BAf8EBAMCAYYwIgYDVR0lBBswGQYIKwYBBQUHAwEGCCsG
AQUFBwMCBgMqAwQwZwYDVR0RBGAwXoILZXhhbXBsZS5jb22CDSouZXhhbXBsZS5v
cmeHBAoBAgOHEP6AAAAAAAAAAAAAAAAAAAGBBmFAYi5jb4YgaHR0cHM6Ly91OnBA
ZXguY29tOjgvcGElMjB0aD9xPTEwHQYDVR0OBBYEFL3wFtyxPxzpzeRHMrz1zMDM
jw3rMC0GA1UdHwQmMCQwIqAgoB6GHGh0dHA6Ly9jcmwuZXhhbXBsZS5jb20vYS5j
cmwwXQYIKwYBBQUHAQEEUTBPMCMGCCsGAQUFBzABhhdodHRwOi8vb2NzcC5leGFt
cGxlLmNvbTAoBggrBgEFBQcwAoYcaHR0cDovL2NhLmV4YW1wbGUuY29tL2NhLmNy
dDAYBgNVHSAEETAPMAUGAyoDBDAGBgRVHSAAMEAGA1UdHgQ5MDegJzAOggwuZXhh
bXBsZS5jb20wCYEHZm9vLmNvbTAKhgguYmFyLmNvbaEMMAqHCMCoAAD//wAAMA0G
CSqGSIb3DQEBCwUAA4IBAQBf7fFhu8Yamb7YzUpObI69E+DIl63TrAg9i4m3HySA
5OVpfZ4G0zJbfz7q4b5/kFRQCRH0PkberUJWy5XmjvsCogsYf1S1q/+lAzty/NBT
EOJ7dsqgC8fXb/LK2hOs/lbV75F+HdMMEy06jrtUZC/XoHdWf/oKIYwms9LtRS28
Tbd+tuLuC+wnL/Ou7BPmbye8sfQQH94qxpvBfL6gwaPyvvrUWSL70X7zRGKLVSp8
B8ho+8F1Z9x6tU4AbKkcecCv+JyYarA+cv+UIEscrOUFVxGSAwkElqvjkxQGiCg4
W2XWDBlzDRe1a8I2XzmE+bLRQP7wBd7GGY2eMQ7SfDkJ
-----END CERTIFICATE REQUEST-----`;

const elliptic = `-----BEGIN CERTIFICATE-----
MIIBbzCCARWgAwIBAgIUNbInfbNds4oLCEcXytf1J1Y4DNowCgYIKoZIzj0EAwIw
DTELMAkGA1UEAwwCZWMwHhcNMjYxMTIxMDUwNzAxWhcNMjYxMTIyMDUwNzAxWjAN
MQswCQYDVQQDDAJlYzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABCNPTNpahb/W
2C30+fr2cyFJPX3vHHR8g7rZkEoTA6HTnlgqQtBP1MEugpQl+aGx09H56wUK4QkO
tvh7Ei4TCCCjUzBRMB0GA1UdDgQWBBQypkH8JOh89+zxxVcfw95luW6iejAfBgNV
HSMEGDAWgBQypkH8JOh89+zxxVcfw95luW6iejAPBgNVHRMBAf8EBTADAQH/MAoG
CCqGSM49BAMCA0gAMEUCIFJ2qz5DVlbrE/wr8BbvFPqW7x5BzsNO9j5Y4rRZFne4
AiEApJsCrZ+mHlj5N/6DIwCyvyvDVR5gGU4EUndY61YawCc=
-----END CERTIFICATE-----`;

const name = (fields: { [field: string]: Json }): Json => ({
  Country: null,
  Locality: null,
  Organization: null,
  OrganizationalUnit: null,
  PostalCode: null,
  Province: null,
  SerialNumber: "",
  StreetAddress: null,
  ExtraNames: null,
  ...fields,
});

Deno.test("x509_decode() of a certificate returns its extensions", () => {
  const decoded = evaluate("x509_decode(@)", certificate);
  assert.ok(isObject(decoded));
  const { Subject, SerialNumber, PublicKey, Extensions, Raw, Signature, ...rest } = decoded;
  for (const raw of ["RawIssuer", "RawSubject", "RawSubjectPublicKeyInfo", "RawTBSCertificate"]) {
    assert.match(String(rest[raw]), /^[A-Za-z0-9+/]+=*$/);
  }
  assert.deepEqual(Subject, decoded.Issuer);
  assert.deepEqual(
    Subject,
    name({
      CommonName: "ex",
      Country: ["DE"],
      Locality: ["Ö"],
      Organization: ["Org"],
      OrganizationalUnit: ["U1", "U2"],
      Province: ["B"],
      SerialNumber: "7",
      Names: [
        [[2, 5, 4, 6], "DE"],
        [[2, 5, 4, 8], "B"],
        [[2, 5, 4, 7], "Ö"],
        [[2, 5, 4, 11], "U1"],
        [[2, 5, 4, 10], "Org"],
        [[2, 5, 4, 11], "U2"],
        [[2, 5, 4, 3], "ex"],
        [[2, 5, 4, 5], "7"],
        [[1, 2, 840, 113549, 1, 9, 1], "x@y.z"],
      ].map(([Type, Value]) => ({ Type: Type!, Value: Value! })),
    }),
  );
  assert.equal(typeof SerialNumber, "number");
  assert.ok(isObject(PublicKey ?? null) && /^[0-9]{617}$/.test(String(evaluate("N", PublicKey!))));
  assert.equal(evaluate("E", PublicKey!), 65537);
  assert.equal((Extensions as readonly Json[]).length, 9);
  assert.match(String(Raw), /^MII/);
  assert.equal(String(Signature).length, 344);
  const expected: { [field: string]: Json } = {
    AuthorityKeyId: null,
    BasicConstraintsValid: true,
    CRLDistributionPoints: ["http://crl.example.com/a.crl"],
    DNSNames: ["example.com", "*.example.org"],
    EmailAddresses: ["a@b.co"],
    ExcludedIPRanges: [{ IP: "192.168.0.0", Mask: "//8AAA==" }],
    ExtKeyUsage: [1, 2],
    IPAddresses: ["10.1.2.3", "fe80::1"],
    IsCA: true,
    IssuingCertificateURL: ["http://ca.example.com/ca.crt"],
    KeyUsage: 97,
    MaxPathLen: 0,
    MaxPathLenZero: true,
    NotAfter: "2036-11-18T05:07:00Z",
    NotBefore: "2026-11-21T05:07:00Z",
    OCSPServer: ["http://ocsp.example.com"],
    PermittedDNSDomains: [".example.com"],
    PermittedEmailAddresses: ["foo.com"],
    PermittedURIDomains: [".bar.com"],
    Policies: ["1.2.3.4", "2.5.29.32.0"],
    PolicyIdentifiers: [[1, 2, 3, 4], [2, 5, 29, 32, 0]],
    PublicKeyAlgorithm: 1,
    SignatureAlgorithm: 4,
    SubjectKeyId: "vfAW3LE/HOnN5EcyvPXMwMyPDes=",
    UnhandledCriticalExtensions: null,
    UnknownExtKeyUsage: [[1, 2, 3, 4]],
    Version: 3,
  };
  for (const [field, value] of Object.entries(expected)) assert.deepEqual(rest[field], value, field);
  assert.deepEqual(rest.URIs, [{
    ForceQuery: false,
    Fragment: "",
    Host: "ex.com:8",
    OmitHost: false,
    Opaque: "",
    Path: "/pa th",
    RawFragment: "",
    RawPath: "",
    RawQuery: "q=1",
    Scheme: "https",
    User: {},
  }]);
});

Deno.test("x509_decode() of a certificate request returns its subject, names and attributes", () => {
  assert.deepEqual(
    evaluate("x509_decode(@).[Subject.Organization, DNSNames, SignatureAlgorithm, Version]", request),
    [["system:nodes"], ["example.com", "*.example.org"], 4, 0],
  );
  assert.deepEqual(evaluate("x509_decode(@).Attributes[0].Value[0][0]", request), {
    Type: [2, 5, 29, 19],
    Value: true,
  });
});

Deno.test("x509_decode() accepts only RSA keys, certificates and certificate requests", () => {
  assert.equal(evaluate("x509_decode(@)", elliptic), "error: certificate should use rsa algorithm");
  assert.equal(
    evaluate("x509_decode(@)", certificate.replaceAll("CERTIFICATE", "PUBLIC KEY")),
    "error: PEM block neither contains a CERTIFICATE or CERTIFICATE REQUEST",
  );
  assert.equal(evaluate("x509_decode(@)", "no PEM"), "error: failed to decode PEM block");
  assert.equal(
    evaluate("x509_decode(@)", certificate.replace("END CERT", "END")),
    "error: failed to decode PEM block",
  );
});

Deno.test("x509_decode() finds the first block after other text", () => {
  const text = `a comment\n-----BEGIN BROKEN-----\n!\n-----END BROKEN-----\n${request}\n${certificate}`;
  assert.equal(evaluate("x509_decode(@).Subject.CommonName", text), "csr");
});

Deno.test("x509_decode() of a shortened certificate is a fault at every length", () => {
  const lines = certificate.split("\n");
  for (let count = 1; count < lines.length - 2; count++) {
    const shortened = [lines[0], ...lines.slice(1, 1 + count), lines.at(-1)].join("\n");
    assert.match(String(evaluate("x509_decode(@)", shortened)), /^error: (x509|failed)/);
  }
});

/** A certificate with other bytes of its DER. */
function altered(pem: string, change: (bytes: Uint8Array) => void): string {
  const [head, ...rest] = pem.split("\n"), foot = rest.pop();
  const bytes = Uint8Array.fromBase64(rest.join(""));
  change(bytes);
  return [head, bytes.toBase64(), foot].join("\n");
}

/** Where a sequence of bytes begins for the n-th time. */
function find(bytes: Uint8Array, wanted: readonly number[], nth = 1): number {
  let left = nth;
  const at = bytes.findIndex((_, index) =>
    wanted.every((byte, offset) => bytes[index + offset] === byte) && --left === 0
  );
  assert.ok(at >= 0, "found");
  return at;
}

/** Replaces a text in the DER by one of the same length. */
function replace(bytes: Uint8Array, text: string, by: string): void {
  assert.equal(by.length, text.length);
  const encoder = new TextEncoder();
  bytes.set(encoder.encode(by), find(bytes, [...encoder.encode(text)]));
}

const alterations:
  readonly (readonly [title: string, change: (bytes: Uint8Array) => void, problem: string])[] = [
    [
      "whose two signature algorithms differ",
      // sha256WithRSAEncryption at the end becomes sha384WithRSAEncryption.
      (bytes) => bytes[find(bytes, [0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b], 2) + 5] = 0x0c,
      "x509: inner and outer signature algorithm identifiers don't match",
    ],
    [
      "with a critical extension that must not be",
      // The BOOLEAN true behind basicConstraints' identifier; the identifier becomes that of the subject's key.
      (bytes) => bytes[find(bytes, [0x55, 0x1d, 0x13, 0x01, 0x01, 0xff]) + 2] = 0x0e,
      "x509: subject key identifier incorrectly marked critical",
    ],
    [
      "with a URI that Go's url.Parse refuses",
      (bytes) => replace(bytes, "pa%20th", "pa%2gth"),
      'x509: cannot parse URI "https://u:p@ex.com:8/pa%2gth?q=1": ' +
      'parse "https://u:p@ex.com:8/pa%2gth?q=1": invalid URL escape "%2g"',
    ],
    [
      "with a URI whose host has an empty label",
      (bytes) => replace(bytes, "@ex.com:8", "@ex..om:8"),
      'x509: cannot parse URI "https://u:p@ex..om:8/pa%20th?q=1": invalid domain',
    ],
    [
      "with a constraint on addresses of another length",
      (bytes) => bytes[find(bytes, [0x87, 8, 192, 168]) + 1] = 6,
      "x509: IP constraint contained value of length 6",
    ],
    [
      "with a constraint whose network mask has a gap",
      (bytes) => bytes[find(bytes, [255, 255, 0, 0]) + 3] = 1,
      "x509: IP constraint contained invalid mask ffff0001",
    ],
  ];
for (const [title, change, problem] of alterations) {
  Deno.test(`x509_decode() refuses a certificate ${title}`, () => {
    assert.equal(evaluate("x509_decode(@)", altered(certificate, change)), `error: ${problem}`);
  });
}

Deno.test("x509_decode() shows a URI with a scheme, a path and no host as Go does", () => {
  const pem = altered(
    certificate,
    (bytes) => replace(bytes, "https://u:p@ex.com:8/", "https:/su:p@ex.com:8/"),
  );
  assert.deepEqual(evaluate("x509_decode(@).URIs[0].[OmitHost, Host, User, Path]", pem), [
    true,
    "",
    null,
    "/su:p@ex.com:8/pa th",
  ]);
});
