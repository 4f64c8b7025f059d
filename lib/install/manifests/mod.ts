/**
 * Manifests: the Kubernetes objects that run Postern with given policies, worked out from what the policies match and
 * look up. Not worked out: rights that only a request determines, where custom kinds are in the API when their plural
 * is unusual, and priority classes, network policies and autoscaling, which differ from cluster to cluster.
 *
 * @module
 */
export { makeManifests, type Manifests } from "./manifests.ts";
export type { PolicyFile } from "./policy_maps.ts";
export { type CertificateSource, type ManifestOptions, serviceNames } from "./manifest_options.ts";
