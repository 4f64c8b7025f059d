/** Certificates for tests. */
import "reflect-metadata";
import * as x509 from "@peculiar/x509";

/** PEM of a certificate and its key. */
export interface TestKeyPair {
  readonly cert: string;
  readonly key: string;
}

/** The fields of a test certificate. */
export interface KeyPairOptions {
  readonly name?: string;
  /** Signs it; itself when absent. */
  readonly issuer?: TestKeyPair;
  readonly usage?: "server" | "client" | "authority";
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

/** Makes a certificate of a P-256 key, for `localhost` and 127.0.0.1. */
export async function makeKeyPair(options: KeyPairOptions = {}): Promise<TestKeyPair> {
  const { name = "localhost", issuer, usage = "server" } = options;
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const hour = 3_600_000;
  const common = {
    notBefore: options.notBefore ?? new Date(Date.now() - hour),
    notAfter: options.notAfter ?? new Date(Date.now() + 24 * hour),
    signingAlgorithm: algorithm,
    extensions: [
      new x509.BasicConstraintsExtension(usage === "authority", undefined, true),
      new x509.SubjectAlternativeNameExtension([{ type: "dns", value: "localhost" }, {
        type: "ip",
        value: "127.0.0.1",
      }]),
      ...(usage === "authority" ? [] : [
        new x509.ExtendedKeyUsageExtension([
          usage === "client" ? x509.ExtendedKeyUsage.clientAuth : x509.ExtendedKeyUsage.serverAuth,
        ]),
      ]),
    ],
  };
  const certificate = issuer === undefined
    ? await x509.X509CertificateGenerator.createSelfSigned({ ...common, name: `CN=${name}`, keys })
    : await x509.X509CertificateGenerator.create({
      ...common,
      subject: `CN=${name}`,
      issuer: new x509.X509Certificate(issuer.cert).subject,
      publicKey: keys.publicKey,
      signingKey: await crypto.subtle.importKey(
        "pkcs8",
        x509.PemConverter.decodeFirst(issuer.key),
        algorithm,
        true,
        ["sign"],
      ),
    });
  const key = x509.PemConverter.encode(
    await crypto.subtle.exportKey("pkcs8", keys.privateKey),
    "PRIVATE KEY",
  );
  return { cert: certificate.toString("pem"), key };
}
