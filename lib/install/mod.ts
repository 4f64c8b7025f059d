/**
 * The parts of an installation in a cluster: the manifests; the webhooks of the policies, registered once a replica
 * can answer; and rules written as admission policies of the API server.
 *
 * @module
 */
export { definitions } from "./definitions/definitions.ts";
export { exportAdmissionPolicies } from "./export/admission_policies.ts";
export { type WebhookOptions, webhooksOf } from "./manifests/webhooks.ts";
export { makeManifests } from "./manifests/manifests.ts";
export { WebhookRegistration, type WebhookRegistrationOptions } from "./registration/webhook_registration.ts";
export { packageFormats } from "./packages/formats.ts";
export type { PackageFile, PackageFormat } from "./packages/package.ts";
export { installedWebhooks, removeInstalledWebhooks } from "./registration/installed_webhooks.ts";
export { type ReachableOptions, untilReachable } from "./registration/reachable.ts";
export type { ServiceReference } from "./registration/ready_endpoints.ts";
export { type CertificateSource, type ManifestOptions, serviceNames } from "./manifests/manifest_options.ts";
