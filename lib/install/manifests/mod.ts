/**
 * Manifests: the Kubernetes objects that run Postern with given policies, derived from the resources that the
 * policies match and read. Not derived: rights that only a request determines, custom kinds with an unusual plural,
 * and priority classes, network policies and autoscaling, which differ from cluster to cluster.
 *
 * @module
 */
export { makeManifests, type Manifests } from "./manifests.ts";
export type { PolicyFile } from "./policy_maps.ts";
export { type CertificateSource, type ManifestOptions, serviceNames } from "./manifest_options.ts";
