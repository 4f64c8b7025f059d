import type { ServingCertificate } from "./serving_certificate.ts";

/** The current serving certificate, and why a newer one could not replace it. */
export type CertificateReading =
  | { readonly certificate: ServingCertificate; readonly problem?: string }
  | { readonly certificate: undefined; readonly problem: string };

/** The source of serving certificates. Call it regularly: it renews certificates when they are due. */
export interface Certificates {
  /** It never throws. A certificate that cannot be used leaves the former one in its place. */
  current(): Promise<CertificateReading>;
}
