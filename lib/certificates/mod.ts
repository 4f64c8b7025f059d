/**
 * Serving certificates: given as files, or made by an authority of Postern and kept in a folder or in a Secret of the
 * cluster. Its door is its own, so that a server that starts does not load the parts of an installation.
 *
 * @module
 */
export { type Certificates, givenCertificates, madeCertificates } from "./certificates.ts";
export { clusterCertificates } from "./cluster_certificates.ts";
export type { Authority } from "./issue_certificate.ts";
export { readPemFile } from "./pem_file.ts";
export { certificatesIn, readServingCertificate, type ServingCertificate } from "./serving_certificate.ts";
