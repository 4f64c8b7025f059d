/**
 * Parsers of the text formats of Kubernetes and Kyverno, which return values and predicates: quantities, durations,
 * versions, wildcards, image references, label and field selectors, kinds, resource filters, service accounts, and the
 * AdmissionReview itself. Custom resources and the merge keys of lists are elsewhere.
 *
 * @module
 */
export { notServedMessage } from "./not_served.ts";
export { describeFailure, type FailedAnswer, failureOf, noAnswer, statusLine } from "./api_answer.ts";
export { parseApiPath, type ResourcePath, segmentsOf } from "./api_path.ts";
export type { Dialect } from "./dialect.ts";
export {
  addQuantities,
  compareQuantities,
  divideQuantities,
  formatQuantity,
  multiplyQuantities,
  parseQuantity,
  type Quantity,
  quantityKey,
  quantityOf,
  quantityProblem,
  quantitySign,
  subtractQuantities,
  wrongQuantityFormat,
} from "./quantity.ts";
export { quantityAsFloat, quantityAsInt64 } from "./quantity_int64.ts";
export {
  durationOfSeconds,
  durationProblem,
  durationSeconds,
  formatDuration,
  parseDuration,
} from "./duration.ts";
export { compareSemver, formatSemver, parseSemver, type Semver, zeroSemver } from "./semver.ts";
export { compileSemverRange, type SemverRange } from "./semver_range.ts";
export {
  type AnyWildcard,
  compileWildcard,
  compileWildcards,
  hasWildcard,
  matchWildcard,
  wildcardSteps,
} from "./wildcard.ts";
export { type Image, type ImageOptions, parseImage } from "./image.ts";
export { type ImageReference, parseImageReference } from "./image_reference.ts";
export {
  compileImageExtractors,
  containerLists,
  extractImages,
  extractImagesInStages,
  type ImageExtractorConfig,
  type ImageExtractors,
  imageSearchOrder,
} from "./images.ts";
export { podTemplatePaths } from "./pod_template_paths.ts";
export { labelKeyProblem, labelValueProblem } from "./label_syntax.ts";
export { type LabelTest, stepsOfPair } from "./label_requirement.ts";
export { compileLabelSelector } from "./label_selector.ts";
export { deleteOptions } from "./delete_options.ts";
export { formatMicroTimestamp, formatTimestamp } from "./timestamp.ts";
export {
  annotationsOf,
  createdAt,
  isBeingDeleted,
  labelsOf,
  nameOf,
  namespaceOf,
  objectText,
  uidOf,
} from "./metadata.ts";
export { fieldWrites, posternManager } from "./managed_fields.ts";
export { compileFieldSelectorText, compileLabelSelectorText } from "./selector_text.ts";
export { formatApiVersion, type GroupVersionKind, parseApiVersion, typeOf } from "./group_version_kind.ts";
export {
  compileKindSelectors,
  type KindSelector,
  parseKindSelectors,
  type ResourceType,
} from "./kind_selector.ts";
export { compileResourceFilters, defaultResourceFilters, type FilteredResource } from "./resource_filter.ts";
export { parseServiceAccount, serviceAccountVariables } from "./service_account.ts";
export { type BuiltinKind, builtinKind, builtinKinds, builtinResource, pluralOf } from "./api_resource.ts";
export {
  admissionOperations,
  type AdmissionRequest,
  type Operation,
  parseReview,
  type UserInfo,
} from "./admission_review.ts";
export {
  formatIpAddress,
  type IpAddress,
  isGlobalUnicast,
  isMappedIpv4,
  isOfClass,
  parseIpAddress,
  unmapped,
} from "./ip_address.ts";
export {
  containsAddress,
  containsPrefix,
  formatIpPrefix,
  type IpPrefix,
  maskedPrefix,
  parseIpPrefix,
} from "./ip_prefix.ts";
export {
  escapedPath,
  formatUrl,
  type GoUrl,
  hasControl,
  hostnameOf,
  hostOf,
  parseGoUrl,
  portOf,
  queryOf,
} from "./go_url.ts";
export {
  dns1035LabelProblems,
  dnsLabelProblems,
  dnsSubdomainProblems,
  labelValueProblems,
  noSubdomain,
  qualifiedNameProblems,
  withoutTrailingDash,
} from "./name_format.ts";
export { type AddressRules, compileAddressRules, isAddressHost } from "./address_rules.ts";
export { decodeBase64, encodeBase64, encodeBase64Text } from "./go_base64.ts";
export { compileTextGenerator, stepsOfTextGenerator, type TextGenerator } from "./random_text.ts";
export { decodeCertificate } from "./x509/decode.ts";
export { collectionPath, isObjectName, objectPath, versionPath } from "./object_path.ts";
export {
  type ListedResource,
  readGroupList,
  readResourceList,
  type ServedGroup,
} from "./served_resources.ts";
export { objectIdentity } from "./object_identity.ts";
export { listOfMetadata, metadataOnly } from "./metadata_only.ts";
export { itemsOf } from "./list_items.ts";
export { listPages } from "./list_pages.ts";
