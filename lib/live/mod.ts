/**
 * Policies as objects of a running cluster: watches them, compiles them, puts them in force, and writes their webhook
 * configurations, statuses, reports and events. `lib/background` carries out effects on other objects.
 *
 * @module
 */
export type { PolicyEvent } from "./events/event.ts";
export { type Accounts, type Installation } from "./installation.ts";
export { LivePolicies, type LivePoliciesOptions } from "./live_policies.ts";
export { type DynamicConfiguration } from "./configuration.ts";
export { type Target, type WebhookRule, webhookRules } from "./webhooks/target.ts";
export {
  apiServerUser,
  notAboutKinds,
  notByGroups,
  notByUsers,
  onlyConverted,
  unseenKinds,
} from "./webhooks/unseen_requests.ts";
export {
  isShadowed,
  joinedCoverage,
  type ServedVersions,
  versionCoverages,
} from "./webhooks/version_coverage.ts";
export { areTogetherUsable, areUsable } from "./webhooks/match_conditions.ts";
export { constraintsOf } from "./webhooks/webhook_group.ts";
export { type DiscoveredKind, type TargetResource, targetResources } from "./webhooks/served_kinds.ts";
export {
  type ConfigurationKind,
  configurationKinds,
  configurationPaths,
  webhookTimeout,
} from "./webhooks/configuration_kinds.ts";
export { inNamespacesOf } from "./webhooks/configurations.ts";
export { WebhookRoutes } from "./webhooks/routes.ts";
export { ObjectReviews, type ObjectReviewsOptions } from "./admission/object_reviews.ts";
export { openReports, policyReports, type ReportKind } from "./reports/report_kind.ts";
export { ReportStore } from "./reports/report_store.ts";
export { Scanner } from "./reports/scanner.ts";
export { scanDecision, scannedPolicies } from "./reports/scan_decision.ts";
export { isLasting, isReportedPolicy, unscannedResults } from "./reports/lasting_rows.ts";
export { AdmissionReports } from "./reports/admission_reports.ts";
export { effectRows } from "./reports/effect_rows.ts";
export { type EffectContext, effectEvents } from "./events/background_events.ts";
export { decisionEvents } from "./events/admission_events.ts";
export { type LiveSetting } from "./live_setting.ts";
export { EventWriter } from "./events/event_writer.ts";
export { rowsOf } from "./reports/rows.ts";
export { UpdateRequests } from "./update_requests/update_requests.ts";
export { updateRequest, wantedEffects } from "./update_requests/update_request.ts";
export { emptyWebhookConfigurations } from "./empty_configurations.ts";
export { type NeededRights, neededRights, type RoleRule } from "./needed_rights.ts";
export { type Access, accessOf } from "./path_access.ts";
export { entryStatus } from "./entry_status.ts";
export { Cleaner, type CleanerOptions } from "./cleanup/cleaner.ts";
export { Expirer, type ExpirerOptions } from "./cleanup/expirer.ts";
export { Uninstallation } from "./uninstallation.ts";
