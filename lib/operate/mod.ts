/**
 * The parts that write: the certificates to serve with, made or given, kept in a folder or in memory; what rules do to
 * other objects, carried out after the answer; and the manifests that install Postern, with webhooks for its policies.
 * Changes are followed as far as requests tell of them: nothing here watches.
 *
 * @module
 */
export { type BackgroundOptions, BackgroundWorker } from "./background_worker.ts";
export { type Carried, carryOut } from "./carry_out.ts";
export { followPolicyChange, type PolicyChangeOptions } from "./policy_change.ts";
export { ownUsername } from "./own_username.ts";
export { type DownstreamState, reconcile, type Reconciliation } from "./reconcile.ts";
export { type Change, followChange, type SynchronizeOptions } from "./synchronize.ts";
export type { OnlyRule } from "./request_try.ts";
export {
  type CertificateReading,
  type Certificates,
  givenCertificates,
  type GivenCertificatesOptions,
  madeCertificates,
  type MadeCertificatesOptions,
} from "./certificates.ts";
export { clusterCertificates, type ClusterCertificatesOptions } from "./cluster_certificates.ts";
export { exportAdmissionPolicies, type Exported, type LeftRule } from "./export/admission_policies.ts";
export {
  type CertificateSource,
  makeManifests,
  type Manifests,
  type ManifestSetting,
  type PolicyFile,
  serviceNames,
} from "./manifests/mod.ts";
export { readServingCertificate, type ServingCertificate } from "./serving_certificate.ts";
