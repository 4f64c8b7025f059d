import type { JsonObject } from "../../json/mod.ts";
import {
  appName,
  certificateSecret,
  type ManifestOptions,
  metadata,
  serviceNames,
} from "./manifest_options.ts";

/**
 * The objects of the serving certificate: an empty Secret that Postern fills, a given Secret, or the objects from
 * which cert-manager makes one.
 */
export function certificateObjects({ namespace, certificate }: ManifestOptions): JsonObject[] {
  const secret = { apiVersion: "v1", kind: "Secret", metadata: metadata(certificateSecret, namespace) };
  switch (certificate.from) {
    case "postern":
      // It has no data, so that applying it again keeps the data that Postern wrote.
      return [{ ...secret, type: "Opaque" }];
    case "texts": {
      const { cert, key, ca } = certificate;
      const data = { "tls.crt": btoa(cert), "tls.key": btoa(key), "ca.crt": btoa(ca) };
      return [{ ...secret, type: "kubernetes.io/tls", data }];
    }
    case "cert-manager": {
      const apiVersion = "cert-manager.io/v1";
      return [
        { apiVersion, kind: "Issuer", metadata: metadata(appName, namespace), spec: { selfSigned: {} } },
        {
          apiVersion,
          kind: "Certificate",
          metadata: metadata(certificateSecret, namespace),
          spec: {
            secretName: certificateSecret,
            dnsNames: serviceNames(namespace),
            issuerRef: { name: appName },
            privateKey: { algorithm: "ECDSA", size: 256, rotationPolicy: "Always" },
          },
        },
      ];
    }
  }
}
