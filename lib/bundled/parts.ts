import { type Library, separableLibraries } from "../cel/mod.ts";
import { functionFamilies } from "../jmespath/mod.ts";
import { celGroup, type CelKind, clusterWideKind } from "../policy/mod.ts";
import type { PolicyFacts } from "./policy_facts.ts";
import type { BundleTarget } from "./target.ts";

/** A part of the engine. Only bundles whose policies need it contain it. */
export interface BundlePart {
  readonly name: string;
  /** Modules below `lib/`. Each has a stand-in: `rules/left_out/generate.ts` replaces `rules/generate.ts`. */
  readonly modules: readonly string[];
  readonly isNeeded: (facts: PolicyFacts, target: BundleTarget) => boolean;
}

/** Every part, one a line. */
export const bundleParts: readonly BundlePart[] = [
  part("cel", ["rules/cel/mod.ts", "rules/validate_cel.ts"], needsCel),
  part("assert", assertModules(), needsAssertions),
  ofBody("podSecurity", "rules/validate_pod_security.ts"),
  ofBody("manifests", "rules/manifests/validate_manifests.ts"),
  ofBody("verifyImages", "rules/verify_images/verify_images.ts"),
  part(
    "entries about images",
    ["policy/image_attestors.ts", "policy/image_verification.ts"],
    ({ bodies }) => bodies.has("verifyImages") || bodies.has("manifests"),
  ),
  ofBody("generate", "rules/generate.ts"),
  ofBody("mutateExisting", "rules/mutate_existing.ts"),
  ofKind("ValidatingPolicy", ["validating_policy"]),
  ofKind("MutatingPolicy", ["mutating_policy", "mutating_existing"]),
  part(
    "GeneratingPolicy",
    ["rules/policy_kinds/generating_policy.ts", "background/restoration.ts"],
    (facts) => kindsInCel(facts).has("GeneratingPolicy"),
  ),
  ofKind("DeletingPolicy", ["deleting_policy"]),
  ofKind("ImageValidatingPolicy", ["image_validating", "image_digests"]),
  ofKind("ValidatingAdmissionPolicy", ["validating_admission_policy"]),
  ofKind("MutatingAdmissionPolicy", ["mutating_admission_policy"]),
  part(
    "policies in CEL",
    ["documents/cel_policy.ts", "engine/compile_cel_policies.ts"],
    (facts) => kindsInCel(facts).size > 0,
  ),
  part(
    "exceptions",
    ["documents/exception.ts", "engine/compiled_exceptions.ts"],
    ({ mentions }) => mentions("PolicyException"),
  ),
  part("effects", ["bundled/effects.ts"], needsEffects),
  part("global context", ["adapters/global_entries.ts"], needsGlobalContext),
  // A bundle reads objects when a request needs them.
  part("watches", ["adapters/open_watch.ts"], () => false),
  // The platform bounds the memory, and calls.
  part("memory of answers", ["adapters/answer_memory.ts", "adapters/call_turns.ts"], () => false),
  part(
    "clients and files of Deno",
    ["read_connection", "renewed_client", "pinned_clients", "bearer_token", "kubeconfig"]
      .map((name) => `adapters/${name}.ts`),
    (_, { name }) => name === "deno",
  ),
  // `bundle` makes no bundle of policies with errors, and prints the warnings.
  part(
    "checks of policies",
    [
      "condition/problem.ts",
      "context/entries/entry_checks.ts",
      "diagnostics/most_serious.ts",
      "diagnostics/suggestion.ts",
      "documents/cel_shape.ts",
      "documents/image_shape.ts",
      "documents/misspelt_kinds.ts",
      "documents/rule_mistakes.ts",
      "documents/spec_shape.ts",
      "documents/too_many_rules.ts",
      "engine/kyverno_refusals.ts",
      "engine/match_problems.ts",
      "engine/variable_problems.ts",
      "policy/attestor_shape.ts",
      "policy/policy_weight.ts",
      "rules/mutation_conflicts.ts",
      "rules/patch_paths.ts",
      "shape/check_shape.ts",
    ],
    () => false,
  ),
  part("yaml", ["yaml/document.ts"], needsYaml),
  part("gzip", ["bytes/gzip.ts"], ({ bodies, mentions }) => bodies.has("manifests") || mentions("gzip")),
  part("digests", ["bytes/digest.ts"], calling(["sha1", "sha256", "md5"])),
  part("random texts", ["kube/random_text.ts"], calling(["random"])),
  part(
    "CEL matches",
    ["cel/pattern.ts"],
    calling(["matches", "find", "findAll", "replace", "extract", "extractAll"]),
  ),
  ...separableLibraries.map((group) =>
    part(
      `CEL ${Object.keys(group).join(", ")}`,
      Object.keys(group).map((file) => `cel/libraries/${file}.ts`),
      calling(Object.values(group).flatMap(namesOf)),
    )
  ),
  ...Object.entries(functionFamilies).map(([file, functions]) =>
    part(`JMESPath ${file}`, [`jmespath/functions/${file}.ts`], calling(functions.map(({ name }) => name)))
  ),
];

/** Returns the path of a module's stand-in. */
export function standInOf(module: string): string {
  return module.replace(/(?<![^/])[^/]+$/, "left_out/$&");
}

/** The modules that a bundle leaves out. */
export function leftOutModules(facts: PolicyFacts, target: BundleTarget): readonly string[] {
  return bundleParts.filter(({ isNeeded }) => !isNeeded(facts, target)).flatMap(({ modules }) => modules);
}

function part(name: string, modules: readonly string[], isNeeded: BundlePart["isNeeded"]): BundlePart {
  return { name, modules, isNeeded };
}

/** Makes the part for rules with this kind of body. */
function ofBody(kind: string, module: string): BundlePart {
  return part(kind, [module], ({ bodies }) => bodies.has(kind));
}

/** Makes the part for CEL policies of this kind. */
function ofKind(kind: CelKind | AdmissionKind, files: readonly string[]): BundlePart {
  const modules = files.map((file) => `rules/policy_kinds/${file}.ts`);
  return part(kind, modules, (facts) => kindsInCel(facts).has(kind));
}

type AdmissionKind = "ValidatingAdmissionPolicy" | "MutatingAdmissionPolicy";

/** The kinds of the documents in CEL; a kind of policies for one namespace is that for the whole cluster here. */
function kindsInCel({ kinds }: PolicyFacts): ReadonlySet<string> {
  const documents = [...kinds].map((each) => each.split("/"));
  return new Set(
    documents.filter(([group]) => group === celGroup || group === "admissionregistration.k8s.io")
      .map(([, kind]) => clusterWideKind(kind!)),
  );
}

/** Whether an expression calls one of the functions, or the gate composes it at run time so that it could call one. */
function calling(names: readonly string[]): BundlePart["isNeeded"] {
  return ({ calls, composesExpressions }) => composesExpressions || calls(names);
}

/** The names of a library's functions and macros that an expression may write before a bracket. */
function namesOf({ functions, macros = [] }: Library): readonly string[] {
  return [...functions, ...macros].map(({ name }) => name.split(".").at(-1)!);
}

function needsCel(facts: PolicyFacts): boolean {
  return facts.bodies.has("cel") || facts.hasMatchConditions || kindsInCel(facts).size > 0;
}

function assertModules(): readonly string[] {
  return [
    "rules/validate_assert.ts",
    "rules/assertion/mod.ts",
    "jmespath/community/mod.ts",
    "engine/json_policies.ts",
    "server/scan.ts",
  ];
}

function needsAssertions({ bodies, kinds }: PolicyFacts): boolean {
  return bodies.has("assert") || kinds.has("json.kyverno.io/ValidatingPolicy");
}

function needsEffects(facts: PolicyFacts, { afterAnswer }: BundleTarget): boolean {
  if (afterAnswer === "stops") return false;
  const { bodies } = facts, kinds = kindsInCel(facts);
  return bodies.has("generate") || bodies.has("mutateExisting") || kinds.has("GeneratingPolicy") ||
    kinds.has("MutatingPolicy");
}

function needsGlobalContext({ mentions }: PolicyFacts): boolean {
  return mentions("globalReference") || mentions("globalContext");
}

function needsYaml(facts: PolicyFacts): boolean {
  const { bodies, hasYamlPatches, composesExpressions, mentions } = facts;
  return hasYamlPatches || composesExpressions || mentions("yaml") || bodies.has("manifests") ||
    kindsInCel(facts).has("GeneratingPolicy");
}
