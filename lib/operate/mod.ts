/**
 * The parts that write: for now the certificates to serve with, made or given, kept in a folder or in memory. It does
 * not register webhooks.
 *
 * @module
 */
export {
  type CertificateReading,
  type Certificates,
  givenCertificates,
  type GivenCertificatesOptions,
  madeCertificates,
  type MadeCertificatesOptions,
} from "./certificates.ts";
export { type CertificateAge, certificateAge, type ServingCertificate } from "./serving_certificate.ts";
