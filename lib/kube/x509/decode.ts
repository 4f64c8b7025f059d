import { Fault, type Json } from "../../json/mod.ts";
import { certificateJson } from "./certificate.ts";
import { decodePem } from "./pem.ts";
import { requestJson } from "./request.ts";

/** The most characters of a text to decode; no certificate is longer. */
const maxLength = 200_000;

/** Decodes a PEM certificate or certificate request with an RSA key into an object with the fields of Go's x509. */
export function decodeCertificate(pem: string): Json | Fault {
  const block = pem.length > maxLength ? undefined : decodePem(pem);
  switch (block?.type) {
    case undefined:
      return new Fault("failed to decode PEM block");
    case "CERTIFICATE":
      return certificateJson(block!.bytes);
    case "CERTIFICATE REQUEST":
      return requestJson(block!.bytes);
    default:
      return new Fault("PEM block neither contains a CERTIFICATE or CERTIFICATE REQUEST");
  }
}
