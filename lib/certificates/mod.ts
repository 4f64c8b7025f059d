/**
 * Serving certificates: given as files, or made by an authority of Postern and kept in a folder or in a Secret of the
 * cluster. They are apart from `lib/install`, so that a server that starts does not load the parts of an installation.
 *
 * @module
 */
export type { Certificates } from "./certificates.ts";
export { clusterCertificates } from "./cluster_certificates.ts";
export { givenCertificates } from "./given_certificates.ts";
export type { Authority } from "./issue_certificate.ts";
export { madeCertificates } from "./made_certificates.ts";
export { readPemFile } from "./pem_file.ts";
export { certificatesIn, readServingCertificate, type ServingCertificate } from "./serving_certificate.ts";
