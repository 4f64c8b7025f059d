import { dynType, listType, mapType, stringType } from "../../cel/mod.ts";
import { imageVerifyLibrary } from "../../cel/mod.ts";
import {
  asList,
  asObject,
  asString,
  asTexts,
  dig,
  field,
  isFault,
  isObject,
  type Json,
  type JsonObject,
} from "../../json/mod.ts";
import { inBothScopes, podControllerSpecs, rewriteText } from "../../policy/mod.ts";
import type { RegistryCredentials } from "../../ports.ts";
import { compileMatchConditions, type ExpressionSet, kyvernoTexts, type UnusableText } from "../cel/mod.ts";
import { error, type Outcome } from "../outcome.ts";
import type { RuleInput } from "../rule_kind.ts";
import { pullSecretsOf, withPullSecrets } from "../verify_images/mod.ts";
import { compileExemptions, onFaultOfValidation } from "./exceptions.ts";
import { compileImageLists, type ImageLists, type PolicyImage } from "./image_lists.ts";
import { compileImageReferences, type ImageMatching } from "./image_references.ts";
import { defineVariables, kyvernoExpressions, payloadVariables } from "./kyverno_expressions.ts";
import type { PolicyKind, PolicyTools } from "./policy_kind.ts";

/** The fields that both phases of an ImageValidatingPolicy share. */
export const imagePolicyForm: Pick<
  PolicyKind,
  "group" | "kinds" | "section" | "ruleName" | "variants" | "onlyOnCommandLine" | "constraints"
> = {
  ...inBothScopes("ImageValidatingPolicy"),
  section: "validate",
  ruleName: "policy",
  variants: (spec) => isAboutJson(spec) ? [] : podControllerSpecs(spec, rewriteText),
  onlyOnCommandLine: isAboutJson,
  constraints: (spec) => isAboutJson(spec) ? {} : asObject(field(spec, "matchConstraints")) ?? {},
};

function isAboutJson(spec: JsonObject): boolean {
  return dig(spec, "evaluation", "mode") === "JSON";
}

/** Whether a field of `validationConfigurations` is true, which is the default. */
export function isConfigured(spec: JsonObject, name: "mutateDigest" | "verifyDigest" | "required"): boolean {
  return dig(spec, "validationConfigurations", name) !== false;
}

/** The expressions that both phases of an image policy evaluate. */
export interface ImagePolicyExpressions {
  readonly expressions: ExpressionSet;
  readonly conditions: ReturnType<typeof compileMatchConditions>;
  readonly exempt: ReturnType<typeof compileExemptions>;
  readonly lists: ReturnType<typeof compileImageLists>;
  readonly references: ReturnType<typeof compileImageReferences>;
  /** The expressions that cannot be used, in the order in which they were compiled. */
  readonly unusable: readonly UnusableText[];
}

/**
 * Compiles the expressions of both phases. Kyverno parity: references read nothing but `ref`, conditions and lists
 * of images no `variables`, and mode JSON no request. Pinned by tests/rules/verify_images/image_compilation_test.ts.
 */
export function imagePolicyExpressions(spec: JsonObject, tools: PolicyTools): ImagePolicyExpressions {
  const unusable: UnusableText[] = [];
  const onUnusable = (text: UnusableText): void => void unusable.push(text);
  const expressions = kyvernoExpressions(tools, {
    libraries: [imageVerifyLibrary],
    ...(isAboutJson(spec) && { common: payloadVariables }),
    variables: {
      images: mapType(stringType, listType(stringType)),
      attestors: mapType(stringType, dynType),
      attestations: mapType(stringType, stringType),
    },
    onUnusable,
  });
  const aboutReferences = kyvernoExpressions(tools, {
    common: {},
    variables: { ref: stringType },
    onUnusable,
  });
  const references = compileImageReferences(field(spec, "matchImageReferences"), aboutReferences);
  const conditions = compileMatchConditions(field(spec, "matchConditions"), expressions, {
    path: ["spec", "matchConditions"],
    texts: kyvernoTexts,
  });
  const exempt = compileExemptions(tools, expressions, { onFault: onFaultOfValidation(tools) });
  const lists = compileImageLists(field(spec, "images"), expressions);
  defineVariables(expressions, field(spec, "variables"));
  return { expressions, conditions, exempt, lists, references, unusable };
}

/** Names mapped to themselves: the form in which expressions hold attestors and attestations. */
export function namesIn(written: Json | undefined): JsonObject {
  const names = asList(written).filter(isObject).map((each) => asString(each["name"]) ?? "");
  return Object.fromEntries(names.map((name) => [name, name]));
}

/** The images of each list that the policy matches; a text says why that is unknown. */
export function matchedImages(
  lists: ImageLists,
  { references }: ImagePolicyExpressions,
  matching: ImageMatching,
): ImageLists | string {
  const matched: Record<string, readonly PolicyImage[]> = {};
  for (const [name, images] of Object.entries(lists)) {
    const kept: PolicyImage[] = [];
    for (const image of images) {
      const verdict = references(image.text, matching);
      if (isFault(verdict)) return verdict.message;
      if (verdict) kept.push(image);
      if (matching.steps.left < 0) break;
    }
    matched[name] = kept;
  }
  return matched;
}

/** The credentials of a policy for registries, and the pull secrets of the object. */
export function credentialsOf(spec: JsonObject, { resource }: RuleInput): RegistryCredentials {
  const written = field(spec, "credentials");
  const credentials: RegistryCredentials = {
    allowInsecureRegistry: field(written, "allowInsecureRegistry") === true,
    providers: asTexts(field(written, "providers")),
    secrets: asTexts(field(written, "secrets")),
  };
  return withPullSecrets(credentials, resource === undefined ? [] : pullSecretsOf(resource));
}

/**
 * Kyverno parity: a policy that cannot be evaluated denies, also where failurePolicy is Ignore. Pinned by "an image
 * policy that cannot be evaluated denies the request, even if failurePolicy is Ignore".
 */
export function evaluationFailed(cause: string): Outcome {
  return { ...error(`failed to evaluate policy: ${cause}`), reportedAs: "evaluation", meaning: "blocking" };
}
