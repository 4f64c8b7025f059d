/** The libraries of functions, one a file; see `library.ts` for how to add one. */
import { authorizerLibrary } from "./authorizer.ts";
import { bindingsLibrary, blockLibrary } from "./bindings.ts";
import { cidrLibrary } from "./cidr.ts";
import { comprehensionsLibrary } from "./comprehensions.ts";
import { encodersLibrary } from "./encoders.ts";
import { formatLibrary } from "./format.ts";
import { ipLibrary } from "./ip.ts";
import { jsonPatchLibrary } from "./json_patch.ts";
import { kubernetesListsLibrary } from "./kubernetes_lists.ts";
import { kyvernoExtensions, type KyvernoLibraryOptions } from "./kyverno.ts";
import type { Library } from "./library.ts";
import { listsLibrary } from "./lists.ts";
import { mathLibrary } from "./math.ts";
import { optionalLibrary } from "./optional.ts";
import { quantityLibrary } from "./quantity.ts";
import { randomLibrary } from "./random.ts";
import { regexGroupsLibrary } from "./regex_groups.ts";
import { regexLibrary } from "./regex.ts";
import { semverLibrary } from "./semver.ts";
import { setsLibrary } from "./sets.ts";
import { latestStringsLibrary, stringsLibrary } from "./strings.ts";
import { urlLibrary } from "./url.ts";
import { x509Library } from "./x509.ts";

export {
  type AccessUser,
  accessUserOf,
  Authorizer,
  authorizerType,
  type ResourceAttributes,
  type ResourceCheck,
  resourceCheckType,
} from "./authorizer.ts";
export type { KyvernoLibraryOptions } from "./kyverno.ts";
export { goQuote } from "./go_quote.ts";
export { imageVerifyLibrary } from "./image_verify.ts";
export { orValueLibrary } from "./or_value.ts";
export { standardLibrary } from "./standard.ts";
export * from "./library.ts";

/**
 * Libraries that a bundle leaves out when no expression names a function of theirs, by the names of their files. Those
 * that share types are one group.
 */
export const separableLibraries: readonly Readonly<Record<string, Library>>[] = [
  { cidr: cidrLibrary, ip: ipLibrary },
  { format: formatLibrary },
  { math: mathLibrary },
  { quantity: quantityLibrary },
  { random: randomLibrary },
  { regex: regexLibrary, regex_groups: regexGroupsLibrary },
  { semver: semverLibrary },
  { url: urlLibrary },
  { x509: x509Library },
];

/** The libraries of admission policies in Kubernetes 1.36, besides the standard library. */
export const kubernetesLibraries: readonly Library[] = [
  authorizerLibrary,
  cidrLibrary,
  comprehensionsLibrary,
  formatLibrary,
  ipLibrary,
  kubernetesListsLibrary,
  listsLibrary,
  optionalLibrary,
  quantityLibrary,
  regexLibrary,
  semverLibrary,
  setsLibrary,
  stringsLibrary,
  urlLibrary,
];

/** The libraries of mutating admission policies. */
export const mutatingLibraries: readonly Library[] = [...kubernetesLibraries, jsonPatchLibrary];

/** The libraries of a CEL policy of Kyverno, besides the standard library. */
export function kyvernoLibrariesFor(options: KyvernoLibraryOptions): readonly Library[] {
  return [
    ...kubernetesLibraries,
    bindingsLibrary,
    encodersLibrary,
    mathLibrary,
    regexGroupsLibrary,
    ...kyvernoExtensions(options),
  ];
}

/** The libraries of Kyverno's cluster-wide validating CEL policies, besides the standard library. */
export const kyvernoLibraries: readonly Library[] = /* @__PURE__ */ kyvernoLibrariesFor({});

/** The libraries of the CEL specification itself, in their latest form. */
export const specificationLibraries: readonly Library[] = [
  bindingsLibrary,
  blockLibrary,
  comprehensionsLibrary,
  encodersLibrary,
  listsLibrary,
  mathLibrary,
  optionalLibrary,
  setsLibrary,
  latestStringsLibrary,
];
