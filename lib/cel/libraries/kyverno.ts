import type { AddressRules } from "../../kube/mod.ts";
import { generatorLibrary } from "./generator.ts";
import { globalContextLibrary } from "./global_context.ts";
import { gzipLibrary } from "./gzip.ts";
import { hashLibrary } from "./hash.ts";
import { httpLibrary } from "./http.ts";
import { imageLibrary } from "./image.ts";
import { jsonLibrary } from "./json.ts";
import { jsonPatchLibrary } from "./json_patch.ts";
import type { Library } from "./library.ts";
import { momentsLibrary } from "./moments.ts";
import { randomLibrary } from "./random.ts";
import { resourceLibrary } from "./resource.ts";
import { roundingLibrary } from "./rounding.ts";
import { transformLibrary } from "./transform.ts";
import { userLibrary } from "./user.ts";
import { x509Library } from "./x509.ts";
import { yamlLibrary } from "./yaml.ts";

/** The rights of a policy in Kyverno's libraries. */
export interface KyvernoLibraryOptions {
  /** The namespace of a namespaced policy, which can read this namespace only; absent for other policies. */
  readonly namespace?: string;
  /** The rules for addresses of `http`; all may be called when absent. */
  readonly addresses?: AddressRules;
  /** Whether namespaced policies may call `http`; by default they may not. */
  readonly namespacedHttp?: "allowed" | "refused";
  /** The kind of policy: generating policies have `generator`, mutating ones `jsonpatch`. */
  readonly purpose?: "validate" | "mutate" | "generate";
}

const httpRefusal =
  "http calls are not allowed in namespaced policies: set --allowHTTPInNamespacedPolicies to enable";

/** Kyverno's libraries, besides those of Kubernetes. */
export function kyvernoExtensions(options: KyvernoLibraryOptions): readonly Library[] {
  const { namespace, addresses, namespacedHttp = "refused", purpose = "validate" } = options;
  const refused = namespace !== undefined && namespacedHttp === "refused";
  return [
    globalContextLibrary,
    gzipLibrary,
    hashLibrary,
    httpLibrary({
      ...(addresses === undefined ? {} : { addresses }),
      ...(refused ? { refusal: httpRefusal } : {}),
    }),
    imageLibrary,
    jsonLibrary,
    momentsLibrary,
    randomLibrary,
    resourceLibrary(namespace),
    roundingLibrary,
    transformLibrary,
    userLibrary,
    x509Library,
    yamlLibrary,
    ...(purpose === "generate" ? [generatorLibrary(namespace)] : []),
    ...(purpose === "mutate" ? [jsonPatchLibrary] : []),
  ];
}
